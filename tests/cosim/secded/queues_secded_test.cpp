// Tests the queues of the application block with memories that lose bits. One lost bit of a 64-bit
// word is corrected. After two lost bits a rate or a frame is lost, as rtl/nic/doc/contract.md
// specifies.
#include <Vrate_queue_secded.h>
#include <Vrate_queue_secded___024root.h>
#include <Vsend_queues_secded.h>
#include <Vsend_queues_secded___024root.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "block_pins.h"
#include "lost_bits.h"

namespace dcc {
namespace {

constexpr std::uint32_t kFlows = 16;  // number of flows, as in rtl/nic/CMakeLists.txt

/// A flow's rate and priority that the pacer took from the queue of rates.
struct Rate {
  std::uint32_t flow = 0, rate = 0, priority = 0;
  bool operator==(const Rate& o) const {
    return flow == o.flow && rate == o.rate && priority == o.priority;
  }
};

/// The queue of rates. The constructor gives each flow a priority. The pacer accepts a rate every
/// 17 cycles.
class RateRun {
 public:
  RateRun() {
    block_->valid_i = block_->rate_ready_i = 0;
    block_.reset();
    for (std::uint32_t i = 0; i < kFlows; ++i) cycle();
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) push(flow, 50 + flow, true);
    drain();
    taken.clear();
  }
  /// Resets the rate queue, and waits until the queue has cleared its memories, which a reset alone
  /// does not change.
  void reset() {
    block_.reset();
    for (std::uint32_t i = 0; i < kFlows; ++i) cycle();
    taken.clear();
  }
  void cycle() {
    block_->rate_ready_i = now_ % 17 == 0;
    block_.settle();
    if (block_->report_o != 0) reports.push_back(block_->report_o);
    if (block_->rate_valid_o && block_->rate_ready_i)
      taken.push_back({block_->rate_flow_o, block_->rate_o, block_->rate_priority_o});
    block_.edge();
    ++now_;
  }
  void push(std::uint32_t flow, std::uint32_t rate, bool priority = false) {
    block_->valid_i = 1;
    block_->flow_i = static_cast<std::uint8_t>(flow);
    block_->rate_i = rate;
    block_->set_priority_i = priority;
    block_->priority_i = flow % 8;
    cycle();
    block_->valid_i = 0;
  }
  void drain() {
    for (std::uint32_t i = 0; i < 40 * kFlows; ++i) cycle();
  }
  /// The last rate of a flow that the pacer accepted.
  std::optional<Rate> last(std::uint32_t flow) const {
    for (auto one = taken.rbegin(); one != taken.rend(); ++one) {
      if (one->flow == flow) return *one;
    }
    return {};
  }
  Vrate_queue_secded& top() { return *block_.operator->(); }

  std::vector<Rate> taken;
  std::vector<std::uint32_t> reports;

 private:
  BlockPins<Vrate_queue_secded> block_{1};
  std::uint64_t now_ = 0;
};

#define DCC_RATES(name, number, data, place) \
  DCC_LOST_BITS(Vrate_queue_secded, name, number, data, kFlows, dc_rate_queue__DOT__##place)
class RateQueueSecded : public testing::TestWithParam<LostBits<Vrate_queue_secded>> {};

TEST_P(RateQueueSecded, OneLostBitChangesNothing) {
  const auto& one = GetParam();
  for (unsigned bit = 0; bit < one.bits(); bit += 3) {
    RateRun run;
    for (std::uint32_t i = 0; i < 10; ++i) run.push(i * 3 % kFlows, 1000 + i);
    for (std::size_t word = 0; word < one.words; ++word) one.flip(run.top(), word, bit);
    run.drain();
    ASSERT_EQ(run.taken.size(), 10u);
    for (std::uint32_t i = 0; i < 10; ++i) {
      const std::uint32_t flow = i * 3 % kFlows;
      ASSERT_EQ(run.taken[i], (Rate{flow, 1000 + i, flow % 8})) << bit;
    }
    ASSERT_FALSE(run.reports.empty());
    for (const auto report : run.reports) ASSERT_EQ(report & 0x7F, one.number << 2 | kCorrected);
  }
}

TEST_P(RateQueueSecded, TwoLostBitsCostARateAtMost) {
  const auto& one = GetParam();
  const std::string name = one.name;
  std::size_t seen = 0;
  for (std::uint32_t hit = 0; hit < kFlows; ++hit) {
    RateRun run;
    // The constructor has filled the queue once, so these rates begin at its first word.
    for (std::uint32_t i = 0; i < 10; ++i) run.push(i * 3 % kFlows, 1000 + i);
    one.flip(run.top(), hit, 0);
    one.flip(run.top(), hit, 3);
    // Further rates arrive, also while the queue inserts all flows again.
    for (std::uint32_t i = 10; i < 60; ++i) {
      run.cycle();
      if (i % 7 == 0) run.push(i % kFlows, 1000 + i);
    }
    run.drain();
    std::array<std::uint32_t, kFlows> want{};
    for (std::uint32_t i = 0; i < 10; ++i) want[i * 3 % kFlows] = 1000 + i;
    for (std::uint32_t i = 14; i < 60; i += 7) want[i % kFlows] = 1000 + i;
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
      if (name != "flows" && flow == hit) continue;
      const auto last = run.last(flow);
      ASSERT_EQ(last.has_value(), want[flow] != 0) << hit << ", flow " << flow;
      if (last) {
        ASSERT_EQ(*last, (Rate{flow, want[flow], flow % 8})) << hit;
      }
    }
    for (const auto report : run.reports)
      ASSERT_EQ(report, static_cast<std::uint32_t>(hit << 7 | one.number << 2 | kWrong));
    seen += run.reports.empty() ? 0 : 1;
    // the queue had read these two rates before the fault
    if (name == "flows" || hit == 0 || hit == 3) continue;
    for (const Rate& rate : run.taken) {
      if (rate.flow == hit && name == "rates") {
        ASSERT_GE(rate.rate, 1010u) << "a lost rate is told";
      }
      if (rate.flow == hit) {
        ASSERT_NE(name, "priorities") << "a lost priority is told";
      }
    }
    run.push(hit, 7, true);
    run.drain();
    ASSERT_EQ(run.taken.back(), (Rate{hit, 7, hit % 8}));
  }
  // the queue overwrites other words before it reads them, or never reads them
  EXPECT_GE(seen, 4u);
}

INSTANTIATE_TEST_SUITE_P(All, RateQueueSecded,
                         testing::Values(DCC_RATES("flows", 14, 4, u_flows__DOT__u_ram),
                                         DCC_RATES("rates", 15, 32, u_rates),
                                         DCC_RATES("priorities", 16, 3, u_priorities)),
                         [](const auto& one) { return std::string(one.param.name); });

// Spoils the word of each place of the rate queue in turn while the rates of all flows wait. Each
// flow still gets its rate exactly once.
TEST(RateQueueSecdedOrder, FlowsArePutInAgain) {
  std::size_t seen = 0;
  const LostBits<Vrate_queue_secded> one = DCC_RATES("flows", 14, 4, u_flows__DOT__u_ram);
  for (std::uint32_t hit = 0; hit < kFlows; ++hit) {
    RateRun run;
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) run.push(kFlows - 1 - flow, 100 + flow);
    one.flip(run.top(), hit, 1);
    one.flip(run.top(), hit, 2);
    run.drain();
    ASSERT_EQ(run.taken.size(), kFlows) << hit;
    for (std::uint32_t flow = 0; flow < kFlows; ++flow)
      ASSERT_EQ(*run.last(kFlows - 1 - flow),
                (Rate{kFlows - 1 - flow, 100 + flow, (kFlows - 1 - flow) % 8}));
    seen += run.reports.size();
    ASSERT_LE(run.reports.size(), 1u);
  }
  EXPECT_GE(seen, kFlows - 2);  // the queue had read the first two places at once
}

// A reset gives every flow priority 0, and the queue keeps priorities that are written afterwards.
TEST(RateQueueReset, FlowsHaveNoPriorityAfterwards) {
  RateRun run;
  run.push(3, 77);
  for (int i = 0; i < 2; ++i) {
    run.reset();
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) run.push(flow, 300 + flow);
    run.drain();
    ASSERT_EQ(run.taken.size(), kFlows);
    for (std::uint32_t flow = 0; flow < kFlows; ++flow)
      ASSERT_EQ(run.taken[flow], (Rate{flow, 300 + flow, 0}));
    run.taken.clear();
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) run.push(flow, 400 + flow, true);
    run.drain();
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) run.push(flow, 500 + flow);
    run.drain();
    ASSERT_EQ(run.taken.size(), 2 * kFlows);
    for (std::uint32_t flow = 0; flow < kFlows; ++flow)
      ASSERT_EQ(*run.last(flow), (Rate{flow, 500 + flow, flow % 8}));
    for (std::uint32_t flow = 0; flow < kFlows; flow += 2) run.push(flow, 600, true);
  }
  ASSERT_TRUE(run.reports.empty());
}

constexpr std::uint32_t kSenders = 4, kOverhead = 24;

struct Frame {
  std::uint32_t flow = 0, bytes = 0, first = 0;  // first: first word of the frame's data
  std::uint64_t side = 0;
  bool cut = false, spoiled = false;  // spoiled: a word differs from the word that was put in
};

/// Queues of frames, with a pacer that decides in the order of the posts.
class SendRun {
 public:
  SendRun() {
    block_->s_tvalid_i = block_->sent_valid_i = 0;
    block_->m_tready_i = block_->post_ready_i = block_->start_ready_i = 1;
    block_.reset();
  }
  void put(std::uint32_t flow, std::uint32_t bytes) {
    for (std::uint32_t at = 0; at < bytes; at += 64) {
      const std::uint32_t here = std::min(64u, bytes - at);
      for (std::uint32_t i = 0; i < 16; ++i) block_->s_tdata_i[i] = number_ << 16 | (at + i);
      block_->s_tkeep_i = here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1;
      block_->s_tlast_i = at + here == bytes;
      block_->s_flow_i = static_cast<std::uint8_t>(flow);
      block_->s_side_i = 0x100000000 | number_;
      block_->s_tvalid_i = 1;
      for (bool taken = false; !taken;) {
        block_.settle();
        taken = block_->s_tready_o;
        cycle();
      }
      block_->s_tvalid_i = 0;
    }
    ++number_;
  }
  void cycle() {
    block_->sent_valid_i = 0;
    if ((wanted_ & 2) != 0 && !posts_.empty() && !held) {
      block_->sent_valid_i = 1;
      block_->sent_flow_i = static_cast<std::uint8_t>(posts_.front().flow);
      block_->sent_bytes_i = posts_.front().bytes == lose_length
                                 ? 0
                                 : static_cast<std::uint16_t>(posts_.front().bytes);
      posts_.pop_front();
    }
    block_->m_tready_i = ready;
    block_.settle();
    if (block_->report_o != 0) reports.push_back(block_->report_o);
    if (block_->post_valid_o)
      posts_.push_back({block_->post_flow_o, block_->post_bytes_o, 0, 0, false, false});
    if (block_->start_valid_o) starts.push_back(block_->start_bytes_o);
    if (block_->m_tvalid_o && block_->m_tready_i) beat();
    wanted_ = (wanted_ << 1 | block_->want_o) & 3u;
    block_.edge();
  }
  void drain() {
    for (int i = 0; i < 200; ++i) cycle();
  }
  Vsend_queues_secded& top() { return *block_.operator->(); }

  bool ready = true, held = false;
  std::uint32_t lose_length = 0;  // the next decision of this many bytes loses its length
  std::vector<Frame> frames;
  std::vector<std::uint32_t> reports, starts;

 private:
  void beat() {
    if (at_ == 0) frame_ = {};
    if (at_ == 0) frame_.first = block_->m_tdata_o[0];
    for (std::uint32_t i = 0; i < 16; ++i)
      frame_.spoiled =
          frame_.spoiled || block_->m_tdata_o[i] != ((frame_.first & ~0xFFFFu) | (at_ + i));
    at_ += 64;
    for (std::uint64_t keep = block_->m_tkeep_o; keep != 0; keep >>= 1) frame_.bytes += keep & 1;
    if (!block_->m_tlast_o) return;
    frame_.side = block_->m_side_o;
    frame_.cut = block_->m_cut_o;
    frames.push_back(frame_);
    at_ = 0;
  }

  BlockPins<Vsend_queues_secded> block_{1};
  std::deque<Frame> posts_;
  Frame frame_;
  std::uint32_t number_ = 1, at_ = 0;
  unsigned wanted_ = 0;
};

#define DCC_FRAMES(name, number, data, words, place) \
  DCC_LOST_BITS(Vsend_queues_secded, name, number, data, words, dc_send_queues__DOT__##place)
class SendQueuesSecded : public testing::TestWithParam<LostBits<Vsend_queues_secded>> {};

constexpr std::uint32_t kPut = 12;
std::uint32_t size_of(std::uint32_t i) { return 60 + i * 37 % 190; }

TEST_P(SendQueuesSecded, OneLostBitChangesNothing) {
  const auto& one = GetParam();
  for (unsigned bit = 0; bit<one.bits(); bit += one.bits()> 64 ? 31 : 4) {
    SendRun run;
    run.held = true;
    for (std::uint32_t i = 0; i < kPut; ++i) run.put(i % kSenders, size_of(i));
    for (std::size_t word = 0; word < one.words; ++word) one.flip(run.top(), word, bit);
    run.held = false;
    run.drain();
    ASSERT_EQ(run.frames.size(), kPut);
    for (std::uint32_t i = 0; i < kPut; ++i) {
      ASSERT_EQ(run.frames[i].bytes, size_of(i));
      ASSERT_EQ(run.frames[i].side, 0x100000000 | (i + 1));
      ASSERT_FALSE(run.frames[i].cut || run.frames[i].spoiled) << bit;
    }
    ASSERT_FALSE(run.reports.empty());
    for (const auto report : run.reports) ASSERT_EQ(report & 0x7F, one.number << 2 | kCorrected);
  }
}

TEST_P(SendQueuesSecded, TwoLostBitsSpoilOneFrame) {
  const auto& one = GetParam();
  for (const bool slow : {false, true}) {
    for (std::uint32_t hit = 0; hit < kPut; ++hit) {
      SendRun run;
      run.held = true;
      for (std::uint32_t i = 0; i < kPut; ++i) run.put(i % kSenders, size_of(i));
      // First word of frame `hit` in the ring of its flow. A frame has four beats.
      const std::uint32_t place = hit % kSenders * 4 + hit / kSenders;
      const std::uint32_t word = one.number == 17 ? place * 4 : place;
      one.flip(run.top(), word, 5);
      one.flip(run.top(), word, 9);
      run.held = false;
      for (int i = 0; slow && i < 300; ++i) {
        run.ready = i % 3 == 0;
        run.cycle();
      }
      run.ready = true;
      run.drain();
      ASSERT_EQ(run.frames.size(), kPut);
      for (std::uint32_t i = 0; i < kPut; ++i) {
        ASSERT_EQ(run.frames[i].cut, i == hit) << hit << ", frame " << i;
        if (i == hit) continue;
        ASSERT_EQ(run.frames[i].bytes, size_of(i));
        ASSERT_EQ(run.frames[i].side, 0x100000000 | (i + 1));
        ASSERT_FALSE(run.frames[i].spoiled);
      }
      for (const auto report : run.reports) ASSERT_EQ(report, word << 7 | one.number << 2 | kWrong);
      ASSERT_GE(run.reports.size(), 1u);
      // The overwritten places of the frame hold no error any more.
      run.frames.clear();
      run.reports.clear();
      for (std::uint32_t i = 0; i < kPut; ++i) {
        run.put(i % kSenders, size_of(i));
        run.put(i % kSenders, size_of(i));
        run.drain();
      }
      for (const Frame& frame : run.frames) ASSERT_FALSE(frame.cut || frame.spoiled);
      ASSERT_TRUE(run.reports.empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SendQueuesSecded,
                         testing::Values(DCC_FRAMES("beats", 17, 576, 64, u_beats),
                                         DCC_FRAMES("sides", 18, 34, 16, u_sides)),
                         [](const auto& one) { return std::string(one.param.name); });

// The pacer has lost the length of a frame. The queues drop that frame, and all other frames leave.
TEST(SendQueuesSecdedLength, FrameWithoutLengthIsDropped) {
  for (std::uint32_t hit = 0; hit < kPut; ++hit) {
    SendRun run;
    run.lose_length = size_of(hit) + kOverhead;
    for (std::uint32_t i = 0; i < kPut; ++i) run.put(i % kSenders, size_of(i));
    run.drain();
    ASSERT_EQ(run.frames.size(), kPut - 1);
    ASSERT_EQ(run.starts.size(), kPut - 1);
    for (std::uint32_t i = 0, at = 0; i < kPut; ++i) {
      if (i == hit) continue;
      ASSERT_EQ(run.frames[at].side, 0x100000000 | (i + 1));
      ASSERT_EQ(run.frames[at].bytes, size_of(i));
      ++at;
    }
  }
}

}  // namespace
}  // namespace dcc
