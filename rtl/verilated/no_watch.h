// What may look at the pins of a verilated unit, twice a clock cycle.
#pragma once

namespace dcc {

/// Nothing is watched, nothing is paid.
struct NoWatch {
  /// The inputs of a cycle and the outputs they lead to are there; the clock is low.
  template <class Verilated>
  void settled(Verilated&) {}
  /// The clock has risen; flip-flops hold what comes next.
  template <class Verilated>
  void edge(Verilated&) {}
};

}  // namespace dcc
