#include "riscv/call_tracker.h"

#include <cstdio>

namespace dcc::riscv {
namespace {

bool links(const DecodedOp& op) {
  constexpr std::uint8_t kRa = 1;
  constexpr std::uint8_t kT0 = 5;
  return op.rd == kRa || op.rd == kT0;
}

}  // namespace

CallTracker::Frame CallTracker::frame_at(std::uint32_t address, std::string& name) const {
  const SymbolTable::Symbol* const symbol = symbols_ != nullptr ? symbols_->find(address) : nullptr;
  if (symbol == nullptr) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", address);
    name = text;
    return {address, address + 1, 0, false};
  }
  name = symbol->name;
  const std::uint32_t bytes = symbol->bytes != 0 ? symbol->bytes : 4096;
  return {symbol->address, symbol->address + bytes, 0, false};
}

void CallTracker::push(std::uint32_t target, std::uint32_t return_to, bool trap,
                       std::uint64_t cycle) {
  if (frames_.size() == kMaxFrames) {
    ++untold_;
    return;
  }
  std::string name;
  Frame frame = frame_at(target, name);
  frame.return_to = return_to;
  frame.trap = trap;
  frames_.push_back(frame);
  sink_.enter(cycle, name);
}

void CallTracker::pop(std::uint64_t cycle) {
  frames_.pop_back();
  sink_.leave(cycle);
}

void CallTracker::executed(const DecodedOp& op, std::uint32_t pc, std::uint32_t next, bool trapped,
                           std::uint64_t cycle) {
  if (frames_.empty()) push(pc, 0, false, cycle);
  if (trapped) {
    push(next, pc, true, cycle);
    return;
  }
  switch (op.op) {
    case Op::kJal:
    case Op::kJalNear:
    case Op::kJalr:
      if (links(op)) {
        push(next, pc + 2u * op.halfwords, false, cycle);
      } else {
        jump(next, op.op == Op::kJalr, cycle);
      }
      break;
    case Op::kMret:
      leave_trap(cycle);
      break;
    default:
      break;
  }
}

void CallTracker::interrupted(std::uint32_t from, std::uint32_t handler, std::uint64_t cycle) {
  if (frames_.empty()) push(from, 0, false, cycle);
  push(handler, from, true, cycle);
}

// Handles a jump that is no call: a return, a tail call, or a jump within a function.
void CallTracker::jump(std::uint32_t target, bool indirect, std::uint64_t cycle) {
  if (indirect) {
    // The search for the caller does not go beyond a trap's frame, because a trap handler returns
    // by mret.
    for (std::size_t i = frames_.size(); i-- > 0 && !frames_[i].trap;) {
      if (frames_[i].return_to != target || i == 0) continue;
      if (untold_ != 0 && i + 1 == frames_.size()) {
        // This call was not reported to the sink, because it is deeper than kMaxFrames; recursive
        // calls return to the same address.
        --untold_;
        return;
      }
      untold_ = 0;
      while (frames_.size() > i) pop(cycle);
      return;
    }
  }
  if (untold_ != 0) {
    if (indirect) --untold_;
    return;
  }
  const Frame& top = frames_.back();
  if (target >= top.begin && target < top.end) return;
  const std::uint32_t return_to = top.return_to;
  const bool trap = top.trap;
  pop(cycle);
  push(target, return_to, trap, cycle);
}

void CallTracker::leave_trap(std::uint64_t cycle) {
  std::size_t i = frames_.size();
  while (i > 0 && !frames_[i - 1].trap) --i;
  if (i == 0) return;  // the program executed mret without a trap, for example to enter user mode
  untold_ = 0;
  while (frames_.size() >= i) pop(cycle);
}

void CallTracker::finish(std::uint64_t cycle) {
  while (!frames_.empty()) pop(cycle);
  untold_ = 0;
}

}  // namespace dcc::riscv
