// Tests a NIC with a parser block: the algorithm gets the parser's reports.
#include <gtest/gtest.h>

#include <vector>

#include "nic/nic_device.h"
#include "unit/nic/nic_pair_test.h"

namespace dcc {
namespace {

class ParserPair : public test::PairTest {};

/// An algorithm that records the calls of the NIC.
class Recorder final : public Algorithm {
 public:
  std::vector<CnpInfo> cnps;
  std::vector<SentInfo> sent;

  AlgorithmNeeds needs() const override {
    AlgorithmNeeds needs;
    needs.cnp = needs.on_sent = true;
    return needs;
  }
  void on_flow_start(FlowNumber, const FlowStart&) override {}
  void on_sent(FlowNumber flow, const SentInfo& info) override {
    EXPECT_EQ(flow, 3u);
    sent.push_back(info);
  }
  void on_cnp(FlowNumber flow, const CnpInfo& info) override {
    EXPECT_EQ(flow, 3u);
    cnps.push_back(info);
  }
  View view(FlowNumber) const override { return {}; }
  AlgorithmCounters counters() const override { return {}; }
};

/// A fake parser with prepared results: the first CNPs are refused, belong to an unbound queue
/// pair, or to an unknown flow.
class Spoilt final : public ParserEngine {
 public:
  std::vector<Qpn> begun, ended;
  std::vector<unsigned> classes;  // DSCP of each context, in the order of begin()
  std::vector<SentPacket> packets;
  unsigned cnps = 0;

  void begin(Qpn qpn, const ParserContext& context) override {
    EXPECT_EQ(context.peer, 5u);
    begun.push_back(qpn);
    classes.push_back(context.dscp);
  }
  void end(Qpn qpn) override { ended.push_back(qpn); }
  ParsedCnp cnp(const Packet& cnp, PicoSeconds) override {
    ParsedCnp told;
    told.flow = cnp.destination_qpn;
    told.dscp = 21;
    told.marks = 9;
    told.packets = 11;
    told.outcome = ParsedCnp::Outcome::kCnp;
    ++cnps;
    if (cnps == 1) told.outcome = ParsedCnp::Outcome::kRefused;
    if (cnps == 2) told.outcome = ParsedCnp::Outcome::kUnbound;
    if (cnps == 3) told.flow = 1000;
    return told;
  }
  ByteNotice sent(const SentPacket& packet) override {
    packets.push_back(packet);
    if (packets.size() == 1) return {};
    if (packets.size() == 2) return {true, 1000, 21, 5};
    return {true, packet.qpn, 21, packet.length + packet.overhead + 7};
  }
};

TEST_F(ParserPair, WhatTheBlockSaysIsWhatTheAlgorithmGets) {
  parameters.cnp.interval = kMicroSecond;
  Recorder recorder;
  Spoilt parser;
  join(*this);
  nic[0]->set_algorithm(&recorder);
  nic[1]->receiver().enable_cnps(true);
  nic[0]->transmitter().set_parser(&parser);
  nic[0]->transmitter().set_completion_sink(this);
  nic[1]->receiver().set_delivery_sink(this);
  create_queue_pairs();
  nic[0]->connect_queue_pair(3);
  nic[1]->connect_queue_pair(5);
  std::vector<std::uint32_t> lengths;
  std::uint64_t cnps = 0;
  on_wire = [&](Packet& packet) {
    if (packet.kind == PacketKind::kData) {
      lengths.push_back(packet.wire_bytes);
      packet.ecn = Ecn::kCe;
    }
    cnps += packet.kind == PacketKind::kCnp;
    return true;
  };
  post(100'000);
  scheduler.run_until(kMilliSecond);

  ASSERT_GT(cnps, 5u);
  EXPECT_EQ(parser.cnps, cnps);
  ASSERT_EQ(recorder.cnps.size(), cnps - 3);
  for (const CnpInfo& info : recorder.cnps) {
    EXPECT_EQ(info.marks, 9);
    EXPECT_EQ(info.packets, 11);
    EXPECT_EQ(info.dscp, std::uint8_t{21});
  }
  const NicCounters& counters = nic[0]->counters();
  EXPECT_EQ(counters.cnps_refused, 1u);
  EXPECT_EQ(counters.unknown_qp, 2u);
  EXPECT_EQ(counters.cnps_ignored, 2u);
  EXPECT_EQ(counters.cnps_received, cnps - 1);

  // The algorithm gets no reports of packets of unbound queue pairs and of unknown flows.
  ASSERT_EQ(parser.packets.size(), 100u);
  ASSERT_EQ(recorder.sent.size(), 98u);
  ASSERT_EQ(lengths.size(), 100u);
  for (std::size_t i = 0; i < parser.packets.size(); ++i) {
    EXPECT_EQ(parser.packets[i].qpn, 3u);
    EXPECT_EQ(parser.packets[i].length, lengths[i]);
    EXPECT_EQ(parser.packets[i].overhead, parameters.link_overhead);
    if (i < 2) continue;
    const SentInfo& info = recorder.sent[i - 2];
    EXPECT_EQ(info.wire_bytes, lengths[i] + parameters.link_overhead + 7);
    EXPECT_EQ(info.dscp, std::uint8_t{21});
    EXPECT_EQ(info.payload_bytes, 1000u);
  }

  EXPECT_TRUE(nic[0]->change_class(3, 46));
  nic[0]->destroy_queue_pair(3);
  EXPECT_FALSE(nic[0]->change_class(3, 47));
  EXPECT_EQ(parser.begun, (std::vector<Qpn>{3, 3}));
  EXPECT_EQ(parser.classes, (std::vector<unsigned>{0, 46}));
  EXPECT_EQ(parser.ended, std::vector<Qpn>{3});
}

}  // namespace
}  // namespace dcc
