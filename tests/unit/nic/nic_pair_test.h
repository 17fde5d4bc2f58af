// Fixture with two NICs on a cable, of which one sends and one receives.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "unit/nic/nic_pair.h"

namespace dcc::test {

/// A sender (host 0) and a receiver (host 1). Hooks of the test see and change packets on the wire.
class PairTest : public ::testing::Test,
                 public NicPair,
                 public PacketSink,
                 public CompletionSink,
                 public DeliverySink {
 protected:
  PairTest() : NicPair(2) {}

  std::function<bool(Packet&)> on_wire = [](Packet&) {
    return true;
  };  // the hook returns false to lose the packet
  std::vector<Packet> seen;
  struct Done {
    std::uint64_t id;
    Status status;
    PicoSeconds when;
  };
  std::vector<Done> done;
  Bytes delivered_bytes = 0;
  bool accept = true;

  void build() {
    join(*this);
    nic[0]->transmitter().set_completion_sink(this);
    nic[1]->receiver().set_delivery_sink(this);
    create_queue_pairs();
    nic[0]->connect_queue_pair(3);
    nic[1]->connect_queue_pair(5);
  }
  /// Creates queue pair 3 of NIC 0 and 5 of NIC 1, without connecting them.
  void create_queue_pairs() {
    QueuePairConfig there;
    there.remote_host = 1;
    there.remote_qpn = 5;
    nic[0]->create_queue_pair(3, there);
    QueuePairConfig back;
    back.remote_host = 0;
    back.remote_qpn = 3;
    back.flow = 1;
    nic[1]->create_queue_pair(5, back);
  }
  void post(Bytes bytes, std::uint64_t id = 1) {
    WorkItem item;
    item.id = id;
    item.bytes = bytes;
    nic[0]->transmitter().post(3, item);
  }

  std::size_t seen_data() const {
    return static_cast<std::size_t>(
        std::count_if(seen.begin(), seen.end(),
                      [](const Packet& packet) { return packet.kind == PacketKind::kData; }));
  }

  void receive(Packet* packet, int port) override {
    seen.push_back(*packet);
    if (!on_wire(*packet)) {
      pool.free(packet);
      return;
    }
    nic[port]->receive(packet, 0);
  }
  void work_done(Qpn qpn, const WorkItem& item, Status status) override {
    EXPECT_EQ(qpn, 3u);
    done.push_back({item.id, status, scheduler.now()});
  }
  Result delivered(Qpn qpn, const Packet& packet) override {
    EXPECT_EQ(qpn, 5u);
    if (accept) delivered_bytes += packet.payload_bytes;
    return accept ? Result::kAccepted : Result::kAccess;
  }
  int count(PacketKind kind) const {
    int n = 0;
    for (const Packet& packet : seen) n += packet.kind == kind ? 1 : 0;
    return n;
  }
};

}  // namespace dcc::test
