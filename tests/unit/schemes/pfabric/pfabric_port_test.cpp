// Tests a pFabric port against its rules: which packet is sent, which packet is dropped.
#include "schemes/pfabric/pfabric_port.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace dcc {
namespace {

class PfabricPortTest : public testing::Test {
 protected:
  Packet* make(std::uint32_t flow, std::uint64_t left, Psn psn = 0, std::uint32_t bytes = 1500) {
    Packet* const packet = pool_.allocate();
    packet->flow = flow;
    packet->scheme = left;
    packet->psn = psn;
    packet->wire_bytes = bytes;
    return packet;
  }
  std::vector<std::uint32_t> dropped(Packet* packet) {
    std::vector<std::uint32_t> flows;
    PortDiscipline::EnqueueResult result = port_.enqueue(packet);
    while (!result.dropped.empty()) {
      Packet* const lost = result.dropped.pop();
      flows.push_back(lost->flow);
      pool_.free(lost);
    }
    return flows;
  }
  Packet served() {
    Packet* const packet = port_.dequeue();
    const Packet copy = *packet;
    pool_.free(packet);
    return copy;
  }
  PacketPool pool_;
  PfabricPort port_{[] {
    PfabricPortParameters p;
    p.limit = 4500;
    return p;
  }()};
};

TEST_F(PfabricPortTest, ServesTheFlowWithLeastLeftInItsOwnOrder) {
  dropped(make(1, 9000, 0));
  dropped(make(2, 20'000, 0));
  dropped(make(1, 7500, 1));
  const Packet first = served();
  EXPECT_EQ(first.flow, 1u);
  EXPECT_EQ(first.psn, 0u) << "7500 are most urgent, but of its flow 9000 came first";
  EXPECT_EQ(served().psn, 1u);
  EXPECT_EQ(served().flow, 2u);
  EXPECT_TRUE(port_.empty());
  EXPECT_EQ(port_.bytes(), 0);
}

TEST_F(PfabricPortTest, PushesOutWhatHasMostLeft) {
  for (std::uint32_t flow = 1; flow <= 3; ++flow) {
    EXPECT_TRUE(dropped(make(flow, flow * 1000)).empty());
  }
  EXPECT_EQ(dropped(make(4, 500)), std::vector<std::uint32_t>{3});
  EXPECT_EQ(dropped(make(5, 90'000)), std::vector<std::uint32_t>{5}) << "itself";
  EXPECT_EQ(dropped(make(6, 2000)), std::vector<std::uint32_t>{6}) << "as urgent, but later";
  EXPECT_EQ(port_.bytes(), 4500);
  while (!port_.empty()) served();
}

TEST_F(PfabricPortTest, ALargePacketPushesOutSeveralSmallOnes) {
  for (std::uint32_t flow = 1; flow <= 9; ++flow) dropped(make(flow, 1000 + flow, 0, 500));
  EXPECT_EQ(dropped(make(10, 1, 0, 1400)), (std::vector<std::uint32_t>{9, 8, 7}));
  while (!port_.empty()) served();
}

TEST_F(PfabricPortTest, ControlGoesFirstAndLasts) {
  dropped(make(1, 1));
  Packet* const ack = make(1, 777, 0, 40);
  ack->kind = PacketKind::kAck;
  dropped(ack);
  for (std::uint32_t flow = 2; flow < 6; ++flow) dropped(make(flow, 1));
  EXPECT_EQ(served().kind, PacketKind::kAck);
  while (!port_.empty()) served();
}

// Invariants for random packets: no packet is sent while its flow has a more urgent one, no dropped
// packet is more urgent than the remaining packets, and every accepted packet leaves.
TEST_F(PfabricPortTest, NothingGoesBeforeSomethingMoreUrgent) {
  RandomStream random(1, "pfabric");
  struct Waiting {
    std::uint32_t flow;
    std::uint64_t left;
    Psn psn;
  };
  std::vector<Waiting> model;  // packets in the order of arrival
  Psn psn = 0;
  std::uint64_t in = 0, out = 0, lost = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (random.below(3) != 0) {
      const auto flow = static_cast<std::uint32_t>(random.below(6));
      const std::uint64_t left = 1 + random.below(10);
      ++in;
      model.push_back({flow, left, psn});
      PortDiscipline::EnqueueResult result = port_.enqueue(make(flow, left, psn++));
      while (!result.dropped.empty()) {
        Packet* const gone = result.dropped.pop();
        ++lost;
        model.erase(std::find_if(model.begin(), model.end(),
                                 [&](const Waiting& w) { return w.psn == gone->psn; }));
        for (const Waiting& stays : model) EXPECT_LE(stays.left, gone->scheme);
        pool_.free(gone);
      }
    } else if (!port_.empty()) {
      const Packet packet = served();
      ++out;
      std::uint64_t least = UINT64_MAX, of_its_flow = UINT64_MAX;
      for (const Waiting& w : model) {
        least = std::min(least, w.left);
        if (w.flow == packet.flow) of_its_flow = std::min(of_its_flow, w.left);
      }
      EXPECT_EQ(of_its_flow, least) << "its flow is the most urgent";
      const auto first = std::find_if(model.begin(), model.end(),
                                      [&](const Waiting& w) { return w.flow == packet.flow; });
      EXPECT_EQ(first->psn, packet.psn) << "in order";
      model.erase(first);
    }
  }
  EXPECT_GT(lost, 1000u);
  EXPECT_EQ(in, out + lost + model.size());
  while (!port_.empty()) served();
  EXPECT_EQ(pool_.in_use(), 0);
}

}  // namespace
}  // namespace dcc
