// A switch's state digest must contain state that no queue length shows: the memory of load
// balancers, and the order of packets inside a discipline.
#include "sim/state_digest.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "fabric/balancers.h"
#include "fabric/fabric_map.h"
#include "fabric/flow_entries.h"
#include "fabric/routing.h"
#include "fabric/topology.h"
#include "schemes/conga/conga.h"
#include "schemes/d3/explicit_rate.h"
#include "schemes/drill/drill.h"
#include "schemes/hedera/hedera_scheduler.h"
#include "switch/discipline.h"
#include "switch/drop_tail.h"
#include "switch/pfc.h"

namespace dcc::net_state_digest_test {
namespace {

template <class Device>
std::uint64_t digest_of(const Device& device) {
  StateDigest d;
  d(device);
  return d.value();
}

Packet packet_of(std::uint32_t flow, HostId source, HostId destination) {
  Packet packet;
  packet.flow = flow;
  packet.source = source;
  packet.destination = destination;
  packet.wire_bytes = packet.payload_bytes = 1000;
  return packet;
}

/// The first of three leaves with two spines. Hosts 0 … 3 are at this leaf.
class ChoiceDigest : public testing::TestWithParam<std::string>, public PathView {
 protected:
  ChoiceDigest() : topology_(shape()), routing_(topology_), fabric_(topology_, routing_) {
    parameters_.of<DrillParameters>("drill").samples = 1;
  }
  PicoSeconds now() const override { return time_; }
  Bytes backlog(int port) const override { return 100 * port; }
  Bytes drain(int port, int) const override { return 100 * port; }
  BitRate rate(int) const override { return 100_Gbps; }

  std::unique_ptr<PathChoice> make(const std::string& kind) {
    parameters_.choose(kind);
    auto choice = parameters_.make({*this, 6, 77, 5, 0});
    choice->join(fabric_, topology_.find("leaf0"));
    return choice;
  }
  static Topology shape() {
    LeafSpineParameters p;
    p.leaves = 3;
    p.spines = 2;
    p.hosts_per_leaf = 4;
    return Topology::leaf_spine(p);
  }
  /// An ACK for host 0 of a packet that carried this tag.
  static Packet ack_with(std::uint8_t tag) {
    Packet ack = packet_of(6, 4, 0);
    ack.kind = PacketKind::kAck;
    ack.overlay.entropy.echo = tag;
    return ack;
  }

  Topology topology_;
  Routing routing_;
  FabricMap fabric_;
  BalancerChoice parameters_;
  PicoSeconds time_ = kMicroSecond;
  const PortSet up_ = PortSet::consecutive(4, 2);
  const PortSet down_ = PortSet::consecutive(0, 1);
};

/// Tests every registered load balancer, including those added later.
TEST_P(ChoiceDigest, ShowsWhatIsRememberedAndNotWhoLooked) {
  const std::set<std::string> nothing{"addresses", "wcmp", "lmc", "presto", "symmetric", "source"};
  const auto choice = make(GetParam());
  const std::uint64_t fresh = digest_of(*choice);
  EXPECT_EQ(digest_of(*make(GetParam())), fresh);
  for (HostId to = 4; to < 12; ++to) choice->peek(packet_of(6, 0, to), up_);
  EXPECT_EQ(digest_of(*choice), fresh);
  Packet packet = packet_of(6, 0, 4);
  choice->choose(packet, up_);
  EXPECT_EQ(digest_of(*choice) == fresh, nothing.count(GetParam()) != 0);
}

std::vector<std::string> kinds() {
  std::vector<std::string> list;
  for (const auto& entry : Balancers::all()) list.push_back(entry.name);
  return list;
}
INSTANTIATE_TEST_SUITE_P(Kinds, ChoiceDigest, testing::ValuesIn(kinds()),
                         [](const auto& one) { return one.param; });

TEST_F(ChoiceDigest, TheOrderInWhichATableWasFilledDoesNotShow) {
  const auto one = make("spray");
  const auto other = make("spray");
  for (std::uint32_t i = 0; i < 200; ++i) {
    Packet first = packet_of(1, 0, i);
    Packet last = packet_of(1, 0, 199 - i);
    one->choose(first, up_);
    if (i == 99) {
      EXPECT_NE(digest_of(*one), digest_of(*other));
    }
    other->choose(last, up_);
  }
  EXPECT_EQ(digest_of(*one), digest_of(*other));
}

TEST_F(ChoiceDigest, WhatAnswersTellShows) {
  for (const char* const kind : {"reps", "hermes"}) {
    SCOPED_TRACE(kind);
    std::set<std::uint64_t> digests;
    for (const std::vector<std::uint8_t>& tags :
         std::vector<std::vector<std::uint8_t>>{{}, {5}, {6}, {5, 6}, {6, 5}}) {
      const auto choice = make(kind);
      time_ = kMicroSecond;
      for (const std::uint8_t tag : tags) {
        time_ += kMicroSecond;
        Packet ack = ack_with(tag);
        choice->choose(ack, down_);
      }
      digests.insert(digest_of(*choice));
    }
    EXPECT_EQ(digests.size(), 5u);
  }
}

TEST_F(ChoiceDigest, UseOfLinksAndNewsOfWaysShow) {
  const auto conga = make("conga");
  std::uint64_t before = digest_of(*conga);
  Packet packet = packet_of(6, 0, 4);
  conga->departs(packet, 5);
  EXPECT_NE(digest_of(*conga), before);
  before = digest_of(*conga);
  Packet news = packet_of(6, 4, 0);
  news.overlay.path_congestion.path = 1;
  news.overlay.path_congestion.congestion = 3;
  conga->choose(news, down_);
  EXPECT_NE(digest_of(*conga), before);
}

TEST_F(ChoiceDigest, EntriesOfASchedulerOfFlowsShow) {
  const auto hedera = make("hedera");
  const std::uint64_t before = digest_of(*hedera);
  hedera->flow_entries()->place({0, 4, 6}, 1);
  const std::uint64_t second = digest_of(*hedera);
  hedera->flow_entries()->place({0, 4, 6}, 0);
  EXPECT_NE(digest_of(*hedera), second);
  EXPECT_NE(digest_of(*hedera), before);

  // State of Hedera's scheduler itself: the time of its next round, and the large flows that it
  // knows.
  Scheduler scheduler;
  HederaScheduler central(scheduler, fabric_, parameters_.of<HederaParameters>("hedera"), 1, 1);
  central.add_switch(topology_.find("leaf0"), *hedera->flow_entries());
  const std::uint64_t idle = digest_of(central);
  central.begin();
  const std::uint64_t begun = digest_of(central);
  EXPECT_NE(begun, idle);
  for (int i = 0; i < 100'000; ++i) {
    Packet packet = packet_of(6, 0, 4);
    hedera->choose(packet, up_);
  }
  central.run_round();
  ASSERT_EQ(central.elephants().size(), 1u);
  EXPECT_NE(digest_of(central), begun);
}

// Tests of disciplines.

class DisciplineDigest : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<PortDiscipline> make(const std::string& name) {
    choice_.choose(name);
    auto port = choice_.make({random_, clock_});
    port->attach({10_Gbps, kMicroSecond, 20});
    return port;
  }
  void put(PortDiscipline& port, Psn psn, PacketKind kind = PacketKind::kData) {
    Packet* const packet = pool_.allocate();
    *packet = packet_of(6, 0, 4);
    packet->psn = psn;
    packet->kind = kind;
    const PortDiscipline::EnqueueResult result = port.enqueue(packet);
    EXPECT_TRUE(result.dropped.empty());
  }
  void drain(PortDiscipline& port) {
    while (!port.empty()) pool_.free(port.evict());
  }
  RandomStream random_{1, "test"};
  Scheduler clock_;
  PacketPool pool_;
  DisciplineChoice choice_;
};

TEST_P(DisciplineDigest, ShowsWhichPacketsWaitInWhichOrder) {
  std::set<std::uint64_t> digests;
  for (const std::vector<Psn>& psns :
       std::vector<std::vector<Psn>>{{}, {1}, {2}, {1, 2}, {2, 1}, {1, 3}}) {
    const auto port = make(GetParam());
    for (const Psn psn : psns) put(*port, psn);
    digests.insert(digest_of(*port));
    drain(*port);
  }
  EXPECT_EQ(digests.size(), 6u);
}

std::vector<std::string> disciplines() {
  std::vector<std::string> list;
  for (const auto& entry : Disciplines::all()) list.push_back(entry.name);
  return list;
}
INSTANTIATE_TEST_SUITE_P(Registered, DisciplineDigest, testing::ValuesIn(disciplines()),
                         [](const auto& one) { return one.param; });

/// State of an empty port: RED's average, a token bucket, granted rates, the turn of a round robin.
TEST_F(DisciplineDigest, WhatIsRememberedOfThoseThatHaveLeftShows) {
  choice_.of<DropTailParameters>("drop_tail").red = true;
  for (const auto& [name, kind] :
       std::map<std::string, PacketKind>{{"drop_tail", PacketKind::kData},
                                         {"credit", PacketKind::kCredit},
                                         {"explicit_rate", PacketKind::kData}}) {
    SCOPED_TRACE(name);
    const auto port = make(name);
    const std::uint64_t fresh = digest_of(*port);
    put(*port, 1, kind);
    put(*port, 2, kind);
    drain(*port);
    EXPECT_NE(digest_of(*port), fresh);
  }
  const auto trimming = make("trimming");
  std::set<std::uint64_t> turns;
  for (int headers = 0; headers < 3; ++headers) put(*trimming, 7, PacketKind::kAck);
  put(*trimming, 8);
  for (int left = 0; left < 3; ++left) {
    turns.insert(digest_of(*trimming));
    pool_.free(trimming->dequeue());
    put(*trimming, 7, PacketKind::kAck);  // as many packets wait as before
  }
  EXPECT_EQ(turns.size(), 3u);
  drain(*trimming);
}

// Tests that a link's state shows in the digest.

TEST(PfcDigest, PrioritiesThatAreHeededShow) {
  PfcPort port;
  const std::uint64_t all = digest_of(port);
  port.set_pfc_mask(0x0F, {});
  EXPECT_NE(digest_of(port), all);
}

}  // namespace
}  // namespace dcc::net_state_digest_test
