// Tests the rates that can be granted on a path, and the arbitration tables that guarantee granted
// rates, against values computed by hand and against the arbiter that serves the tables.
#include "subnet/reservations.h"

#include <gtest/gtest.h>

#include <random>

#include "subnet/administration.h"
#include "subnet/subnet_agents.h"

namespace dcc::reservations_test {
namespace {

constexpr std::uint64_t operator""_G(unsigned long long n) { return n * 1'000'000'000; }

/// Four hosts with links of 10 Gb/s at one switch; host 3 is the subnet manager.
class Star : public testing::Test {
 protected:
  Star() : agents(topology, access(), kMicroSecond), manager(0) {
    manager.begin();
    PicoSeconds took{};
    while (const std::optional<Mad> mad = manager.next()) {
      manager.answered(agents.carry(topology.node_of(3), *mad, took));
    }
  }
  static Topology make_topology() {
    Topology topology;
    const NodeId center = topology.add_switch("s0");
    for (int i = 0; i < 4; ++i) {
      const LinkParameters link{BitRate(10_G), kMicroSecond, 0};
      topology.connect(topology.add_host("h" + std::to_string(i)), center, link);
    }
    return topology;
  }
  static SubnetAccess access() {
    SubnetAccess access;
    access.forwards = [](NodeId, HostId host, unsigned) { return static_cast<int>(host); };
    access.is_up = [](NodeId, int) { return true; };
    access.set_tables = [](NodeId, int, const VlArbitrationParameters&) { return true; };
    return access;
  }
  std::vector<SubnetManager::Hop> path(HostId from, HostId to) const {
    return manager.path(*manager.find(SubnetAgents::guid_of(topology.node_of(from))),
                        *manager.find(SubnetAgents::guid_of(topology.node_of(to))), 0);
  }
  PathQuery query(std::uint32_t flow, HostId from, std::uint64_t rate, unsigned lane = 0) const {
    return {SubnetAgents::guid_of(topology.node_of(from)),
            SubnetAgents::guid_of(topology.node_of(0)),
            lane,
            rate,
            flow,
            0};
  }

  Topology topology = make_topology();
  SubnetAgents agents;
  SubnetManager manager;
};

TEST_F(Star, RequestsAreGrantedAsLongAsTheLinkHasRoom) {
  Reservations reservations(manager, false);
  Administration administration(manager, reservations);
  const auto ask = [&](std::uint32_t flow, HostId from, std::uint64_t rate) {
    return administration.answer(query(flow, from, rate).encode());
  };
  EXPECT_EQ(ask(1, 1, 2_G).status(), Mad::kOk);
  EXPECT_EQ(ask(2, 2, 3_G).status(), Mad::kOk);
  EXPECT_EQ(ask(3, 1, 4_G).status(), Mad::kOk);
  // Grants of 2 + 3 + 4 of 10 Gb/s exist already.
  const Mad refused = ask(4, 2, 2_G);
  EXPECT_EQ(refused.status(), Mad::kNoResources);
  EXPECT_EQ(Administration::rate_of(refused), 1_G) << "what can be had";
  EXPECT_FALSE(reservations.holds(4));
  EXPECT_EQ(ask(4, 2, 1_G).status(), Mad::kOk) << "that much is granted";
  EXPECT_EQ(Administration::rate_of(ask(5, 2, 1)), 0u);
  reservations.release(2);
  EXPECT_EQ(Administration::rate_of(ask(5, 2, 5_G)), 3_G);
  EXPECT_EQ(ask(5, 2, 3_G).status(), Mad::kOk);
  EXPECT_TRUE(reservations.release(99).empty());
}

TEST_F(Star, TheSendersOwnLinkCountsToo) {
  Reservations reservations(manager, false);
  Administration administration(manager, reservations);
  PathQuery other = query(1, 1, 7_G);
  other.destination = SubnetAgents::guid_of(topology.node_of(2));
  EXPECT_EQ(administration.answer(other.encode()).status(), Mad::kOk);
  EXPECT_EQ(Administration::rate_of(administration.answer(query(2, 1, 5_G).encode())), 3_G);
  EXPECT_EQ(Administration::rate_of(administration.answer(query(2, 2, 0).encode())), 10_G);
}

TEST_F(Star, APathRecordHasTheAddressesOfBothPorts) {
  Reservations reservations(manager, false);
  Administration administration(manager, reservations);
  const Mad answer = administration.answer(query(7, 1, 0).encode());
  EXPECT_EQ(answer.status(), Mad::kOk);
  EXPECT_EQ(answer.transaction(), 7u);
  const auto lid = [&](HostId host) {
    return manager.nodes()[*manager.find(SubnetAgents::guid_of(topology.node_of(host)))].lid;
  };
  EXPECT_EQ(Administration::destination_lid(answer), lid(0));
  EXPECT_EQ(Administration::source_lid(answer), lid(1));
  EXPECT_FALSE(reservations.holds(7)) << "without a rate nothing is reserved";
  PathQuery unknown = query(8, 1, 0);
  unknown.destination = 12345;
  EXPECT_EQ(administration.answer(unknown.encode()).status(), Mad::kNoRecords);
  unknown = query(8, 0, 0);
  EXPECT_EQ(administration.answer(unknown.encode()).status(), Mad::kNoRecords) << "to itself";
}

// Rates of 2, 3 and 4 of 10 Gb/s are 12.8, 19.2 and 25.6 of 64 entries, rounded up to 13, 20 and
// 26. Five entries are left.
TEST_F(Star, GrantsTakeWholeEntriesOfTheTables) {
  Reservations reservations(manager, true);
  reservations.grant(1, path(1, 0), 1, 2_G);
  reservations.grant(2, path(1, 0), 2, 3_G);
  reservations.grant(3, path(2, 0), 3, 4_G);
  const SubnetManager::Hop last = path(1, 0).back();
  const auto entries = reservations.entries(last);
  EXPECT_EQ(entries[1], 13u);
  EXPECT_EQ(entries[2], 20u);
  EXPECT_EQ(entries[3], 26u);
  EXPECT_EQ(entries[0] + entries[4] + entries[5] + entries[6] + entries[7], 5u);
  EXPECT_EQ(reservations.available(path(2, 0), 0), 10_G * 5 / 64);
  // Lane 1 can use its own 13 entries and the remaining five.
  EXPECT_EQ(reservations.available(path(2, 0), 1), 10_G * 18 / 64 - 2_G);
  EXPECT_EQ(reservations.table(last, 16).low.size(), 64u);
}

TEST_F(Star, WhileAllLanesHavePacketsEachGetsWhatItWasGranted) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    Reservations reservations(manager, true);
    std::array<std::uint64_t, 8> granted{};
    for (std::uint32_t flow = 0; flow < 6; ++flow) {
      const auto lane = static_cast<unsigned>(random() % 8);
      const std::uint64_t room = reservations.available(path(1, 0), lane);
      const std::uint64_t rate = room * (1 + random() % 100) / 100;
      if (rate == 0) continue;
      reservations.grant(flow, path(1, 0), lane, rate);
      granted[lane] += rate;
    }
    VlArbiter arbiter(reservations.table(path(1, 0).back(), 16));
    std::array<unsigned, 8> sent{};
    for (int packet = 0; packet < 6400; ++packet) {
      const int lane = arbiter.pick(0xFF);
      arbiter.charge(1082);  // 1024 bytes of payload exceed an entry of 16 units
      ++sent[static_cast<std::size_t>(lane)];
    }
    for (std::size_t lane = 0; lane < 8; ++lane) {
      EXPECT_GE(sent[lane] * 10_G / 6400, granted[lane]) << "round " << round << " lane " << lane;
    }
  }
}

TEST_F(Star, AMovedFlowLeavesItsOldPath) {
  Reservations reservations(manager, false);
  reservations.grant(1, path(1, 0), 0, 6_G);
  EXPECT_EQ(reservations.available(path(2, 0), 0), 4_G);
  reservations.move(1, path(1, 2));
  EXPECT_EQ(reservations.available(path(2, 0), 0), 10_G);
  EXPECT_EQ(reservations.available(path(3, 2), 0), 4_G);
  EXPECT_EQ(reservations.release(1).size(), 2u);
  EXPECT_EQ(reservations.available(path(3, 2), 0), 10_G);
}

}  // namespace
}  // namespace dcc::reservations_test
