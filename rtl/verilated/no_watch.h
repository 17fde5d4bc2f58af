// Observers of the pins of a verilated unit, called twice per clock cycle.
#pragma once

namespace dcc {

/// An observer without any action and cost.
struct NoWatch {
  /// The inputs of a cycle and the outputs they lead to are there; the clock is low.
  template <class Verilated>
  void settled(Verilated&) {}
  /// Called after the rising edge, when flip-flops hold their new values.
  template <class Verilated>
  void edge(Verilated&) {}
};

}  // namespace dcc
