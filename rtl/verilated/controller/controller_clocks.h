// Clock edges of a verilated controller: one clock, or one clock per part of the design
// (controller_clocks.cmake), of which only the parts that need an edge get one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dcc {

/// Clocks of the controller's parts, with the bit numbers of need_o of controller_rtl_dut.sv.
constexpr std::uint32_t kAllClocks = 0x3F;
constexpr std::uint32_t kWheelClock = 1 << 4;
constexpr std::uint32_t kRingClock = 1 << 2;

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
  /// Lets Verilator take over changed values of inputs.
  template <class Top>
  void set(Top& top, bool) {
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
    CData* const pins[kEdges] = {&top.clk_inputs_i,   &top.clk_lookup_i, &top.clk_beside_i,
                                 &top.clk_counters_i, &top.clk_wheel_i,  &top.clk_regs_i,
                                 &top.clk_i,          &top.set_i};
    std::array<Triggers, kEdges> fired;
    for (std::size_t i = 0; i < kEdges; ++i) {
      *pins[i] = 1;
      kFind(top.rootp);
      fired[i] = top.rootp->__VactTriggered;
      *pins[i] = 0;
      kFind(top.rootp);  // the clock was low before this edge
    }
    for (std::size_t i = 0; i < fired_.size(); ++i) {
      for (std::size_t bit = 0; bit < kEdges; ++bit) {
        if ((i >> bit & 1) != 0) fired_[i].set(fired[bit]);
      }
    }
  }
  template <class Top>
  std::uint32_t needed(const Top& top) const {
    return top.all_o ? kAllClocks : top.need_o;
  }
  /// `quiet`: every issued event has been written back.
  template <class Top>
  void set(Top& top, bool quiet) {
    top.quiet_i = quiet && top.swept_o;
    top.set_i = 1;
    make(*top.rootp, 1u << 7);
    top.set_i = 0;
  }
  template <class Top>
  void raise(Top& top, std::uint32_t clocks) {
    make(*top.rootp, clocks | 1u << 6);
    top.cnp_valid_i = top.bytes_valid_i = top.command_valid_i = 0;
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
  static constexpr std::size_t kEdges = 8;

  static void make(Root& root, std::uint32_t edges) {
    root.__VnbaTriggered = fired_[edges];
    kEvaluate(&root);
  }

  // Triggers fired by each set of edges, the same for all instances of a design.
  static inline std::array<Triggers, 1 << kEdges> fired_{};
};

}  // namespace dcc
