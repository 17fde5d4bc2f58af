#include "fake_machine.h"

#include <stdexcept>
#include <string>

#include "driver/irq_regs.h"

namespace dcc::test {
namespace {

constexpr std::uint64_t kAccessNs = 10;
FakeMachine& self(void* context) { return *static_cast<FakeMachine*>(context); }

}  // namespace

FakeMachine::FakeMachine(std::uint64_t ram_bytes) : ram_(ram_bytes) {
  hal_.context = this;
  hal_.read32 = [](void* c, std::uint64_t address) { return self(c).read(address); };
  hal_.write32 = [](void* c, std::uint64_t address, std::uint32_t value) {
    self(c).write(address, value);
  };
  hal_.memory = [](void* c, std::uint64_t address, std::uint64_t bytes) -> void* {
    FakeMachine& m = self(c);
    if (address < kRamBase || address - kRamBase > m.ram_.size() ||
        bytes > m.ram_.size() - (address - kRamBase)) {
      return nullptr;
    }
    return m.ram_.data() + (address - kRamBase);
  };
  hal_.barrier = [](void*) {};
  hal_.time_ns = [](void* c) { return self(c).now_; };
  hal_.wait_for_interrupt = [](void* c, std::uint64_t deadline) {
    return self(c).wait_for_interrupt(deadline);
  };
}

std::uint8_t* FakeMachine::ram(std::uint64_t address) {
  if (address < kRamBase || address - kRamBase >= ram_.size()) {
    throw std::out_of_range("not RAM: " + std::to_string(address));
  }
  return ram_.data() + (address - kRamBase);
}

void FakeMachine::run_events() {
  while (!events_.empty() && events_.begin()->first <= now_) {
    const auto event = events_.begin()->second;
    events_.erase(events_.begin());
    event();
  }
}

std::uint32_t FakeMachine::claimable() const {
  const std::uint32_t candidates = levels() & enabled_ & ~in_service_;
  for (std::uint32_t source = 1; source < 32; ++source) {
    if ((candidates >> source & 1u) != 0) return source;
  }
  return 0;
}

std::uint32_t FakeMachine::read(std::uint64_t address) {
  ++reads_;
  now_ += kAccessNs;
  run_events();
  if (address == DCC_INTERRUPT_CONTROLLER_BASE + IRQ_CLAIM_OFFSET) {
    const std::uint32_t source = claimable();
    if (source != 0) in_service_ |= 1u << source;
    return source;
  }
  const auto found = registers_.find(address);
  const std::uint32_t value = found == registers_.end() ? 0 : found->second;
  return on_read ? on_read(address, value) : value;
}

void FakeMachine::write(std::uint64_t address, std::uint32_t value) {
  now_ += kAccessNs;
  run_events();
  writes_.push_back({address, value});
  if (address == DCC_INTERRUPT_CONTROLLER_BASE + IRQ_ENABLE_OFFSET) enabled_ = value;
  if (address == DCC_INTERRUPT_CONTROLLER_BASE + IRQ_COMPLETE_OFFSET) in_service_ &= ~(1u << value);
  registers_[address] = value;
  if (on_write) on_write(address, value);
}

int FakeMachine::wait_for_interrupt(std::uint64_t deadline_ns) {
  ++waits_;
  for (;;) {
    run_events();
    if (claimable() != 0) return 1;
    if (now_ >= deadline_ns) return 0;
    if (!events_.empty() && events_.begin()->first <= deadline_ns) {
      now_ = events_.begin()->first;
    } else if (deadline_ns != UINT64_MAX) {
      now_ = deadline_ns;
    } else {
      throw std::logic_error("the program waits for ever");
    }
  }
}

}  // namespace dcc::test
