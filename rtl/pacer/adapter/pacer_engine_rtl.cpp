// Adapter between the cycles of the pacer interface and clock edges of the verilated pacer.
#include "pacer_engine_rtl.h"

#include <Vpacer_nic.h>
#include <Vpacer_nic___024root.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "single_thread_context.h"
#include "swept_state.h"

// Accesses members of the design's state by the names of the RTL.
#define DCC_PACER(name) pacer_nic_dut__DOT__u_pacer__DOT__##name

namespace dcc {
namespace {

constexpr PacerShape kShape;
constexpr std::uint32_t kRows = kShape.flows / kShape.width;
static_assert(DCC_PACER_FLOWS == kShape.flows && DCC_PACER_WIDTH == kShape.width &&
                  DCC_PACER_DEPTH == kShape.depth,
              "rtl/pacer/CMakeLists.txt and the model");

// Widths of fields, equal to those of dc_pacer_pkg.sv.
constexpr unsigned kTimeBits = 56;
constexpr unsigned kNearBits = 38;
constexpr unsigned kEntryBits = 4 + 2 * kNearBits;
// number of cycles without an overdue packet at which dc_pacer.sv stops counting
constexpr std::uint64_t kCalm = kRows + 8;
// cycles after a change in which the sweep has visited every row
constexpr std::int64_t kSettled = kRows + 4;
constexpr std::int64_t kFewest = 8;  // minimum number of cycles for which a skip saves time
constexpr std::int64_t kMargin = 4;  // number of cycles before a change that are always simulated
constexpr std::int64_t kMost = 1 << 24;  // maximum number of cycles that one look() covers

/// Returns `width` bits of a packed word from bit `at` on. `width` is at most 63. The function
/// reads no 32-bit word without one of these bits, because a row's last word has no next word.
std::uint64_t bits_of(const EData* words, unsigned at, unsigned width) {
  const unsigned first = at / 32, below = at % 32;
  std::uint64_t value = words[first] >> below;
  if (below + width > 32) value |= std::uint64_t{words[first + 1]} << 32 >> below;
  if (below + width > 64) value |= std::uint64_t{words[first + 2]} << (64 - below);
  return value & ((std::uint64_t{1} << width) - 1);
}
void set_bits(EData* words, unsigned at, unsigned width, std::uint64_t value) {
  for (unsigned bit = 0; bit < width;) {
    const unsigned word = (at + bit) / 32, below = (at + bit) % 32;
    const unsigned count = std::min(32 - below, width - bit);
    const auto mask = static_cast<EData>(((std::uint64_t{1} << count) - 1) << below);
    words[word] = (words[word] & ~mask) | (static_cast<EData>(value >> bit << below) & mask);
    bit += count;
  }
}
/// Returns the signed difference of two times, modulo 2^38.
std::int64_t until(std::uint64_t time, std::uint64_t now) {
  constexpr unsigned kUnused = 64 - kNearBits;
  return static_cast<std::int64_t>((time - now) << kUnused) >> kUnused;
}

/// Simulates the pacer's RTL only in cycles in which its outputs or its state may change. In all
/// other cycles the adapter repeats the last answer and counts the cycle; before the next simulated
/// cycle it advances the RTL's counters.
///
/// In a quiet cycle (pacer_nic_dut.sv) only the clocks and the sweep advance. The sweep finds the
/// same candidates as long as no packet passes its start, deadline or lateness limit; the rows'
/// memory contains all these times. After such a time, and after a change of pauses or of the
/// order, the sweep needs one round until its candidates are stable.
class Engine final : public RtlPacerEngine {
 public:
  Engine(const PacerSettings& settings, const RtlPacerOptions& options)
      : fault_(options.fault),
        skip_idle_(options.skip_idle),
        slack_(settings.slack),
        name_("host " + std::to_string(options.host)) {
    context_.fatalOnError(false);  // a failed assertion becomes an exception
    block_ = std::make_unique<Vpacer_nic>(&context_, "pacer");
    block_->scale_i = settings.scale;
    block_->slack_i = settings.slack;
    block_->rst_ni = 1;
    block_->eval();
    // one for each thread, because several threads may make engines at a time
    static thread_local SweptState<Vpacer_nic___024root, std::pair<std::uint32_t, std::uint32_t>>
        swept;
    const std::pair of(settings.scale, settings.slack);
    if (swept.copy_to(*block_->rootp, of)) return;
    block_->rst_ni = 0;
    set(true);
    edge();
    block_->rst_ni = 1;
    block_->eval();
    for (std::uint32_t flow = 0; flow < kShape.flows; ++flow) edge();
    need(block_->init_done_o, "is not ready after its sweep");
    swept.keep(*block_->rootp, of);
  }
  ~Engine() override {
    // Verilator's final() uses the calling thread's context, which may still belong to another
    // engine.
    Verilated::threadContextp(&context_);
    block_->final();
    block_.reset();
  }

  PacerAnswer cycle(const PacerInputs& inputs) override {
    if (ahead_ > 0 && !inputs.post && !inputs.rate && changes_nothing(inputs)) {
      --ahead_;
      ++owed_;
      return answer_;
    }
    catch_up();
    simulate(inputs);
    return answer_;
  }
  PacerAnswer skip(std::uint64_t cycles, const PacerInputs& inputs) override {
    PacerInputs rest;
    rest.now = inputs.now;
    rest.paused = inputs.paused;
    while (cycles > 0) {
      if (ahead_ > 0 && changes_nothing(rest)) {
        const auto now =
            static_cast<std::int64_t>(std::min(cycles, static_cast<std::uint64_t>(ahead_)));
        ahead_ -= now;
        owed_ += now;
        cycles -= static_cast<std::uint64_t>(now);
      } else {
        catch_up();
        simulate(rest);
        --cycles;
      }
    }
    return answer_;
  }
  std::uint64_t edges_made() const override { return made_; }

 private:
  /// Returns true if these inputs do not change the pacer's state; `want` has no effect while no
  /// packet may leave.
  bool changes_nothing(const PacerInputs& inputs) const {
    return inputs.paused == paused_ && (inputs.want == want_ || !begun_);
  }
  /// Simulates a clock cycle with these inputs.
  void simulate(const PacerInputs& inputs) {
    const bool rare = inputs.paused != paused_;
    if (rare || inputs.post || inputs.rate || posted_ || inputs.want != want_) {
      block_->paused_i = paused_ = inputs.paused;
      block_->want_i = want_ = inputs.want;
      block_->post_valid_i = inputs.post;
      if (inputs.post) {
        block_->post_flow_i = inputs.post_flow;
        block_->post_bytes_i = shortened() ? inputs.post_bytes ^ 64u : inputs.post_bytes;
      }
      block_->rate_valid_i = inputs.rate;
      if (inputs.rate) {
        block_->rate_flow_i = inputs.rate_flow;
        block_->rate_i = fault_ == 1 ? inputs.rate_value.raw ^ 1u << 20 : inputs.rate_value.raw;
        block_->rate_priority_i = inputs.priority;
      }
      posted_ = inputs.post || inputs.rate;
      set(rare);
    }
    const bool strict = block_->strict_o;
    edge();
    answer_ = answer();
    ++settled_;
    if (rare || strict != answer_.strict) settled_ = next_look_ = 0;
    if (skip_idle_ && settled_ >= std::max(kSettled, next_look_) && block_->quiet_o &&
        !answer_.strict) {
      look();
    }
  }

  /// Lets the RTL sample its inputs.
  void set(bool rare) {
    block_->set_i = 1;
    block_->set_rare_i = rare;
    block_->eval();
    block_->set_i = block_->set_rare_i = 0;
  }
  void edge() {
    make_clock_cycle(*block_);
    ++made_;
    need(!context_.gotError(), "fails an assertion");
  }
  PacerAnswer answer() const {
    PacerAnswer out;
    out.post_ready = block_->post_ready_o;
    out.rate_ready = block_->rate_ready_o;
    out.refused = block_->post_refused_o;
    out.strict = block_->strict_o;
    out.sent = block_->sent_valid_o;
    if (out.sent) {
      out.flow = block_->sent_flow_o;
      out.bytes = block_->sent_bytes_o;
    }
    return out;
  }

  /// Finds the number of cycles in which, without new inputs, the pacer's answer does not change.
  /// Precondition: the RTL is quiet, and pauses and order changed more than a round of the sweep
  /// ago.
  void look() {
    const auto& root = *block_->rootp;
    std::int64_t next = kMost, wait = 0;
    begun_ = false;
    const auto passes_in = [&](std::int64_t cycles) {
      if (cycles > 0) {
        next = std::min(next, cycles);
      } else if (cycles > -kSettled) {
        wait = std::max(wait, cycles + kSettled);  // the sweep may not have seen this time yet
      }
    };
    static_assert(kRows == 32, "valid_o is a word");
    for (std::uint32_t rows = block_->valid_o; rows != 0; rows &= rows - 1) {
      const auto row = static_cast<unsigned>(__builtin_ctz(rows));
      const EData* const words =
          root.DCC_PACER(u_rows__DOT__u_ram__DOT__u_array__DOT__mem)[row].m_storage;
      for (unsigned at = 0; at < kShape.width * kEntryBits; at += kEntryBits) {
        const auto state = static_cast<unsigned>(bits_of(words, at + 2 * kNearBits, 4));
        const unsigned level = state % 8;
        if (state < 8 || (paused_ >> level & 1) != 0) continue;
        const std::uint64_t now =
            bits_of(root.DCC_PACER(clocks_q).m_storage, level * kTimeBits, kNearBits);
        const std::int64_t start = until(bits_of(words, at + kNearBits, kNearBits), now);
        const std::int64_t deadline = until(bits_of(words, at, kNearBits), now);
        begun_ |= start <= 0;
        passes_in(start);
        passes_in(deadline + 1);
        passes_in(deadline + 1 + slack_);
        next = std::min(next, std::min(start, deadline) + (std::int64_t{1} << (kNearBits - 1)));
      }
    }
    ahead_ = wait == 0 && next >= kFewest + kMargin ? next - kMargin : 0;
    next_look_ = ahead_ > 0 ? 0 : settled_ + (wait > 0 ? wait : next);
  }
  /// Advances the RTL to the present cycle.
  ///
  /// The last two edges are simulated: the first one reads a row at the sweep's old address, and
  /// its result, which would change nothing, is dropped; the second one reads the row at the new
  /// address.
  void catch_up() {
    ahead_ = 0;
    if (owed_ == 0) return;
    settled_ += owed_;
    constexpr std::int64_t kReal = 2;
    if (owed_ > kReal) {
      put_forward(static_cast<std::uint64_t>(owed_ - kReal));
      owed_ = kReal;
      edge();
      --owed_;
      block_->rootp->DCC_PACER(scan4_q) = 0;
    }
    for (; owed_ > 0; --owed_) edge();
  }
  void put_forward(std::uint64_t cycles) {
    auto& root = *block_->rootp;
    EData* const clocks = root.DCC_PACER(clocks_q).m_storage;
    for (unsigned level = 0; level < 8; ++level) {
      if ((paused_ >> level & 1) != 0) continue;
      const unsigned at = level * kTimeBits;
      set_bits(clocks, at, kTimeBits, bits_of(clocks, at, kTimeBits) + cycles);
    }
    root.DCC_PACER(scan_q) = static_cast<std::uint8_t>((root.DCC_PACER(scan_q) + cycles) % kRows);
    root.DCC_PACER(calm_q) = static_cast<std::uint8_t>(
        block_->overdue_o ? 0 : std::min(root.DCC_PACER(calm_q) + cycles, kCalm));
  }
  void need(bool holds, const char* what) const {
    if (holds) return;
    throw std::runtime_error(name_ + ": the verilated pacer " + what);
  }
  bool shortened() { return fault_ == 2 && ++posts_ % 64 == 0; }

  unsigned fault_;
  bool skip_idle_;
  std::int64_t slack_;
  std::string name_;
  SingleThreadContext context_;
  std::unique_ptr<Vpacer_nic> block_;
  std::uint64_t posts_ = 0;
  std::uint64_t made_ = 0;  // number of edges that were simulated

  // Inputs that the RTL sampled at the last edge.
  std::uint8_t paused_ = 0;
  bool want_ = false;
  bool posted_ = false;  // true if the last inputs had a post or a rate
  bool begun_ = false;   // true if a packet may leave in the cycles of ahead_
  PacerAnswer answer_;
  std::int64_t settled_ = 0;    // cycles since pauses or order changed
  std::int64_t next_look_ = 0;  // value of settled_ from which on look() may find something
  std::int64_t ahead_ = 0;      // number of cycles from now on in which the answer does not change
  std::int64_t owed_ = 0;       // number of cycles by which the RTL is behind
};

}  // namespace

std::unique_ptr<RtlPacerEngine> make_rtl_pacer(const PacerSettings& settings,
                                               const RtlPacerOptions& options) {
  return std::make_unique<Engine>(settings, options);
}

}  // namespace dcc

#undef DCC_PACER
