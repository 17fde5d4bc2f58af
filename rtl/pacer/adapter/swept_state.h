// Clocks and state of verilated designs whose whole state is in their root module.
#pragma once

#include <verilated.h>

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace dcc {

/// Lowers the clock clk_i without an evaluation: no logic of these designs depends on a falling
/// edge. Returns false if this version of Verilator keeps the clock's previous value elsewhere; the
/// caller then evaluates the design with a low clock.
template <class Root>
auto lower_clock(Root& root, int) -> decltype(root.__Vtrigrprev__TOP__clk_i, bool()) {
  root.clk_i = 0;
  root.__Vtrigrprev__TOP__clk_i = 0;
  return true;
}
template <class Root>
bool lower_clock(Root&, long) {
  return false;
}

/// Makes a rising and a falling edge of clk_i; inputs that changed take part in the rising edge.
template <class Top>
void make_clock_cycle(Top& top) {
  top.clk_i = 1;
  top.eval();
  if (lower_clock(*top.rootp, 0)) return;
  top.clk_i = 0;
  top.eval();
}

/// The state of a design after the sweep of its memories, which takes many cycles and has the same
/// result in all instances with the same settings: later instances copy the state of an earlier
/// one.
template <class Root, class Settings>
class SweptState {
 public:
  /// Precondition: `root` was evaluated before. Returns false if no state is there.
  bool copy_to(Root& root, const Settings& settings) const {
    for (const auto& [of, image] : kept_) {
      if (!(of == settings)) continue;
      std::memcpy(begin(root), image.data(), image.size());
      return true;
    }
    return false;
  }
  void keep(Root& root, const Settings& settings) {
    const unsigned char* const first = begin(root);
    kept_.emplace_back(settings, std::vector<unsigned char>(first, end(root)));
  }

 private:
  // What comes before and after identifies the instance.
  static unsigned char* begin(Root& root) {
    return reinterpret_cast<unsigned char*>(&root) + sizeof(VerilatedModule);
  }
  static const unsigned char* end(const Root& root) {
    return reinterpret_cast<const unsigned char*>(&root.vlSymsp);
  }

  std::vector<std::pair<Settings, std::vector<unsigned char>>> kept_;
};

}  // namespace dcc
