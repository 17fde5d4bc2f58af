// Interface for an observer of a hart's memory accesses and fences.
#pragma once

#include <cstdint>

namespace dcc::riscv {

/// The hart calls these functions in the order of its instructions, each call after its access.
/// While an observer is set, no access is made directly, which slows the hart several times.
class AccessObserver {
 public:
  enum class Kind : std::uint8_t { kLoad, kStore };
  /// Ordering marks aq and rl of an atomic operation; both are false for other accesses.
  struct Ordering {
    bool atomic = false;
    bool acquire = false;
    bool release = false;
  };

  virtual ~AccessObserver() = default;
  virtual void accessed(Kind kind, std::uint32_t address, std::uint32_t size, std::uint32_t pc,
                        Ordering ordering) = 0;
  /// The hart executed a fence. The four bits of each set are i, o, r, w, from bit 3 down.
  virtual void fenced(unsigned predecessors, unsigned successors) = 0;
  /// The hart enters the handler of an interrupt.
  virtual void interrupted() = 0;
};

}  // namespace dcc::riscv
