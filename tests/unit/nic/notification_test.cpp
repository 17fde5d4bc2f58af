// Tests congestion notification between two NICs on a cable: which packets are marked and which
// CNPs follow.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "nic/nic_device.h"
#include "unit/nic/nic_pair_test.h"

namespace dcc {
namespace {

class NotifiedPair : public test::PairTest {};

TEST_F(NotifiedPair, CnpsAreSpacedAndMayCarryTheirMarks) {
  parameters.cnp.interval = kMicroSecond * 4;
  parameters.cnp.carry_marks = true;
  build();
  std::uint64_t marked = 0, told = 0, sent = 0, arrived = 0;
  PicoSeconds last{-kSecond.count};
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kData) {
      EXPECT_EQ(packet.ecn, Ecn::kEct0);
      // Marks two of three packets. All three count as packets.
      if (++sent % 3 != 0) {
        packet.ecn = Ecn::kCe;
        ++marked;
      }
    } else if (packet.kind == PacketKind::kCnp && packet.cnp_marks != 0) {
      EXPECT_GE((scheduler.now() - last).count, (kMicroSecond * 4 - kNanoSecond * 200).count);
      last = scheduler.now();
      told += packet.cnp_marks;
      EXPECT_GE(packet.cnp_packets, packet.cnp_marks);
      arrived += packet.cnp_packets;
      EXPECT_EQ(packet.dscp, 48);
      EXPECT_EQ(packet.ecn, Ecn::kEct0);
      EXPECT_EQ(packet.destination_qpn, 3u);
    }
    return true;
  };
  post(1'000'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_GT(told, 600u);
  EXPECT_LE(told, marked);
  EXPECT_LE(marked - told, 47u);  // no CNP has reported the marks of the last interval yet
  EXPECT_LE(arrived, sent);
  EXPECT_LE(sent - arrived, 70u);
}

TEST_F(NotifiedPair, TheFirstUnmarkedPacketAfterMarkedOnesOnlyBringsAnAllClear) {
  parameters.cnp.interval = kMicroSecond;
  parameters.cnp.carry_marks = true;
  build();
  std::uint64_t sent = 0;
  std::vector<std::pair<int, std::uint32_t>> cnps;  // (marks, packets) of each CNP
  on_wire = [&](Packet& packet) {
    // The pattern is 40 marked and 40 unmarked packets, twice. After that every other packet is
    // marked.
    if (packet.kind == PacketKind::kData) {
      const bool marked = sent < 160 ? sent / 40 % 2 == 0 : sent % 2 == 0;
      if (marked) packet.ecn = Ecn::kCe;
      ++sent;
    } else if (packet.kind == PacketKind::kCnp) {
      cnps.emplace_back(packet.cnp_marks, packet.cnp_packets);
    }
    return true;
  };
  post(300'000);
  scheduler.run_until(kMilliSecond);
  int clears = 0;
  for (std::size_t i = 0; i < cnps.size(); ++i) {
    if (cnps[i].first != 0) continue;
    ++clears;
    ASSERT_GT(i, 0u);
    EXPECT_EQ(cnps[i].second, 0u);
    EXPECT_NE(cnps[i - 1].first, 0);
    EXPECT_EQ(static_cast<std::uint32_t>(cnps[i - 1].first), cnps[i - 1].second);
  }
  // The first CNP of the second marked group also counts the unmarked packets before it, and the
  // next CNP counts only marked packets. If every other packet is marked, no CNP counts only marked
  // packets.
  EXPECT_EQ(clears, 2);
}

TEST_F(NotifiedPair, WithoutCarriedMarksThereIsNoAllClear) {
  parameters.cnp.interval = kMicroSecond;
  build();
  std::uint64_t sent = 0;
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kData && ++sent <= 20) packet.ecn = Ecn::kCe;
    if (packet.kind == PacketKind::kCnp) {
      EXPECT_EQ(packet.cnp_marks, 1);
    }
    return true;
  };
  post(100'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_GT(count(PacketKind::kCnp), 0);
}

TEST_F(NotifiedPair, WhatIsAgreedWithTheSenderComesBeforeTheNicsOwnSettings) {
  parameters.cnp.interval = kMicroSecond;
  parameters.cnp.carry_marks = true;
  build();
  CnpProfile plain;
  plain.wanted = true;
  plain.cnp.interval = kMicroSecond * 50;
  plain.cnp.dscp = 20;
  plain.cnp.priority = 5;
  std::vector<HostId> asked;
  nic[1]->receiver().set_cnp_profiles([&](HostId sender) -> const CnpProfile& {
    asked.push_back(sender);
    return plain;
  });
  int cnps = 0;
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kData) packet.ecn = Ecn::kCe;
    if (packet.kind == PacketKind::kCnp) {
      ++cnps;
      EXPECT_EQ(packet.cnp_marks, 1);
      EXPECT_EQ(packet.cnp_packets, 0u);
      EXPECT_EQ(packet.dscp, 20);
      EXPECT_EQ(packet.priority, 5);
    }
    return true;
  };
  post(1'000'000);  // the data takes 87 us at line rate
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(cnps, 2);
  ASSERT_FALSE(asked.empty());
  for (const HostId sender : asked) EXPECT_EQ(sender, 0u);
  plain.wanted = false;
  post(1'000'000, 2);
  scheduler.run_until(kMilliSecond * 2);
  EXPECT_EQ(cnps, 2);
}

/// A notification engine that sends a CNP with fixed counts for every fifth packet.
class EveryFifth final : public NotificationEngine {
 public:
  std::vector<Qpn> begun, ended;
  std::vector<NotifiedPacket> packets;

  void begin(Qpn qpn) override { begun.push_back(qpn); }
  void end(Qpn qpn) override { ended.push_back(qpn); }
  std::optional<Notification> packet(const NotifiedPacket& packet,
                                     const CnpParameters& agreed) override {
    EXPECT_EQ(agreed.interval, kMicroSecond * 3);
    packets.push_back(packet);
    if (packets.size() % 5 != 0) return std::nullopt;
    Notification out;
    out.marks = 9;
    out.packets = 11;
    return out;
  }
};

TEST_F(NotifiedPair, AnEngineDecidesInPlaceOfTheModel) {
  parameters.cnp.interval = kMicroSecond * 3;
  EveryFifth engine;
  join(*this);
  nic[0]->transmitter().set_completion_sink(this);
  nic[1]->receiver().set_delivery_sink(this);
  nic[1]->receiver().set_notification_engine(&engine);
  create_queue_pairs();
  nic[0]->connect_queue_pair(3);
  nic[1]->connect_queue_pair(5);
  int cnps = 0, data = 0;
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kData && data++ % 2 == 0) packet.ecn = Ecn::kCe;
    if (packet.kind == PacketKind::kCnp) {
      ++cnps;
      EXPECT_EQ(packet.cnp_marks, 9);
      EXPECT_EQ(packet.cnp_packets, 11u);
      EXPECT_EQ(packet.destination_qpn, 3u);
    }
    return true;
  };
  post(100'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(cnps, 20);
  ASSERT_EQ(engine.packets.size(), 100u);
  for (std::size_t i = 0; i < engine.packets.size(); ++i) {
    const NotifiedPacket& packet = engine.packets[i];
    EXPECT_EQ(packet.marked, i % 2 == 0);
    EXPECT_TRUE(packet.wanted);
    EXPECT_EQ(packet.qpn, 5u);
    EXPECT_EQ(packet.sender, 0u);
    EXPECT_EQ(packet.sender_qpn, 3u);
  }
  EXPECT_EQ(nic[1]->counters().ce_received, 50u);
  nic[1]->destroy_queue_pair(5);
  EXPECT_EQ(engine.begun, std::vector<Qpn>{5});
  EXPECT_EQ(engine.ended, std::vector<Qpn>{5});
}

TEST_F(NotifiedPair, DataAreEctWhereTheQueuePairIsCapable) {
  build();
  int data = 0;
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kData) {
      ++data;
      EXPECT_EQ(packet.ecn, Ecn::kEct0);
    }
    return true;
  };
  post(100'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_GT(data, 0);
}

TEST_F(NotifiedPair, ACnpLeavesWithTheEcnFieldThatIsSet) {
  for (const auto& [set, field] : {std::pair{CnpParameters::Ecn::kEct0, Ecn::kEct0},
                                   std::pair{CnpParameters::Ecn::kEct1, Ecn::kEct1}}) {
    parameters.cnp.ecn = set;
    build();
    int cnps = 0;
    on_wire = [&, field = field](Packet& packet) {
      if (packet.kind == PacketKind::kData) packet.ecn = Ecn::kCe;
      if (packet.kind == PacketKind::kCnp) {
        ++cnps;
        EXPECT_EQ(packet.ecn, field);
      }
      return true;
    };
    post(100'000);
    scheduler.run_until(scheduler.now() + kMilliSecond);
    EXPECT_GT(cnps, 0);
  }
}

// The sender ignores a CNP with the other ECT code point, and accepts a CNP that a switch has
// marked.
TEST_F(NotifiedPair, ASenderKnowsACnpByItsEcnField) {
  parameters.cnp.interval = kMicroSecond * 10;
  parameters.cnp.accept = CnpParameters::Accept::kEct1;
  build();
  bool marked = false;
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kData || (marked && packet.kind == PacketKind::kCnp)) {
      packet.ecn = Ecn::kCe;
    }
    return true;
  };
  post(100'000);
  scheduler.run_until(kMilliSecond);
  const NicCounters& counted = nic[0]->counters();
  EXPECT_EQ(counted.cnps_received, 0u);
  EXPECT_GT(counted.cnps_refused, 0u);
  marked = true;
  post(100'000, 2);
  scheduler.run_until(kMilliSecond * 2);
  EXPECT_GT(counted.cnps_received, 0u);
}

TEST_F(NotifiedPair, AHostThatIsNoNotificationPointSendsNoCnp) {
  parameters.cnp.notify = false;
  build();
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kData) packet.ecn = Ecn::kCe;
    return true;
  };
  post(100'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(count(PacketKind::kCnp), 0);
  EXPECT_EQ(nic[1]->counters().ce_received, 100u);
}

TEST_F(NotifiedPair, AHostThatIsNoReactionPointCountsCnpsAsRefused) {
  parameters.cnp.react = false;
  build();
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kData) packet.ecn = Ecn::kCe;
    return true;
  };
  post(100'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_GT(count(PacketKind::kCnp), 0);
  EXPECT_EQ(nic[0]->counters().cnps_received, 0u);
  EXPECT_EQ(nic[0]->counters().cnps_refused, static_cast<std::uint64_t>(count(PacketKind::kCnp)));
}

TEST_F(NotifiedPair, AGapAloneCausesNoCnp) {
  build();
  on_wire = [&](Packet& packet) {
    return packet.kind != PacketKind::kData || packet.psn != 4 || count(PacketKind::kNak) > 0;
  };
  post(50'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(count(PacketKind::kNak), 1);
  EXPECT_EQ(count(PacketKind::kCnp), 0);
}

TEST_F(NotifiedPair, ACnpGoesWithTheNakOfAGap) {
  parameters.cnp.with_nak = true;
  build();
  on_wire = [&](Packet& packet) {
    return packet.kind != PacketKind::kData || packet.psn != 4 || count(PacketKind::kNak) > 0;
  };
  post(50'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_EQ(count(PacketKind::kNak), 1);
  EXPECT_EQ(count(PacketKind::kCnp), 1);
}

TEST_F(NotifiedPair, ACnpComesLaterByItsDelay) {
  parameters.cnp.delay = kMicroSecond * 7;
  build();
  PicoSeconds marked{}, notified{};
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kData && packet.psn == 0) {
      packet.ecn = Ecn::kCe;
      marked = scheduler.now();
    }
    if (packet.kind == PacketKind::kCnp) notified = scheduler.now();
    return true;
  };
  post(1'000);
  scheduler.run_until(kMilliSecond);
  EXPECT_GE(notified - marked, kMicroSecond * 7);
  EXPECT_LT(notified - marked, kMicroSecond * 9);  // the bound includes the link's delay
}

// Two queue pairs receive marked packets only, from one sender or from two. Without a shared
// limiter each queue pair sends a CNP in every interval.
class SharedCnpLimit : public NotifiedPair {
 protected:
  using Scope = CnpParameters::Scope;
  Result delivered(Qpn, const Packet&) override { return Result::kAccepted; }
  void work_done(Qpn, const WorkItem&, Status) override {}

  /// Runs the two flows and returns the number of CNPs.
  int cnps(Scope scope, bool two_senders) {
    seen.clear();
    parameters.cnp.scope = scope;
    parameters.cnp.interval = kMicroSecond * 10;
    build();
    add_second(two_senders);
    on_wire = [&](Packet& packet) {
      if (packet.kind != PacketKind::kData) return true;
      packet.ecn = Ecn::kCe;
      if (two_senders && packet.destination_qpn == 6) packet.source = 7;
      return true;
    };
    post_both();
    // a time below the retransmission timeout
    scheduler.run_until(scheduler.now() + kMicroSecond * 200);
    return count(PacketKind::kCnp);
  }
  /// Adds the queue pairs 4 and 6. With `two_senders` their packets seem to come from another host.
  void add_second(bool two_senders) {
    for (int at = 0; at < 2; ++at) {
      QueuePairConfig config;
      config.remote_host = at == 0 ? 1 : two_senders ? 7 : 0;
      config.remote_qpn = at == 0 ? 6 : 4;
      config.flow = static_cast<FlowNumber>(at);
      nic[at]->create_queue_pair(at == 0 ? 4 : 6, config);
      nic[at]->connect_queue_pair(at == 0 ? 4 : 6);
    }
  }
  void post_both() {
    for (const Qpn qpn : {3, 4}) {
      WorkItem item;
      item.bytes = 400'000;
      nic[0]->transmitter().post(qpn, item);
    }
  }
};

TEST_F(SharedCnpLimit, HoldsForAQueuePairASenderOrThePort) {
  const int each = cnps(Scope::kQueuePair, true);
  EXPECT_GT(each, 12);  // 800 KB take 65 us at 100 Gb/s, which are 7 intervals of two queue pairs
  const int half = (each + 1) / 2;
  EXPECT_EQ(cnps(Scope::kQueuePair, false), each);
  EXPECT_EQ(cnps(Scope::kAddress, true), each);
  EXPECT_NEAR(cnps(Scope::kAddress, false), half, 1);
  EXPECT_NEAR(cnps(Scope::kPort, false), half, 1);
  EXPECT_NEAR(cnps(Scope::kPort, true), half, 1);
}

/// An algorithm that limits a flow to a tenth of the line rate at each CNP.
class LimitsWhatIsNamed final : public Algorithm {
 public:
  explicit LimitsWhatIsNamed(AlgorithmHost& host) : host_(host) {}
  AlgorithmNeeds needs() const override {
    AlgorithmNeeds needs;
    needs.cnp = true;
    return needs;
  }
  void on_flow_start(FlowNumber, const FlowStart&) override {}
  void on_cnp(FlowNumber flow, const CnpInfo&) override {
    host_.set_rate(flow, Rate::from(10_Gbps));
  }
  View view(FlowNumber) const override { return {}; }
  AlgorithmCounters counters() const override { return {}; }

 private:
  AlgorithmHost& host_;
};

// Of two flows of one sender the switch marks only the packets of the second flow.
TEST_F(SharedCnpLimit, ACnpLimitsTheFlowThatItNamesAndNoOther) {
  build();
  LimitsWhatIsNamed algorithm(nic[0]->transmitter());
  nic[0]->set_algorithm(&algorithm);
  add_second(false);
  Bytes sent[2] = {0, 0};
  on_wire = [&](Packet& packet) {
    if (packet.kind != PacketKind::kData) return true;
    const bool second = packet.destination_qpn == 6;
    if (second) packet.ecn = Ecn::kCe;
    sent[second ? 1 : 0] += packet.payload_bytes;
    return true;
  };
  post_both();
  scheduler.run_until(scheduler.now() + kMicroSecond * 30);
  // The first flow gets the link except the second flow's tenth. In 30 us 100 Gb/s carry 375 KB.
  EXPECT_GT(sent[0], 260'000);
  EXPECT_LT(sent[1], 60'000);
}

// The CNP that the receiver sends at a loss reports the packets since the last CNP, and the next
// CNP does not count them again.
TEST_F(NotifiedPair, ACnpOfALossReportsAndResetsItsCounts) {
  parameters.cnp.with_nak = true;
  parameters.cnp.carry_marks = true;
  build();
  std::vector<std::pair<int, int>> cnps;  // (marks, packets) of each CNP
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kCnp) cnps.emplace_back(packet.cnp_marks, packet.cnp_packets);
    if (packet.kind != PacketKind::kData) return true;
    if (packet.psn == 30) packet.ecn = Ecn::kCe;
    return packet.psn != 4 || count(PacketKind::kNak) > 0;
  };
  post(50'000);
  scheduler.run_until(kMilliSecond);
  ASSERT_EQ(cnps.size(), 2u);
  // packets 0 to 3 and the out-of-order packet 5 have arrived
  EXPECT_EQ(cnps[0], (std::pair{1, 5}));
  EXPECT_EQ(cnps[1].first, 1);
  // CNP 1 reports packets 4 to 30. Go-back-N has sent some of them twice.
  EXPECT_GE(cnps[1].second, 26);
  EXPECT_LT(cnps[1].second, 26 + 50);
}

TEST_F(NotifiedPair, AReceiverRestsOnceItsDelayedCnpIsSent) {
  parameters.cnp.delay = kMicroSecond * 50;
  build();
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kData) packet.ecn = Ecn::kCe;
    return true;
  };
  post(1'000);
  scheduler.run_until(kMicroSecond * 20);
  EXPECT_FALSE(nic[1]->receiver().is_quiescent(5));
  scheduler.run_until(kMicroSecond * 80);
  EXPECT_TRUE(nic[1]->receiver().is_quiescent(5));
}

}  // namespace
}  // namespace dcc
