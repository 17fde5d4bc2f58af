// Interface for observers of every instruction that a hart executes.
#pragma once

#include <cstdint>

#include "riscv/isa.h"

namespace dcc::riscv {

/// The interface of an instruction observer, called by Hart::run_observed(). During a call the
/// registers and the pc of the hart are those after the instruction.
class InstructionObserver {
 public:
  /// The instruction at `pc` was executed or trapped. `next`: address of the next instruction.
  virtual void executed(const DecodedOp& op, std::uint32_t pc, std::uint32_t next,
                        bool trapped) = 0;
  /// An interrupt was taken between two instructions. `from`: the instruction that would have been
  /// next.
  virtual void interrupted(std::uint32_t from, std::uint32_t handler) = 0;

 protected:
  ~InstructionObserver() = default;
};

}  // namespace dcc::riscv
