// pacer_bench [--cycles N] [--seed N]: checks dc_pacer against the arithmetic of
// rtl/pacer/doc/contract.md. At the first violation the program prints a line and ends with status
// 1.
#include <Vpacer.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <string>

#include "block_pins.h"
#include "pacer_points.h"

/// Returns the number of the mutant under test in a build with mutants (mutants.py); 0: the
/// unchanged block.
extern "C" int dcc_mutant() {
  static const char* const chosen = std::getenv("DCC_MUTANT");
  return chosen == nullptr ? 0 : std::atoi(chosen);
}

namespace dcc {
namespace {

using Time = long double;  // time in clock cycles

constexpr std::uint32_t kFlows = 64;  // number of flows, as in rtl/pacer/CMakeLists.txt
constexpr std::uint32_t kRows = 8;
constexpr unsigned kDepth = 4;
constexpr std::uint32_t kScale = 2048 * 250;  // rate scale at a clock of 250 MHz
constexpr Time kLine = 50;                    // bytes per cycle of a line of 100 Gb/s
constexpr std::uint32_t kLineRate = 25'600'000;
constexpr std::uint32_t kLargest = 1538;
// Longest decision time by the contract: the largest packet on the link, a sweep over all rows, an
// operation, and the sender's response and look-ahead.
constexpr std::uint32_t kOperation = 5;  // cycles for which an operation occupies its row of flows
constexpr Time kDecision = kLargest / kLine + kRows + kOperation + 6;
// The contract's bound holds for packets that occupy the link at least as long as an operation
// occupies a row.
constexpr std::uint32_t kShortest = kOperation * static_cast<std::uint32_t>(kLine);
// cycles behind its deadline from which a packet counts as late; at least kDecision
constexpr std::uint32_t kSlack = 60;

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

struct Flow {
  std::uint32_t rate = 1;
  unsigned priority = 0;
  std::uint32_t smallest = 200, largest = kLargest;
  unsigned wanted = 0;  // number of packets that the bench keeps waiting in the flow's queue
  std::deque<std::uint32_t> waiting;
  std::uint64_t bytes = 0, packets = 0;
  std::uint64_t first_post = 0;
  Time ideal = 0;      // start time S of the next packet by the flow's own clock
  bool timed = false;  // true if the flow's packets are compared with `ideal`
  /// Number of cycles that a byte takes at the flow's rate.
  Time gap() const { return Time{kScale} / rate; }
};

class PacerBench {
 public:
  explicit PacerBench(std::uint32_t seed) : random_(seed), block_(static_cast<int>(seed)) {}

  void run(std::uint64_t cycles);

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  void start();
  void rate(std::uint32_t flow, std::uint32_t rate, unsigned priority);
  void cycle();
  void sent();
  void shares(std::uint32_t first, std::uint32_t count, Time sum, unsigned priority);

  void at_the_rates(std::uint64_t cycles, Time load);
  void over_subscribed(std::uint64_t cycles);
  void paused(std::uint64_t cycles);
  void changing(std::uint64_t cycles);
  void woken(std::uint64_t cycles);
  void coming_and_going(std::uint64_t cycles);
  void one_flow(std::uint64_t cycles);
  void decisions();

  std::mt19937_64 random_;
  BlockPins<Vpacer> block_;
  std::array<Flow, kFlows> flows_;
  std::uint64_t now_ = 0;
  Time free_ = 0;        // time from which the link is free
  unsigned flight_ = 0;  // shift register of decisions that may be in flight
  bool always_ = false;  // true: the bench requests a packet in every cycle
  bool was_strict_ = false;
  std::uint8_t pause_ = 0;
  std::array<std::uint8_t, 3> pauses_{};  // bit masks of the paused priorities in the last cycles
  std::array<std::uint64_t, 8> run_{};    // number of cycles since each priority was last paused
  std::uint32_t next_ = 0;
  // flow whose queue the bench fills before the queues of other flows
  std::uint32_t first_ = kFlows;
};

void PacerBench::start() {
  flows_ = {};
  now_ = 0;
  free_ = 0;
  flight_ = 0;
  first_ = kFlows;
  pause_ = 0;
  pauses_ = {};
  run_ = {};
  always_ = was_strict_ = false;
  auto& pins = block_;
  pins->post_valid_i = 0;
  pins->rate_valid_i = 0;
  pins->want_i = 0;
  pins->paused_i = 0;
  pins->scale_i = kScale;
  pins->slack_i = kSlack;
  block_.reset();
  for (unsigned swept = 0;; ++swept) {
    block_.settle();
    if (pins->init_done_o) {
      require(swept == kFlows, "the sweep does not take a cycle a flow");
      return;
    }
    require(!pins->post_ready_o && !pins->rate_ready_o, "an input is taken during the sweep");
    block_.edge();
  }
}

void PacerBench::rate(std::uint32_t flow, std::uint32_t rate, unsigned priority) {
  flows_[flow].rate = rate;
  flows_[flow].priority = priority;
  auto& pins = block_;
  pins->rate_valid_i = 1;
  pins->rate_flow_i = static_cast<std::uint8_t>(flow);
  pins->rate_i = rate;
  pins->rate_priority_i = static_cast<std::uint8_t>(priority);
  for (unsigned waited = 0;; ++waited) {
    require(waited < 40, "a rate waits too long");
    block_.settle();
    const bool taken = pins->rate_ready_o;
    cycle();
    if (taken) break;
  }
  pins->rate_valid_i = 0;
}

/// Draws random rates for `count` flows, whose sum is `sum` as a fraction of the link rate.
void PacerBench::shares(std::uint32_t first, std::uint32_t count, Time sum, unsigned priority) {
  std::array<Time, kFlows> parts{};
  Time total = 0;
  for (std::uint32_t i = 0; i < count; ++i) total += parts[i] = std::exp(Time(below(600)) / 100);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto raw = static_cast<std::uint32_t>(sum * kLineRate * parts[i] / total);
    rate(first + i, std::max(raw, 1u), priority);
  }
  for (int i = 0; i < 40; ++i) cycle();
}

void PacerBench::cycle() {
  auto& pins = block_;
  pins->post_valid_i = 0;
  for (std::uint32_t tried = 0; tried < kFlows; ++tried) {
    next_ = tried == 0 && first_ < kFlows ? first_ : (next_ + 1) % kFlows;
    Flow& flow = flows_[next_];
    if (flow.waiting.size() >= flow.wanted) continue;
    pins->post_valid_i = 1;
    pins->post_flow_i = static_cast<std::uint8_t>(next_);
    pins->post_bytes_i =
        static_cast<std::uint16_t>(flow.smallest + below(flow.largest - flow.smallest + 1));
    break;
  }
  pins->paused_i = pause_;
  pins->want_i = always_ || ((flight_ & 3u) == 0 && free_ <= Time(now_ + 3));
  block_.settle();
  for (unsigned p = 0; p < 8; ++p) run_[p] += (pause_ >> p & 1u) == 0;
  pauses_ = {pauses_[1], pauses_[2], pause_};
  if (pins->sent_valid_o) sent();
  was_strict_ = was_strict_ || pins->strict_o;
  require(!pins->post_refused_o, "a post is refused though there is room");
  if (pins->post_valid_i && pins->post_ready_o) {
    Flow& flow = flows_[next_];
    if (flow.packets == 0 && flow.waiting.empty()) {
      flow.first_post = now_;
      flow.ideal = Time(now_);
    }
    flow.waiting.push_back(pins->post_bytes_i);
  }
  flight_ = (flight_ << 1 | pins->want_i) & 3u;
  block_.edge();
  ++now_;
}

void PacerBench::sent() {
  auto& pins = block_;
  Flow& flow = flows_[pins->sent_flow_o];
  require(!flow.waiting.empty(), "a decision for a flow without a packet");
  require(flow.waiting.front() == pins->sent_bytes_o, "wrong packet of a flow: length or order");
  require((pauses_[0] >> flow.priority & 1u) == 0, "a decision for a paused priority");
  const std::uint32_t bytes = flow.waiting.front();
  const Time issued = Time(now_) - 2;
  if (flow.timed) {
    // Start time S(k) and finish time F(k) of the contract for a flow that always has packets. The
    // pacer rounds times down to whole cycles.
    require(issued >= flow.ideal - 1, "a packet leaves early");
    require(issued <= flow.ideal + bytes * flow.gap() + kDecision,
            "a packet of flow " + std::to_string(pins->sent_flow_o) + " leaves late by " +
                std::to_string(static_cast<double>(issued - flow.ideal - bytes * flow.gap())) +
                " cycles");
  }
  flow.ideal += bytes * flow.gap();
  flow.waiting.pop_front();
  flow.bytes += bytes;
  ++flow.packets;
  free_ = std::max(free_, Time(now_)) + bytes / kLine;
}

/// If the rates fit the link every flow gets its rate. No packet leaves early, or later than its
/// deadline and a decision time.
void PacerBench::at_the_rates(std::uint64_t cycles, Time load) {
  start();
  // One flow has half of the link, many flows are slow, and the rates span five orders of
  // magnitude.
  rate(0, static_cast<std::uint32_t>(load * kLineRate / 2), 1);
  shares(1, 40, load * 0.45L, 6);
  shares(41, 23, load * 0.049L, 3);
  for (Flow& flow : flows_) {
    flow.wanted = kDepth;
    flow.smallest = kShortest;
  }
  // All flows begin at a known time, since clocks stand still while all priorities are paused.
  pause_ = 0xFF;
  for (int i = 0; i < 600; ++i) cycle();
  pause_ = 0;
  for (Flow& flow : flows_) {
    require(flow.waiting.size() == kDepth && flow.packets == 0, "a packet leaves during a pause");
    flow.ideal = Time(now_);
    flow.first_post = now_;
    flow.timed = true;
  }
  const std::uint64_t begin = now_;
  while (now_ - begin < cycles) cycle();
  require(!was_strict_, "strict order though the rates fit the line");
  for (const Flow& flow : flows_) {
    const Time fluid = Time(now_ - flow.first_post) / flow.gap();
    const Time allowed = flow.largest + kDecision / flow.gap();
    require(std::fabs(Time(flow.bytes) - fluid) <= allowed,
            "bytes differ from rate × time by more than a packet");
  }
}

/// On an over-subscribed link the highest priority gets its rates, the middle priority shares the
/// rest in proportion to its rates, and the lowest priority gets nothing.
void PacerBench::over_subscribed(std::uint64_t cycles) {
  start();
  shares(0, 16, 0.4L, 7);
  shares(16, 24, 1.2L, 4);
  shares(40, 24, 0.8L, 0);
  for (Flow& flow : flows_) flow.wanted = kDepth;
  const std::uint64_t begin = now_;
  while (now_ - begin < cycles / 4) cycle();
  std::array<std::uint64_t, kFlows> before{};
  for (std::uint32_t i = 0; i < kFlows; ++i) before[i] = flows_[i].bytes;
  const std::uint64_t from = now_;
  while (now_ - begin < cycles) cycle();
  require(was_strict_, "no strict order though the rates exceed the line");
  const Time time = Time(now_ - from);
  Time all = 0, middle_bytes = 0, middle_rate = 0;
  for (std::uint32_t i = 0; i < kFlows; ++i) {
    const Time bytes = Time(flows_[i].bytes - before[i]);
    all += bytes;
    if (i < 16) {
      require(std::fabs(bytes - time / flows_[i].gap()) <=
                  2 * kLargest + 2 * kDecision / flows_[i].gap(),
              "the highest priority does not get its rates");
    } else if (i < 40) {
      middle_bytes += bytes;
      middle_rate += 1 / flows_[i].gap();
    }
  }
  require(all >= 0.98L * kLine * time - 2 * kLargest, "the line is not used");
  const Time speed = middle_bytes / middle_rate;  // advance of the middle priority's clock
  require(speed > 0.4L * time && speed < 0.6L * time,
          "the middle priority does not get what is left");
  for (std::uint32_t i = 16; i < 40; ++i) {
    const Time bytes = Time(flows_[i].bytes - before[i]);
    require(std::fabs(bytes - speed / flows_[i].gap()) <=
                2 * kLargest + 2 * kDecision / flows_[i].gap(),
            "flow " + std::to_string(i) + " gets " + std::to_string(static_cast<double>(bytes)) +
                " instead of " + std::to_string(static_cast<double>(speed / flows_[i].gap())) +
                " bytes");
  }
  for (std::uint32_t i = 40; i < kFlows; ++i) {
    require(flows_[i].bytes - before[i] <= kLargest,
            "the lowest priority sends before the others have theirs");
  }
  // When the other priorities stop, the lowest priority gets its rates and does not catch up.
  for (std::uint32_t i = 0; i < 40; ++i) flows_[i].wanted = 0;
  while (now_ - begin < cycles + cycles / 8) cycle();
  for (std::uint32_t i = 40; i < kFlows; ++i) before[i] = flows_[i].bytes;
  const std::uint64_t alone = now_;
  while (now_ - alone < cycles / 4) cycle();
  for (std::uint32_t i = 40; i < kFlows; ++i) {
    const Time off = Time(flows_[i].bytes - before[i]) - Time(now_ - alone) / flows_[i].gap();
    require(std::fabs(off) <= 2 * kLargest + 2 * kDecision / flows_[i].gap(),
            "after over-subscription a flow catches up, or does not get its rate");
  }
  require(!block_->strict_o, "strict order stays though the rates fit the line");
}

/// A paused priority sends nothing, and does not catch up after the pause.
void PacerBench::paused(std::uint64_t cycles) {
  start();
  for (unsigned p = 0; p < 8; ++p) shares(8 * p, 8, 0.1L, p);
  for (Flow& flow : flows_) flow.wanted = kDepth;
  const std::uint64_t begin = now_;
  const auto ran = run_;
  while (now_ - begin < cycles) {
    if (below(700) == 0) pause_ = static_cast<std::uint8_t>(below(256));
    cycle();
  }
  std::array<std::uint64_t, 8> bytes{};
  for (const Flow& flow : flows_) {
    const Time fluid = Time(run_[flow.priority] - ran[flow.priority]) / flow.gap();
    require(Time(flow.bytes) <= fluid + flow.largest + 1 / flow.gap(), "a paused flow catches up");
    bytes[flow.priority] += flow.bytes;
  }
  for (unsigned p = 0; p < 8; ++p) {
    const Time fluid = Time(run_[p] - ran[p]) * 0.1L * kLine;
    require(Time(bytes[p]) >= 0.8L * fluid - 8 * kLargest,
            "a priority that is not paused gets too little");
  }
}

/// A rate change costs or gains the flow at most one packet.
void PacerBench::changing(std::uint64_t cycles) {
  start();
  shares(0, kFlows, 0.5L, 2);
  for (Flow& flow : flows_) flow.wanted = kDepth;
  std::array<Time, kFlows> fluid{}, fastest{};
  std::array<std::uint64_t, kFlows> changes{}, since{};
  since.fill(now_);
  const auto settle = [&](std::uint32_t i) {
    fluid[i] += Time(now_ - since[i]) / flows_[i].gap();
    since[i] = now_;
  };
  const std::uint64_t begin = now_;
  while (now_ - begin < cycles) {
    if (below(400) == 0) {
      const std::uint32_t i = below(kFlows);
      settle(i);
      const Time part = std::exp(-Time(below(500)) / 100);
      rate(i, std::max(1u, static_cast<std::uint32_t>(part * kLineRate / kFlows)), 2);
      ++changes[i];
    }
    cycle();
  }
  for (std::uint32_t i = 0; i < kFlows; ++i) {
    settle(i);
    fastest[i] = kLine / kFlows;
    const Time off = Time(flows_[i].bytes) - fluid[i];
    const Time allowed = Time(changes[i] + 1) * kLargest +
                         Time(changes[i] + 1) * (kDecision + 2 * kFlows + 60) * fastest[i];
    require(off <= allowed && off >= -allowed, "a change of the rate costs more than a packet");
  }
}

/// Packets are posted at random. No packet is lost or sent twice, and the packets of a flow stay in
/// order.
void PacerBench::coming_and_going(std::uint64_t cycles) {
  start();
  for (std::uint32_t i = 0; i < kFlows; ++i) rate(i, kLineRate / (1 + below(40)), below(8));
  const std::uint64_t begin = now_;
  while (now_ - begin < cycles) {
    if (below(3) == 0) {
      Flow& flow = flows_[below(kFlows)];
      flow.wanted = below(3) == 0 ? below(kDepth + 1) : 0;
      flow.smallest = 64;
      flow.largest = 64 + below(300);
    }
    if (below(2000) == 0) always_ = below(2) != 0;
    if (below(50) == 0) {
      // Changes the rate of a flow and keeps the flow's priority.
      const std::uint32_t i = below(kFlows);
      rate(i, kLineRate / (1 + below(40)), flows_[i].priority);
    }
    if (below(5000) == 0) pause_ = static_cast<std::uint8_t>(below(2) == 0 ? 0 : below(256));
    cycle();
  }
  for (Flow& flow : flows_) flow.wanted = 0;
  pause_ = 0;
  for (std::uint64_t i = 0; i < 40'000; ++i) cycle();
  for (const Flow& flow : flows_) require(flow.waiting.empty(), "a packet is never sent");
}

/// Wake-ups of idle flows do not delay a flow that always has packets. All other flows get two
/// packets each at once, and then random numbers of packets.
void PacerBench::woken(std::uint64_t cycles) {
  start();
  rate(0, kLineRate / 2, 1);
  for (std::uint32_t i = 1; i < kFlows; ++i) rate(i, kLineRate / 2 / kFlows, 1);
  for (Flow& flow : flows_) flow.smallest = flow.largest = 500;
  flows_[0].wanted = kDepth;
  pause_ = 0xFF;
  for (int i = 0; i < 60; ++i) cycle();
  pause_ = 0;
  flows_[0].ideal = Time(now_);
  flows_[0].timed = true;
  first_ = 0;
  const std::uint64_t begin = now_;
  while (now_ - begin < cycles) {
    const std::uint64_t at = now_ - begin;
    if (at == 1000) {
      for (std::uint32_t i = 1; i < kFlows; ++i) flows_[i].wanted = 2;
    } else if (at > 5000 && below(2) == 0) {
      flows_[1 + below(kFlows - 1)].wanted = below(3);
    }
    cycle();
  }
  require(!was_strict_, "strict order though the rates fit the line");
}

/// One flow fills the link if its packets take longer on the link than an operation takes in the
/// pacer.
void PacerBench::one_flow(std::uint64_t cycles) {
  start();
  rate(5, kLineRate, 3);
  for (int i = 0; i < 40; ++i) cycle();
  flows_[5].wanted = kDepth;
  flows_[5].smallest = kShortest;
  const std::uint64_t begin = now_;
  while (now_ - begin < cycles) cycle();
  require(Time(flows_[5].bytes) >= kLine * Time(cycles) - kLargest - kLine * kDecision,
          "one flow does not fill the line");
}

/// With many flows, full queues and no limit of a link the pacer decides in nearly every cycle.
/// Posts need operations too, so the check counts decisions while the queues drain.
void PacerBench::decisions() {
  constexpr std::uint64_t cycles = 2 * kFlows;
  start();
  for (std::uint32_t i = 0; i < kFlows; ++i) rate(i, kLineRate, 3);
  for (int i = 0; i < 40; ++i) cycle();
  for (Flow& flow : flows_) {
    flow.wanted = kDepth;
    flow.smallest = flow.largest = 64;
  }
  for (unsigned i = 0; i < 2000; ++i) cycle();
  always_ = true;
  std::uint64_t before = 0, after = 0;
  for (const Flow& flow : flows_) before += flow.packets;
  for (std::uint64_t i = 0; i < cycles; ++i) cycle();
  for (const Flow& flow : flows_) after += flow.packets;
  const double share = static_cast<double>(after - before) / static_cast<double>(cycles);
  std::printf("pacer_bench: %.2f decisions a cycle\n", share);
  require(share > 0.6, "too few decisions");
}

void PacerBench::run(std::uint64_t cycles) {
  decisions();
  one_flow(cycles / 20);
  at_the_rates(cycles / 4, 0.9L);
  at_the_rates(cycles / 4, 0.999L);
  over_subscribed(cycles / 4);
  paused(cycles / 8);
  changing(cycles / 8);
  woken(cycles / 8);
  coming_and_going(cycles / 8);
}

}  // namespace
}  // namespace dcc

int main(int argc, char** argv) {
  std::uint64_t cycles = 400'000;
  std::uint64_t seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    (std::strcmp(argv[i], "--cycles") == 0 ? cycles : seed) =
        std::strtoull(argv[i + 1], nullptr, 10);
  }
  try {
    dcc::run_points(static_cast<std::uint32_t>(seed));
    dcc::PacerBench(static_cast<std::uint32_t>(seed)).run(cycles);
  } catch (const std::exception& error) {
    std::printf("pacer_bench: %s\n", error.what());
    return 1;
  }
  std::puts("pacer_bench: every promise is kept");
  return 0;
}
