// Compares a pacer whose memories lose bits with the same pacer without lost bits. One lost bit of
// 64 changes no decision. Two lost bits cost one flow what rtl/pacer/doc/contract.md specifies, and
// cost other flows nothing.
#include <Vpacer_secded.h>
#include <Vpacer_secded___024root.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "block_pins.h"
#include "lost_bits.h"

namespace dcc {
namespace {

using Top = Vpacer_secded;
// size of the pacer, as in rtl/pacer/CMakeLists.txt
constexpr std::uint32_t kFlows = 16, kRows = 4, kDepth = 4;
constexpr std::uint32_t kScale = 2048 * 250, kSlack = 60, kLineRate = 25'600'000;
constexpr std::uint64_t kLine = 50;  // bytes per cycle on the link
constexpr std::uint32_t kLargest = 1538, kShortest = 250;
constexpr std::uint64_t kCycles = 9000, kHit = 3000;
// No packet is posted for some time before kHit, so that the pacer reads a pointer's word after the
// fault before it writes the word.
constexpr std::uint64_t kQuiet = 1000, kPosted = kHit + 5;
// Maximum shift in cycles of a packet of another flow: two decisions, and the wake-ups of a row.
constexpr std::int64_t kNear = 200;

#define DCC_PACER(name, number, data, words, place) \
  DCC_LOST_BITS(Top, name, number, data, words, dc_pacer__DOT__##place)
#define DCC_RING(name, number, data, words, place) \
  DCC_LOST_BITS(Top, name, number, data, words, dc_pacer__DOT__u_queues__DOT__##place)
const std::vector<LostBits<Top>>& memories() {
  static const std::vector<LostBits<Top>> kMemories = {
      DCC_PACER("rows", 5, 320, kRows, u_rows),
      DCC_PACER("rows_of_the_sweep", 6, 320, kRows, u_rows_scan),
      DCC_PACER("times", 7, 160, kFlows, u_exact),
      DCC_PACER("rates", 8, 63, kFlows, u_gaps),
      DCC_RING("post_begin", 9, 3, kFlows, u_post_begin),
      DCC_RING("post_end", 10, 3, kFlows, u_post_end),
      DCC_RING("read_begin", 11, 3, kFlows, u_read_begin),
      DCC_RING("read_end", 12, 3, kFlows, u_read_end),
      DCC_RING("lengths", 13, 14, kFlows * kDepth, u_lengths),
  };
  return kMemories;
}

struct Sent {
  std::uint64_t cycle = 0;
  std::uint32_t bytes = 0;
  bool operator==(const Sent& other) const { return cycle == other.cycle && bytes == other.bytes; }
};
using Decisions = std::array<std::vector<Sent>, kFlows>;

/// Length in bytes of packet k of a flow.
std::uint32_t length_of(std::uint32_t flow, std::size_t k) {
  return kShortest +
         static_cast<std::uint32_t>((flow * 7919 + k * 104'729) % (kLargest - kShortest));
}
/// Rates from a fiftieth to a quarter of the link rate, with a sum of 0.8 of the link rate.
std::uint32_t rate_of(std::uint32_t flow) {
  return flow == 0 ? kLineRate / 4 : kLineRate / 50 * (1 + flow % 4) / 2 * 7 / 10;
}

/// Runs a pacer whose flows always have packets: even flows one packet, odd flows four packets.
class PacerRun {
 public:
  explicit PacerRun(unsigned number) : number_(number), block_(1) {
    auto& pins = block_;
    pins->scale_i = kScale;
    pins->slack_i = kSlack;
    pins->post_valid_i = pins->rate_valid_i = pins->want_i = pins->paused_i = 0;
    block_.reset();
    for (block_.settle(); !pins->init_done_o; block_.settle()) block_.edge();
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) rate(flow, rate_of(flow));
  }
  void rate(std::uint32_t flow, std::uint32_t value) {
    auto& pins = block_;
    pins->rate_valid_i = 1;
    pins->rate_flow_i = static_cast<std::uint8_t>(flow);
    pins->rate_i = value;
    pins->rate_priority_i = 3;
    for (bool taken = false; !taken;) {
      block_.settle();
      taken = pins->rate_ready_o;
      cycle();
    }
    pins->rate_valid_i = 0;
  }
  void until(std::uint64_t end) {
    while (now_ < end) cycle();
  }
  void cycle() {
    auto& pins = block_;
    // Values that count nothing while post_valid_i is 0.
    pins->post_valid_i = 0;
    pins->post_flow_i = static_cast<std::uint8_t>(now_ * 7 % kFlows);
    pins->post_bytes_i = static_cast<std::uint16_t>(now_ * 77 % 16'384);
    const bool quiet = now_ >= kHit - kQuiet && now_ < kPosted;
    for (std::uint32_t tried = 0; tried < kFlows && !quiet; ++tried) {
      next_ = (next_ + 1) % kFlows;
      if (posted_[next_] - sent[next_].size() >= (next_ % 2 == 0 ? 1 : kDepth)) continue;
      pins->post_valid_i = 1;
      pins->post_flow_i = static_cast<std::uint8_t>(next_);
      pins->post_bytes_i = static_cast<std::uint16_t>(length_of(next_, posted_[next_]));
      break;
    }
    pins->want_i = (flight_ & 3u) == 0 && free_ <= kLine * (now_ + 3);
    block_.settle();
    reports.take(pins->report_o, number_);
    EXPECT_FALSE(pins->post_refused_o) << now_;
    if (pins->sent_valid_o) {
      sent[pins->sent_flow_o].push_back({now_, pins->sent_bytes_o});
      free_ = std::max(free_, kLine * now_) + pins->sent_bytes_o;
    }
    if (pins->post_valid_i && pins->post_ready_o) ++posted_[next_];
    flight_ = (flight_ << 1 | pins->want_i) & 3u;
    block_.edge();
    ++now_;
  }
  Top& top() { return *block_.operator->(); }

  Decisions sent;
  Reports reports;

 private:
  unsigned number_;
  BlockPins<Top> block_;
  std::array<std::size_t, kFlows> posted_{};
  // free_: time from which the link is free, in bytes of link capacity
  std::uint64_t now_ = 0, free_ = 0;
  std::uint32_t next_ = 0;
  unsigned flight_ = 0;
};

const Decisions& without_faults() {
  static const Decisions kSent = [] {
    PacerRun run(0);
    run.until(kCycles);
    EXPECT_EQ(run.reports.wrong + run.reports.corrected, 0u);
    return run.sent;
  }();
  return kSent;
}

class PacerSecded : public testing::TestWithParam<LostBits<Top>> {
 protected:
  // Runs the fault-free block first: Verilator requires that no other block is alive when a block
  // is destroyed.
  void SetUp() override { without_faults(); }
};

TEST_P(PacerSecded, OneLostBitChangesNothing) {
  const LostBits<Top>& one = GetParam();
  std::uint64_t corrected = 0;
  for (unsigned bit = 0; bit<one.bits(); bit += one.bits()> 64 ? 83 : 9) {
    SCOPED_TRACE("bit " + std::to_string(bit));
    PacerRun run(one.number);
    for (const std::uint64_t at : {std::uint64_t{1500}, kHit, kHit + 1500}) {
      run.until(at);
      for (std::size_t word = 0; word < one.words; ++word) one.flip(run.top(), word, bit);
    }
    run.until(kCycles);
    for (std::uint32_t flow = 0; flow < kFlows; ++flow)
      ASSERT_EQ(run.sent[flow], without_faults()[flow]) << "flow " << flow;
    EXPECT_EQ(run.reports.wrong, 0u);
    EXPECT_EQ(run.reports.other, 0u);
    EXPECT_GT(run.reports.corrected, 0u);
    corrected += run.reports.corrected;
  }
  EXPECT_GT(corrected, 10u);
}

/// Expects that every packet of the flow leaves in order with its length, at most `near` cycles
/// earlier or later than without a fault.
void expect_near(const PacerRun& run, std::uint32_t flow, std::int64_t near) {
  const std::vector<Sent>& want = without_faults()[flow];
  const std::vector<Sent>& got = run.sent[flow];
  for (std::size_t k = 0; k < std::min(got.size(), want.size()); ++k) {
    ASSERT_EQ(got[k].bytes, want[k].bytes) << "flow " << flow << ", packet " << k;
    const auto off =
        static_cast<std::int64_t>(got[k].cycle) - static_cast<std::int64_t>(want[k].cycle);
    ASSERT_LE(std::abs(off), near) << "flow " << flow << ", packet " << k;
  }
  // Packets that leave at the end of the run may be missing.
  const std::size_t more =
      got.size() < want.size() ? want.size() - got.size() : got.size() - want.size();
  EXPECT_LE(more,
            1u + static_cast<std::size_t>(near) * rate_of(flow) / kLineRate * kLine / kShortest)
      << flow;
}

/// Number of cycles that the longest packet takes at the flow's rate.
std::int64_t packet_time(std::uint32_t flow) {
  return static_cast<std::int64_t>(std::uint64_t{kLargest} * kScale / rate_of(flow));
}

TEST_P(PacerSecded, TwoLostBitsCostOneFlow) {
  const LostBits<Top>& one = GetParam();
  const std::string name = one.name;
  const bool by_row = name == "rows" || name == "rows_of_the_sweep";
  unsigned seen = 0;  // number of flows whose lost word was read before it was overwritten
  for (const std::uint32_t flow : {0u, 1u, 7u, 10u, 15u}) {
    SCOPED_TRACE("flow " + std::to_string(flow));
    PacerRun run(one.number);
    run.until(name == "post_begin" ? kHit : kHit + 300);
    const std::size_t word = by_row ? flow % kRows : name == "lengths" ? flow * kDepth : flow;
    // Flips significant bits: a time becomes wrong by millions of cycles, a rate or a length by
    // much.
    const unsigned low = by_row              ? 30
                         : name == "times"   ? 130
                         : name == "rates"   ? 50
                         : name == "lengths" ? 9
                                             : 0;
    const unsigned high = by_row ? 60 : low + 2;
    one.flip(run.top(), word, low);
    one.flip(run.top(), word, high);
    if (name == "lengths") {  // damages the length of every waiting packet
      for (unsigned k = 1; k < kDepth; ++k) {
        one.flip(run.top(), word + k, low);
        one.flip(run.top(), word + k, high);
      }
    }
    if (name == "rates") {
      run.until(kHit + 1000);
      run.rate(flow, rate_of(flow));  // software rewrites the rate after the error report
    }
    run.until(kCycles);
    EXPECT_EQ(run.reports.corrected, 0u);
    EXPECT_EQ(run.reports.other, 0u);
    if (run.reports.wrong > 0) {
      ++seen;
      EXPECT_EQ(run.reports.last >> 7 & ~(name == "lengths" ? kDepth - 1 : 0u), word);
    }
    for (std::uint32_t i = 0; i < kFlows; ++i) {
      if (i != flow) expect_near(run, i, kNear);
    }
    const std::vector<Sent>& got = run.sent[flow];
    if (name == "times") {
      expect_near(run, flow, kNear + packet_time(flow));
    } else if (name == "rates") {
      for (std::size_t k = 0; k < got.size(); ++k) ASSERT_EQ(got[k].bytes, length_of(flow, k));
      EXPECT_GE(got.size() + 2 + 1200 / static_cast<std::size_t>(packet_time(flow) / 4),
                without_faults()[flow].size());
    } else if (name == "lengths") {
      std::size_t lost = 0;
      for (std::size_t k = 0; k < got.size(); ++k) {
        if (got[k].bytes == 0) {
          ++lost;
        } else {
          ASSERT_EQ(got[k].bytes, length_of(flow, k)) << k;
        }
      }
      EXPECT_EQ(lost > 0, run.reports.wrong > 0);
      EXPECT_LE(lost, kDepth);
      EXPECT_GE(got.size(), without_faults()[flow].size());
    } else {
      expect_near(run, flow, kNear);
    }
  }
  EXPECT_GE(seen, 3u);
}

INSTANTIATE_TEST_SUITE_P(All, PacerSecded, testing::ValuesIn(memories()),
                         [](const auto& one) { return std::string(one.param.name); });

// Both copies of a row's word are lost. The flows of the row wake up, and each loses at most the
// time of one packet.
TEST(PacerSecdedRow, BothCopiesAreLost) {
  without_faults();
  for (std::size_t row = 0; row < kRows; ++row) {
    PacerRun run(5);
    run.until(kHit);
    for (const unsigned bit : {30u, 60u, 200u, 201u}) {
      memories()[0].flip(run.top(), row, bit);
      memories()[1].flip(run.top(), row, bit);
    }
    run.until(kCycles);
    EXPECT_GT(run.reports.wrong, 0u);
    for (std::uint32_t flow = 0; flow < kFlows; ++flow)
      expect_near(run, flow, kNear + (flow % kRows == row ? packet_time(flow) : 0));
  }
}

// Words of a ring beyond its end are lost: nothing reports them, and nothing changes. At kHit even
// flows have one waiting packet at most.
TEST(PacerSecdedLengths, WordsBeyondTheEndCountNothing) {
  without_faults();
  const LostBits<Top>& lengths = memories().back();
  PacerRun run(lengths.number);
  run.until(kHit);
  for (std::uint32_t flow = 0; flow < kFlows; flow += 2) {
    for (std::uint32_t place = 1; place < kDepth; ++place) {
      const std::size_t word = flow * kDepth + (run.sent[flow].size() + place) % kDepth;
      lengths.flip(run.top(), word, 9);
      lengths.flip(run.top(), word, 11);
    }
  }
  run.until(kCycles);
  EXPECT_EQ(run.reports.wrong + run.reports.corrected, 0u);
  for (std::uint32_t flow = 0; flow < kFlows; ++flow)
    EXPECT_EQ(run.sent[flow], without_faults()[flow]) << "flow " << flow;
}

}  // namespace
}  // namespace dcc
