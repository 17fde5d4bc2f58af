#include "riscv/triggers.h"

namespace dcc::riscv {
namespace {

constexpr std::uint32_t kTypeAddressMatch = 2u << 28;
constexpr std::uint32_t kDmode = 1u << 27;
constexpr std::uint32_t kActionStop = 1u << 12;
constexpr std::uint32_t kMachineBit = 1u << 6;
constexpr std::uint32_t kUserBit = 1u << 3;
constexpr std::uint32_t kWritable = kMachineBit | kUserBit | 7;

}  // namespace

std::uint32_t Triggers::control() const { return kTypeAddressMatch | triggers_[selected_].control; }

bool Triggers::writable(bool from_debugger) const {
  return from_debugger || (triggers_[selected_].control & kDmode) == 0;
}

void Triggers::write_control(std::uint32_t value, bool from_debugger) {
  if (!writable(from_debugger)) return;
  std::uint32_t control = value & kWritable;
  // The action "stop" is kept only for triggers that the debugger owns, since only a debugger can
  // handle a stop.
  if (from_debugger && (value & kDmode) != 0) control |= value & (kDmode | kActionStop);
  triggers_[selected_].control = control;
  watches_data_ = false;
  for (const Trigger& t : triggers_) {
    const bool some_mode = (t.control & (kMachineBit | kUserBit)) != 0;
    watches_data_ |= some_mode && (t.control & (kLoadBit | kStoreBit)) != 0;
  }
}

void Triggers::write_address(std::uint32_t value, bool from_debugger) {
  if (writable(from_debugger)) triggers_[selected_].address = value;
}

Triggers::Action Triggers::match(Privilege mode, std::uint32_t kind, std::uint32_t address,
                                 std::uint32_t size) const {
  const std::uint32_t in_mode = mode == Privilege::kMachine ? kMachineBit : kUserBit;
  for (const Trigger& t : triggers_) {
    const bool armed = (t.control & kind) != 0 && (t.control & in_mode) != 0;
    if (!armed || t.address - address >= size) continue;
    return (t.control & kActionStop) != 0 ? Action::kStop : Action::kException;
  }
  return Action::kNone;
}

}  // namespace dcc::riscv
