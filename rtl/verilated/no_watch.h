// Observers of the pins of a verilated unit, called twice per clock cycle.
#pragma once

namespace dcc {

/// An observer of pins that does nothing and costs no time.
struct NoWatch {
  /// Called when the inputs of a cycle and the resulting outputs are present and the clock is low.
  template <class Verilated>
  void settled(Verilated&) {}
  /// Called after the rising edge, when flip-flops hold their new values.
  template <class Verilated>
  void edge(Verilated&) {}
};

}  // namespace dcc
