// Tests parser, byte notifications and notification point with memories that lose bits. One lost
// bit of 64 changes nothing. Two lost bits cost one flow what rtl/packet/doc/contract.md specifies.
#include <Vnotifier_secded.h>
#include <Vnotifier_secded___024root.h>
#include <Vparser_secded.h>
#include <Vparser_secded___024root.h>
#include <Vsent_secded.h>
#include <Vsent_secded___024root.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "block_pins.h"
#include "lost_bits.h"
#include "wire/roce_headers.h"

namespace dcc {
namespace {

constexpr std::uint32_t kFlows = 16, kBase = 0x100;  // kFlows as in rtl/packet/CMakeLists.txt
constexpr std::uint32_t kUnbound = 9;                // reason "unbound" of dc_parser_pkg
using Report = std::uint32_t;
Report report_of(unsigned number, std::uint32_t word, std::uint32_t how) {
  return word << 7 | number << 2 | how;
}
std::uint32_t dscp_of(std::uint32_t flow) { return flow * 3 % 64; }

template <class Top>
void after_reset(BlockPins<Top>& block) {
  block.reset();
  for (block.settle(); !block->init_done_o; block.settle()) block.edge();
}
/// Writes the flow's context.
template <class Top>
void bind_in(BlockPins<Top>& block, std::uint32_t flow) {
  block->context_we_i = block->context_bound_i = 1;
  block->context_flow_i = static_cast<std::uint8_t>(flow);
  block->context_dscp_i = static_cast<std::uint8_t>(dscp_of(flow));
  block.settle();
  block.edge();
  block->context_we_i = 0;
}

class ParserSecded : public testing::Test {
 protected:
  ParserSecded() {
    block_->context_we_i = block_->s_tvalid_i = 0;
    block_->qpn_base_i = kBase;
    block_->counting_i = block_->cnp_ready_i = block_->data_ready_i = 1;
    after_reset(block_);
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) bind(flow);
  }
  void bind(std::uint32_t flow) {
    block_->context_peer_i = 0xA000 + flow;
    bind_in(block_, flow);
  }
  /// Sends a CNP for the flow to the parser. The block's outputs then hold the outcome, and
  /// `report` the error report.
  void cnp(std::uint32_t flow, bool wait) {
    roce::Headers h;
    h.opcode = roce::Opcode::kCnp;
    h.becn = true;
    h.destination_qpn = kBase + flow;
    h.cnp_marks = 3;
    h.cnp_packets = 7;
    const std::vector<std::uint8_t> frame = roce::serialize(h, nullptr, 0);
    for (std::size_t at = 0; at < frame.size(); at += 64) {
      const std::size_t bytes = std::min<std::size_t>(64, frame.size() - at);
      for (unsigned i = 0; i < 16; ++i) block_->s_tdata_i[i] = 0;
      for (std::size_t i = 0; i < bytes; ++i)
        block_->s_tdata_i[i / 4] |= std::uint32_t{frame[at + i]} << 8 * (i % 4);
      block_->s_tkeep_i = bytes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1;
      block_->s_tlast_i = at + bytes == frame.size();
      block_->s_tvalid_i = 1;
      block_.settle();
      ASSERT_TRUE(block_->s_tready_o);
      block_.edge();
    }
    block_->s_tvalid_i = 0;
    block_->cnp_ready_i = !wait;
    block_.settle();
    block_.edge();
    block_.settle();
    if (wait) {
      for (int i = 0; i < 3; ++i) {
        block_.edge();
        block_.settle();
        ASSERT_EQ(block_->report_o, 0u) << "a report before the outcome is taken";
      }
      block_->cnp_ready_i = 1;
      block_.settle();
    }
    valid_ = block_->cnp_valid_o;
    refused_ = block_->refused_o;
    if (valid_) {
      ASSERT_EQ(block_->flow_o, flow);
      ASSERT_EQ(block_->dscp_o, dscp_of(flow));
      ASSERT_EQ(block_->peer_o, 0xA000 + flow);
    }
    if (refused_) {
      ASSERT_EQ(block_->reason_o, kUnbound);
    }
    block_.edge();
    block_.settle();
    report_ = block_->report_o;
    ASSERT_FALSE(block_->cnp_valid_o || block_->refused_o);
  }
  void flip(std::uint32_t flow, unsigned bit) {
    turn(block_->rootp->dc_parser__DOT__u_contexts__DOT__u_ram__DOT__u_array__DOT__mem[flow], bit);
  }

  BlockPins<Vparser_secded> block_{1};
  bool valid_ = false, refused_ = false;
  Report report_ = 0;
};

constexpr unsigned kContextBits = 31 + 7;

TEST_F(ParserSecded, OneLostBitChangesNothing) {
  for (unsigned bit = 0; bit < kContextBits; ++bit) {
    const std::uint32_t flow = bit % kFlows;
    flip(flow, bit);
    for (std::uint32_t i = 0; i < kFlows; ++i) {
      cnp(i, bit % 2 == 0);
      ASSERT_TRUE(valid_) << bit << ", flow " << i;
      ASSERT_EQ(report_, i == flow ? report_of(0, flow, kCorrected) : 0u);
    }
    bind(flow);
    cnp(flow, false);
    ASSERT_EQ(report_, 0u);
  }
}

TEST_F(ParserSecded, TwoLostBitsUnbindTheFlowUntilItIsWritten) {
  for (unsigned bit = 1; bit < kContextBits; ++bit) {
    const std::uint32_t flow = bit * 7 % kFlows;
    flip(flow, bit);
    flip(flow, bit * 5 % bit);
    for (std::uint32_t i = 0; i < kFlows; ++i) {
      cnp(i, false);
      ASSERT_EQ(valid_, i != flow) << bit;
      ASSERT_EQ(refused_, i == flow) << bit;
      ASSERT_EQ(report_, i == flow ? report_of(0, flow, kWrong) : 0u);
    }
    bind(flow);
    cnp(flow, false);
    ASSERT_TRUE(valid_);
  }
}

class SentSecded : public testing::Test {
 protected:
  SentSecded() {
    block_->context_we_i = block_->sent_valid_i = 0;
    block_->qpn_base_i = kBase;
    block_->overhead_i = 20;
    after_reset(block_);
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) bind(flow);
  }
  void bind(std::uint32_t flow) { bind_in(block_, flow); }
  /// Sends a packet of the flow. Returns true if a byte notification follows, which waits at the
  /// output for some cycles.
  bool packet(std::uint32_t flow) {
    block_->sent_valid_i = 1;
    block_->bytes_ready_i = 0;
    block_->sent_pair_i = kBase + flow;
    block_->sent_length_i = 1000 + flow;
    block_.settle();
    block_.edge();
    block_->sent_valid_i = 0;
    block_.settle();
    const bool told = block_->bytes_valid_o;
    EXPECT_NE(told, static_cast<bool>(block_->unbound_o));
    if (told) {
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(block_->bytes_flow_o, flow);
        EXPECT_EQ(block_->bytes_dscp_o, dscp_of(flow));
        EXPECT_EQ(block_->bytes_length_o, 1020 + flow);
        EXPECT_EQ(block_->report_o, 0u);
        block_.edge();
        block_.settle();
      }
      block_->bytes_ready_i = 1;
      block_.settle();
    }
    block_.edge();
    block_.settle();
    report_ = block_->report_o;
    return told;
  }
  void flip(std::uint32_t flow, unsigned bit) {
    turn(block_->rootp->dc_sent__DOT__u_contexts__DOT__u_ram__DOT__u_array__DOT__mem[flow], bit);
  }

  BlockPins<Vsent_secded> block_{1};
  Report report_ = 0;
};

TEST_F(SentSecded, LostBits) {
  constexpr unsigned kBits = 7 + 5;
  for (unsigned bit = 0; bit < kBits; ++bit) {
    const std::uint32_t flow = bit % kFlows;
    flip(flow, bit);
    for (std::uint32_t i = 0; i < kFlows; ++i) {
      ASSERT_TRUE(packet(i)) << bit;
      ASSERT_EQ(report_, i == flow ? report_of(4, flow, kCorrected) : 0u);
    }
    flip(flow, (bit + 3) % kBits);
    for (std::uint32_t i = 0; i < kFlows; ++i) {
      ASSERT_EQ(packet(i), i != flow) << bit;
      ASSERT_EQ(report_, i == flow ? report_of(4, flow, kWrong) : 0u);
    }
    bind(flow);
    ASSERT_TRUE(packet(flow));
    ASSERT_EQ(report_, 0u);
  }
}

/// The contents of a CNP that the notification point sent.
struct Cnp {
  std::uint32_t peer = 0, marks = 0, packets = 0;
  bool operator==(const Cnp& o) const {
    return peer == o.peer && marks == o.marks && packets == o.packets;
  }
};

/// Runs a notification point with the same 3000 packets each time, one in every second cycle.
class NotifierRun {
 public:
  NotifierRun() {
    auto& pins = block_;
    pins->packet_valid_i = pins->begin_valid_i = pins->interval_we_i = 0;
    pins->carry_i = 1;
    pins->dscp_i = 46;
    pins->priority_i = 5;
    pins->own_mac_i = 0x030201000002;
    pins->own_ip_i = 0x0302010A;
    pins->now_i = 0;
    pins->m_tready_i = 1;
    after_reset(block_);
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) interval(flow);
  }
  void interval(std::uint32_t flow) {
    block_->interval_we_i = 1;
    block_->interval_flow_i = static_cast<std::uint8_t>(flow);
    block_->interval_i = interval_of(flow);
    cycle();
    block_->interval_we_i = 0;
  }
  static std::uint32_t interval_of(std::uint32_t flow) { return flow % 4 * 20; }
  void packets(std::uint32_t number) {
    while (number-- > 0) {
      const std::uint32_t k = packet_++;
      const std::uint32_t flow = k * 5 % kFlows;
      block_->packet_valid_i = 1;
      block_->packet_flow_i = static_cast<std::uint8_t>(flow);
      block_->packet_marked_i = k / kFlows % 3 != 0;
      block_->packet_mac_i = 0x060504030200 + flow;
      block_->packet_ip_i = 0x0100000A + (flow << 16);
      block_->packet_peer_i = flow;
      for (bool taken = false; !taken;) {
        block_.settle();
        taken = block_->packet_ready_o;
        cycle();
      }
      block_->packet_valid_i = 0;
      cycle();
    }
  }
  void cycle() {
    block_->now_i = ++now_;
    block_.settle();
    if (block_->report_o != 0) reports.push_back(block_->report_o);
    EXPECT_EQ(block_->error_o, block_->report_o & kWrong);
    if (block_->m_tvalid_o && block_->m_tready_i) beat();
    block_.edge();
  }
  void ready(bool level) { block_->m_tready_i = level; }
  Vnotifier_secded& top() { return *block_.operator->(); }

  std::array<std::vector<Cnp>, kFlows> cnps;
  std::vector<Report> reports;
  unsigned refused = 0;  // number of CNP frames that the parser refused

 private:
  void beat() {
    for (std::size_t i = 0; i < 64 && (block_->m_tkeep_o >> i & 1) != 0; ++i)
      frame_.push_back(static_cast<std::uint8_t>(block_->m_tdata_o[i / 4] >> (8 * (i % 4))));
    if (!block_->m_tlast_o) return;
    ASSERT_EQ(frame_.size(), 74u);
    const roce::Parsed parsed = roce::parse(frame_.data(), frame_.size());
    frame_.clear();
    if (parsed.error != roce::ParseError::kNone) {
      ++refused;
      return;
    }
    const auto& h = parsed.headers;
    ASSERT_LT(h.destination_qpn, kFlows);
    ASSERT_EQ(h.destination_ip >> 24, 10u) << "the addresses of a CNP do not belong together";
    cnps[h.destination_qpn].push_back({h.destination_qpn, h.cnp_marks, h.cnp_packets});
  }

  BlockPins<Vnotifier_secded> block_{1};
  std::uint64_t now_ = 0;
  std::uint32_t packet_ = 0;
  std::vector<std::uint8_t> frame_;
};

constexpr std::uint32_t kFirst = 1000, kPackets = 2000;

const std::array<std::vector<Cnp>, kFlows>& cnps_without_faults() {
  static const auto kCnps = [] {
    NotifierRun run;
    run.packets(kPackets);
    for (int i = 0; i < 100; ++i) run.cycle();
    EXPECT_TRUE(run.reports.empty());
    return run.cnps;
  }();
  return kCnps;
}

#define DCC_NOTIFIER(name, number, data, words, place) \
  DCC_LOST_BITS(Vnotifier_secded, name, number, data, words, dc_notifier__DOT__##place)
class NotifierSecded : public testing::TestWithParam<LostBits<Vnotifier_secded>> {
 protected:
  void SetUp() override { cnps_without_faults(); }
};

TEST_P(NotifierSecded, OneLostBitChangesNothing) {
  const auto& one = GetParam();
  for (unsigned bit = 0; bit < one.bits(); bit += 5) {
    NotifierRun run;
    for (const bool waits : {false, true}) {
      run.packets(kFirst / 2 - 2 * waits);
      if (waits) {  // the fault hits the queue while CNPs wait in it
        run.ready(false);
        run.packets(4);
      }
      for (std::size_t word = 0; word < one.words; ++word) one.flip(run.top(), word, bit);
      for (int i = 0; waits && i < 3; ++i) run.cycle();
      run.ready(true);
    }
    run.packets(kPackets - kFirst - 2);
    for (int i = 0; i < 100; ++i) run.cycle();
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
      // The wait shifts the times of CNPs. Flows without an interval send the same CNPs
      // nevertheless.
      if (NotifierRun::interval_of(flow) == 0) {
        ASSERT_EQ(run.cnps[flow], cnps_without_faults()[flow]) << bit << ", flow " << flow;
      }
    }
    ASSERT_EQ(run.refused, 0u);
    ASSERT_FALSE(run.reports.empty()) << bit;
    for (const Report report : run.reports)
      ASSERT_EQ(report & 0x7F, report_of(one.number, 0, kCorrected));
  }
}

TEST_P(NotifierSecded, TwoLostBitsCostOneFlow) {
  const auto& one = GetParam();
  const std::string name = one.name;
  for (const std::uint32_t flow : {0u, 3u, 6u, 13u}) {
    NotifierRun run;
    run.packets(kFirst);
    if (name == "cnps") {
      run.ready(false);
      run.packets(8);
      // The CNP at the head of the queue was already offered and leaves with a wrong destination.
      // The CNP behind it does not leave.
      for (std::size_t word = 0; word < one.words; ++word) {
        one.flip(run.top(), word, 2 + static_cast<unsigned>(flow));
        one.flip(run.top(), word, 31);
      }
      for (int i = 0; i < 3; ++i) run.cycle();
      run.ready(true);
      for (int i = 0; i < 60; ++i) run.cycle();
      const std::size_t wrong = run.reports.size();
      EXPECT_GT(wrong, 2u);
      EXPECT_EQ(run.refused, 1u);
      std::size_t before = 0, want = 0;
      for (std::uint32_t i = 0; i < kFlows; ++i) before += run.cnps[i].size();
      run.packets(kPackets - kFirst - 8);
      for (int i = 0; i < 100; ++i) run.cycle();
      // Each word was lost once. Every later CNP of the flows without an interval leaves.
      std::size_t got = 0;
      for (std::uint32_t i = 0; i < kFlows; i += 4) {
        got += run.cnps[i].size();
        want += cnps_without_faults()[i].size();
      }
      EXPECT_GT(before, 0u);
      EXPECT_LT(got, want);
      EXPECT_GE(got + 8, want);
      EXPECT_EQ(run.refused, 1u);
      continue;
    }
    one.flip(run.top(), flow, 1);
    one.flip(run.top(), flow, 8);
    run.packets(kFlows * 4);
    ASSERT_FALSE(run.reports.empty());
    for (const Report report : run.reports) ASSERT_EQ(report, report_of(one.number, flow, kWrong));
    // The packet that reads a lost state overwrites it. A lost interval stays wrong until software
    // writes it.
    if (name == "states") {
      EXPECT_EQ(run.reports.size(), 1u);
    } else {
      EXPECT_GE(run.reports.size(), 3u);  // the fourth packet may still be in flight
    }
    run.cycle();
    run.interval(flow);
    run.reports.clear();
    run.packets(kPackets - kFirst - kFlows * 4);
    for (int i = 0; i < 100; ++i) run.cycle();
    EXPECT_TRUE(run.reports.empty());
    EXPECT_EQ(run.refused, 0u);
    for (std::uint32_t i = 0; i < kFlows; ++i) {
      if (i != flow) {
        ASSERT_EQ(run.cnps[i], cnps_without_faults()[i]) << i;
      }
    }
    // The flow continues to send CNPs.
    EXPECT_GE(run.cnps[flow].size() + (name == "states" ? 2 : 40),
              cnps_without_faults()[flow].size());
    EXPECT_NE(run.cnps[flow].size(), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, NotifierSecded,
                         testing::Values(DCC_NOTIFIER("states", 1, 73, kFlows, u_states),
                                         DCC_NOTIFIER("intervals", 2, 32, kFlows, u_intervals),
                                         DCC_NOTIFIER("cnps", 3, 124, 16, u_fifo__DOT__u_ram)),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace dcc
