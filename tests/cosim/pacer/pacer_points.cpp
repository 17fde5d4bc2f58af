// Checks single responses of dc_pacer that rtl/pacer/doc/contract.md specifies to the cycle:
// written rates, changes of priority, begin and end of strict order.
#include "pacer_points.h"

#include <Vpacer.h>
#include <Vpacer_small.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "block_pins.h"

namespace dcc {
namespace {

constexpr std::uint32_t kScale = 2048 * 250;  // rate scale at a clock of 250 MHz
constexpr std::uint32_t kLineRate = 25'600'000;
constexpr std::uint64_t kSlack = 60;
constexpr std::uint64_t kOperation = 5;  // cycles for which an operation occupies its row
constexpr std::uint64_t kRate = 17;      // number of cycles from an accepted rate to its operation

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

template <class Block>
class Points {
 public:
  Points(std::uint32_t seed, std::uint64_t rows)
      : random_(seed), rows_(rows), block_(static_cast<int>(seed)) {}

  void rounded();
  void reset_values();
  void moved();
  void strict();
  void full();
  void raised();
  void rewritten(std::uint32_t other_rate);

 private:
  struct Sent {
    std::uint32_t flow;
    std::uint32_t bytes;
    std::uint64_t cycle;  // cycle in which the pacer decided on the packet
  };

  void start(std::uint32_t scale) {
    now_ = 0;
    sent_.clear();
    pause_ = 0;
    held_ = false;
    auto& pins = block_;
    pins->post_valid_i = pins->rate_valid_i = pins->want_i = pins->paused_i = 0;
    pins->scale_i = scale;
    pins->slack_i = kSlack;
    block_.reset();
    for (;;) {
      block_.settle();
      if (pins->init_done_o) return;
      block_.edge();
    }
  }
  void cycle() {
    auto& pins = block_;
    pins->paused_i = pause_;
    pins->want_i = !held_;
    block_.settle();
    if (pins->sent_valid_o) sent_.push_back({pins->sent_flow_o, pins->sent_bytes_o, now_ - 2});
    block_.edge();
    ++now_;
  }
  void cycles(std::uint64_t number) {
    while (number-- > 0) cycle();
  }
  /// Offers a rate until the pacer accepts it.
  void rate(std::uint32_t flow, std::uint32_t rate, unsigned priority) {
    auto& pins = block_;
    pins->rate_valid_i = 1;
    pins->rate_flow_i = static_cast<std::uint8_t>(flow);
    pins->rate_i = rate;
    pins->rate_priority_i = static_cast<std::uint8_t>(priority);
    for (bool taken = false; !taken;) {
      block_.settle();
      taken = pins->rate_ready_o;
      cycle();
    }
    pins->rate_valid_i = 0;
  }
  /// Offers a packet until the pacer accepts it.
  void post(std::uint32_t flow, std::uint32_t bytes) {
    auto& pins = block_;
    pins->post_valid_i = 1;
    pins->post_flow_i = static_cast<std::uint8_t>(flow);
    pins->post_bytes_i = static_cast<std::uint16_t>(bytes);
    for (bool taken = false; !taken;) {
      block_.settle();
      taken = pins->post_ready_o;
      cycle();
    }
    pins->post_valid_i = 0;
  }
  std::vector<std::uint64_t> times(std::uint32_t flow) const {
    std::vector<std::uint64_t> out;
    for (const Sent& sent : sent_) {
      if (sent.flow == flow) out.push_back(sent.cycle);
    }
    return out;
  }

  std::mt19937_64 random_;
  std::uint64_t rows_;
  BlockPins<Block> block_;
  std::uint64_t now_ = 0;
  std::vector<Sent> sent_;
  std::uint8_t pause_ = 0;
  bool held_ = false;  // true: the bench requests no packet from the pacer
};

/// The pacer rounds the time of a byte up, so three bytes at a rate of 3/512 bytes per cycle take
/// no less than 512 cycles. S(1) is a whole number of cycles, S(2) two thirds of a cycle more than
/// one, S(4) slightly more than one.
template <class Block>
void Points<Block>::rounded() {
  start(512);
  rate(1, 3, 2);
  cycles(40);
  for (int i = 0; i < 4; ++i) post(1, 1);
  cycles(800);
  const auto at = times(1);
  require(at.size() == 4 && at[3] - at[1] == 512 - 170, "the time of a byte is not rounded up");
}

/// After reset every flow has rate 1 and priority 0. The pacer treats rate 0 as rate 1.
template <class Block>
void Points<Block>::reset_values() {
  start(512);
  rate(1, 0, 3);
  pause_ = 1;  // pauses priority 0, to which the flow belongs
  for (int i = 0; i < 3; ++i) {
    post(0, 2);
    post(1, 1);
  }
  cycles(2000);
  require(times(0).empty(), "a flow's priority after reset is not 0");
  pause_ = 0xFE;
  cycles(3000);
  const auto at = times(0);
  require(at.size() == 3 && at[2] - at[1] == 1024, "a flow's rate after reset is not 1");
  const auto of_zero = times(1);
  require(of_zero.size() == 3 && of_zero[2] - of_zero[1] == 512, "rate 0 does not count as 1");
}

/// A packet whose flow moves to another priority waits for its own time, although the clocks of the
/// priorities differ.
template <class Block>
void Points<Block>::moved() {
  constexpr std::uint64_t kTime = 2000;  // cycles for 1000 bytes at a hundredth of the link rate
  for (const std::uint32_t from : {1u, 2u}) {
    start(kScale);
    rate(3, kLineRate / 100, from);
    pause_ = 1u << 2;  // the clock of the paused priority 2 falls behind
    cycles(5000);
    pause_ = 0;
    post(3, 1000);
    post(3, 1000);
    cycles(100);
    require(times(3).size() == 1, "the first packet does not leave at once");
    rate(3, kLineRate / 100, 3 - from);
    cycles(kTime - 1);
    require(times(3).size() == 1, "a new priority lets a packet leave early");
    cycles(kRate + kOperation + rows_ + 8);
    require(times(3).size() == 2, "a new priority holds up a packet");
  }
}

/// Strict order begins when a packet is more than slack_i cycles behind its deadline. Strict order
/// ends Rows + 8 cycles after the last late packet.
template <class Block>
void Points<Block>::strict() {
  start(kScale);
  rate(3, kLineRate / 2, 4);
  cycles(40);
  held_ = true;
  post(3, 500);
  const std::uint64_t deadline = now_ + 20;
  const auto wait = [&](bool level) {
    for (block_.settle(); block_->strict_o != level; block_.settle()) {
      require(now_ < 10'000, level ? "strict order never begins" : "strict order never ends");
      cycle();
    }
    return now_;
  };
  const std::uint64_t begun = wait(true);
  require(begun > deadline + kSlack, "strict order though no packet is late");
  // The wake-up and the row need one operation each, then the sweep finds the packet, then a
  // flip-flop follows.
  require(begun <= deadline + kSlack + 2 * kOperation + rows_ + 3, "strict order begins too late");
  cycles(500);
  require(block_->strict_o, "strict order ends though a packet is late");
  held_ = false;
  const std::uint64_t ended = wait(false);
  require(sent_.size() == 1, "the late packet is not sent");
  require(ended >= sent_[0].cycle + rows_ + 8, "strict order ends too early");
  require(ended <= sent_[0].cycle + rows_ + 8 + kOperation + 2, "strict order ends too late");
}

/// The pacer refuses a post to a full queue and keeps its state.
template <class Block>
void Points<Block>::full() {
  constexpr std::uint32_t kDepth = 4;
  start(kScale);
  rate(2, kLineRate / 4, 2);
  cycles(40);
  pause_ = 0xFF;
  for (std::uint32_t i = 0; i < kDepth; ++i) post(2, 100 + i);
  cycles(20);
  require(!block_->post_refused_o, "a post is refused though there is room");
  post(2, 77);
  block_.settle();
  require(block_->post_refused_o, "a post beyond the depth is not refused");
  cycle();
  block_.settle();
  require(!block_->post_refused_o, "a post is refused for longer than a cycle");
  pause_ = 0;
  cycles(500);
  require(sent_.size() == kDepth, "a refused post changes the number of packets");
  for (std::uint32_t i = 0; i < kDepth; ++i) {
    require(sent_[i].bytes == 100 + i, "a refused post changes a packet");
  }
}

/// A flow whose low rate becomes high need not wait for the time that the low rate had set, and
/// does not catch up. A rate that falls again does not delay a packet whose time has come.
template <class Block>
void Points<Block>::raised() {
  constexpr std::uint64_t kTime = 200;  // cycles for 1000 bytes at a tenth of the link rate
  start(kScale);
  rate(3, 10, 2);
  cycles(40);
  for (int i = 0; i < 4; ++i) post(3, 1000);
  cycles(400);
  require(times(3).size() == 1, "a slow flow does not send one packet at once and no second one");
  rate(3, kLineRate / 10, 2);
  for (int i = 0; i < 3; ++i) {
    cycles(i == 0 ? kRate + kOperation + rows_ + 3 : kTime);
    require(times(3).size() == 2u + static_cast<unsigned>(i),
            "a raised rate does not act on the packet that waits, or catches up");
  }
  held_ = true;
  post(3, 1000);
  cycles(kTime + 20);
  rate(3, 10, 2);
  cycles(kRate + kOperation + rows_ + 3);
  held_ = false;
  cycles(5);
  require(times(3).size() == 5, "a lowered rate acts on a packet whose time has come");
}

/// The test writes rates as often as possible, one or two alternating. The flow sends no more than
/// the higher rate and no less than the lower rate.
template <class Block>
void Points<Block>::rewritten(std::uint32_t other_rate) {
  constexpr std::uint32_t kOne = kLineRate / 4;
  constexpr std::uint64_t kCycles = 20'000;
  constexpr std::uint64_t kLargest = 1500;
  start(kScale);
  rate(2, kOne, 1);
  cycles(40);
  std::uint64_t posted = 0, offered = 0;
  auto& pins = block_;
  const std::uint64_t begin = now_;
  while (now_ - begin < kCycles) {
    pins->post_valid_i = posted < sent_.size() + 4;
    pins->post_flow_i = 2;
    pins->post_bytes_i = random_() % 2 == 0 ? 100 : kLargest;
    pins->rate_valid_i = 1;
    pins->rate_flow_i = 2;
    pins->rate_i = offered % 2 == 0 ? kOne : other_rate;
    pins->rate_priority_i = 1;
    block_.settle();
    posted += pins->post_valid_i && pins->post_ready_o ? 1 : 0;
    offered += pins->rate_ready_o;
    cycle();
  }
  std::uint64_t bytes = 0;
  for (const Sent& sent : sent_) bytes += sent.bytes;
  const double most = static_cast<double>(std::max(kOne, other_rate)) / kScale;
  const double least = static_cast<double>(std::min(kOne, other_rate)) / kScale;
  require(static_cast<double>(bytes) <= most * kCycles + kLargest,
          "rates that are written often let a flow exceed them");
  require(static_cast<double>(bytes) >= least * (kCycles - 100) - kLargest,
          "rates that are written often hold up a flow");
}

template <class Block>
void run(std::uint32_t seed, std::uint64_t rows) {
  Points<Block> points(seed, rows);
  points.rounded();
  points.reset_values();
  points.moved();
  points.strict();
  points.full();
  points.raised();
  points.rewritten(kLineRate / 4);
  points.rewritten(kLineRate / 4 + 1);
  points.rewritten(kLineRate / 6);
}

}  // namespace

void run_points(std::uint32_t seed) {
  run<Vpacer>(seed, 8);
  run<Vpacer_small>(seed, 2);
}

}  // namespace dcc
