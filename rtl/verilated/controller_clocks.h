// Clock edges of a verilated controller: one clock, or one clock per part of the design
// (controller_clocks.cmake), of which only the parts that need an edge get one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dcc {

/// Clocks of the controller's parts, with the bit numbers of need_o of controller_rtl_dut.sv.
constexpr std::uint32_t kAllClocks = 0x3FF;
constexpr std::uint32_t kWheelClock = 1 << 8;
/// Clocks of the parts through which events move: lookup, classify, rate, finish.
constexpr std::uint32_t kStageClocks = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 5;

/// One clock for all parts, toggled in Verilator's usual way.
class OneClock {
 public:
  static constexpr bool kParts = false;
  template <class Top>
  void begin(Top&) {}
  template <class Top>
  std::uint32_t needed(const Top&) const {
    return kAllClocks;
  }
  /// True if issued events wait only beside the rate unit or as answers, and nothing else has work.
  template <class Top>
  bool gliding(const Top& top) const {
    return top.gliding_o;
  }
  /// Lets Verilator take over changed values of inputs.
  template <class Top>
  void set(Top& top) {
    top.set_i = 1;
    top.eval();
    top.set_i = 0;
    top.eval();
  }
  template <class Top>
  void raise(Top& top, std::uint32_t) {
    top.clk_i = 1;
    top.eval();
  }
  template <class Top>
  void lower(Top& top) {
    top.clk_i = 0;
    top.eval();
  }
};

/// A clock for each part. No logic depends on a falling edge and no edge causes another one, so the
/// result of Verilator's search for triggers is known: the triggers that a clock's edge fires are
/// determined once (kFind) and then passed to the evaluation (kEvaluate).
template <class Root, void (*kFind)(Root*), void (*kEvaluate)(Root*)>
class PartClocks {
 public:
  static constexpr bool kParts = true;
  /// Sets the state during reset: all clocks are low.
  template <class Top>
  void begin(Top& top) {
    CData* const pins[kEdges] = {&top.clk_inputs_i,  &top.clk_lookup_i,   &top.clk_classify_i,
                                 &top.clk_rate_i,    &top.clk_beside_i,   &top.clk_finish_i,
                                 &top.clk_answers_i, &top.clk_counters_i, &top.clk_wheel_i,
                                 &top.clk_regs_i,    &top.clk_i,          &top.set_i};
    std::array<Triggers, kEdges> fired;
    for (std::size_t i = 0; i < kEdges; ++i) {
      *pins[i] = 1;
      kFind(top.rootp);
      fired[i] = top.rootp->__VactTriggered;
      *pins[i] = 0;
      kFind(top.rootp);  // the clock was low before this edge
    }
    for (std::size_t i = 0; i < kHalf; ++i) {
      for (std::size_t bit = 0; bit < kEdges / 2; ++bit) {
        if ((i >> bit & 1) == 0) continue;
        low_[i].set(fired[bit]);
        high_[i].set(fired[bit + kEdges / 2]);
      }
    }
  }
  template <class Top>
  std::uint32_t needed(const Top& top) const {
    return top.all_o ? kAllClocks : top.need_o;
  }
  template <class Top>
  bool gliding(const Top& top) const {
    return top.calm_o && (top.need_o & kStageClocks) == 0;
  }
  template <class Top>
  void set(Top& top) {
    top.quiet_i = top.quiet_o;
    make(*top.rootp, 1u << 11);
  }
  template <class Top>
  void raise(Top& top, std::uint32_t clocks) {
    make(*top.rootp, clocks | 1u << 10);
    if (top.psel_i) set(top);  // the APB gate sees the new quiet_o
  }
  /// Raises clocks of the parts, but not clk_i.
  template <class Top>
  void raise_parts(Top& top, std::uint32_t clocks) {
    if (clocks != 0) make(*top.rootp, clocks);
  }
  template <class Top>
  void lower(Top&) {}

 private:
  using Triggers = decltype(Root::__VactTriggered);
  static_assert(sizeof(Triggers) == sizeof(std::uint64_t), "trigger_bits.h comes first");
  static constexpr std::size_t kEdges = 12;
  static constexpr std::size_t kHalf = 1 << kEdges / 2;

  static void make(Root& root, std::uint32_t edges) {
    root.__VnbaTriggered = low_[edges % kHalf];
    root.__VnbaTriggered.set(high_[edges / kHalf]);
    kEvaluate(&root);
  }

  // Triggers fired by the edges of six clocks, the same for all instances of a design.
  static inline std::array<Triggers, kHalf> low_{}, high_{};
};

}  // namespace dcc
