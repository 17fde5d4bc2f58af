// Follows the calls, returns and traps of a program instruction by instruction, to know which
// function runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "riscv/isa.h"
#include "riscv/symbol_table.h"

namespace dcc::riscv {

/// Receives the functions that a program enters and leaves. Every enter() is followed by a matching
/// leave(); inner functions are left first.
class CallSink {
 public:
  virtual void enter(std::uint64_t cycle, const std::string& function) = 0;
  virtual void leave(std::uint64_t cycle) = 0;

 protected:
  ~CallSink() = default;
};

/// A tracker of calls by the calling convention (RISC-V unprivileged ISA, table 2.1). A jump that
/// links to ra or t0 is a call, a jump to a return address is a return, and a jump into another
/// function without linking is a tail call. A trap counts as a call of its handler, which mret
/// ends. Other jumps (longjmp, a scheduler's switch of stacks) count as tail calls, and the
/// functions that they skip stay open until finish().
class CallTracker {
 public:
  // limit of the depth of reported calls; deeper calls are followed but not reported
  static constexpr std::size_t kMaxFrames = 256;

  /// `sink` and `symbols` must outlive this object. Without symbols functions are named by their
  /// addresses.
  CallTracker(CallSink& sink, const SymbolTable* symbols) : sink_(sink), symbols_(symbols) {}

  /// Records that the instruction at `pc` was executed. `next`: address of the next instruction.
  /// `trapped`: true if the instruction caused a trap, which has been taken.
  void executed(const DecodedOp& op, std::uint32_t pc, std::uint32_t next, bool trapped,
                std::uint64_t cycle);
  /// Records that an interrupt was taken between two instructions. `from`: the instruction that
  /// would have been next.
  void interrupted(std::uint32_t from, std::uint32_t handler, std::uint64_t cycle);
  /// Reports to the sink that all open functions are left.
  void finish(std::uint64_t cycle);

 private:
  struct Frame {
    std::uint32_t begin = 0;  // address at which the function begins
    std::uint32_t end = 0;
    std::uint32_t return_to = 0;
    bool trap = false;
  };
  void push(std::uint32_t target, std::uint32_t return_to, bool trap, std::uint64_t cycle);
  void pop(std::uint64_t cycle);
  void jump(std::uint32_t target, bool indirect, std::uint64_t cycle);
  void leave_trap(std::uint64_t cycle);
  Frame frame_at(std::uint32_t address, std::string& name) const;

  CallSink& sink_;
  const SymbolTable* symbols_;
  std::vector<Frame> frames_;
  std::uint32_t untold_ = 0;  // number of open calls beyond kMaxFrames
};

}  // namespace dcc::riscv
