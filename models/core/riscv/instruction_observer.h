// Whoever wants to hear of every instruction a hart executes.
#pragma once

#include <cstdint>

#include "riscv/isa.h"

namespace dcc::riscv {

/// Told by Hart::run_observed(); registers and pc of the hart are those after the instruction.
class InstructionObserver {
 public:
  /// The instruction at `pc` has been executed or has trapped; execution goes on at `next`.
  virtual void executed(const DecodedOp& op, std::uint32_t pc, std::uint32_t next,
                        bool trapped) = 0;
  /// An interrupt was taken between two instructions: `from` is where it hit.
  virtual void interrupted(std::uint32_t from, std::uint32_t handler) = 0;

 protected:
  ~InstructionObserver() = default;
};

}  // namespace dcc::riscv
