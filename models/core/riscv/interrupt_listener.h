// Interface for an observer of the interrupts that a hart takes.
#pragma once

#include "riscv/isa.h"

namespace dcc::riscv {

class InterruptListener {
 public:
  virtual ~InterruptListener() = default;
  /// The hart enters the handler of the interrupt `cause`, at Hart::cycles().
  virtual void interrupt_taken(Cause cause) = 0;
};

}  // namespace dcc::riscv
