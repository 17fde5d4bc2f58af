// Which function runs: calls, returns and traps of a program followed instruction by instruction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "riscv/isa.h"
#include "riscv/symbol_table.h"

namespace dcc::riscv {

/// Hears of functions entered and left; every enter() is followed by its leave(), inner first.
class CallSink {
 public:
  virtual void enter(std::uint64_t cycle, const std::string& function) = 0;
  virtual void leave(std::uint64_t cycle) = 0;

 protected:
  ~CallSink() = default;
};

/// Follows the calling convention (RISC-V unprivileged ISA, table 2.1): a jump that links to ra or
/// t0 calls, one to a return address returns, one into another function without linking is a tail
/// call. A trap is a call of its handler that mret ends. Jumps that follow none of this (longjmp, a
/// scheduler's switch of stacks) are taken for tail calls, and what they skip stays open until
/// finish().
class CallTracker {
 public:
  static constexpr std::size_t kMaxFrames = 256;  // deeper calls are followed, but not told

  /// Both outlive this. Without symbols functions are told by their address.
  CallTracker(CallSink& sink, const SymbolTable* symbols) : sink_(sink), symbols_(symbols) {}

  /// The instruction at `pc` has been executed; `next` is where execution goes on, with the trap it
  /// caused (if `trapped`) taken.
  void executed(const DecodedOp& op, std::uint32_t pc, std::uint32_t next, bool trapped,
                std::uint64_t cycle);
  /// An interrupt was taken between two instructions: `from` is where it hit.
  void interrupted(std::uint32_t from, std::uint32_t handler, std::uint64_t cycle);
  /// Leaves everything that is open.
  void finish(std::uint64_t cycle);

 private:
  struct Frame {
    std::uint32_t begin = 0;  // of the function
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
  std::uint32_t untold_ = 0;  // calls beyond kMaxFrames
};

}  // namespace dcc::riscv
