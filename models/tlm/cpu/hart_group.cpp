#include "cpu/hart_group.h"

#include <algorithm>

#include "cpu/riscv_cpu.h"

namespace dcc::model {

void HartGroup::suspend(const RiscvCpu& hart) {
  if (!hart.hart().reservation()) return;
  suspended_.push_back(&hart);
  update_guards();
}

void HartGroup::resume(const RiscvCpu& hart) {
  const auto at = std::find(suspended_.begin(), suspended_.end(), &hart);
  if (at == suspended_.end()) return;
  suspended_.erase(at);
  update_guards();
}

// A hart that runs reports its stores only to pages in which a waiting hart holds a reservation.
void HartGroup::update_guards() {
  for (RiscvCpu* const hart : harts_) {
    std::vector<std::uint32_t> addresses;
    for (const RiscvCpu* const other : suspended_) {
      if (other != hart) addresses.push_back(*other->hart().reservation());
    }
    hart->guard(std::move(addresses));
  }
}

void HartGroup::stored(const RiscvCpu* by, std::uint32_t address, std::uint64_t bytes) {
  bool ended = false;
  for (RiscvCpu* const hart : harts_) {
    if (hart == by || !hart->hart().reservation()) continue;
    hart->foreign_store(address, bytes);
    ended = ended || !hart->hart().reservation();
  }
  if (!ended) return;
  const auto lost = [](const RiscvCpu* hart) { return !hart->hart().reservation(); };
  suspended_.erase(std::remove_if(suspended_.begin(), suspended_.end(), lost), suspended_.end());
  update_guards();
}

bool HartGroup::others_run(const RiscvCpu& hart) const {
  return std::any_of(harts_.begin(), harts_.end(), [&](const RiscvCpu* other) {
    return other != &hart && other->state() == RiscvCpu::State::kRunning;
  });
}

void HartGroup::end_others(const RiscvCpu& hart) {
  for (std::size_t i = 0; i < harts_.size(); ++i) {
    if (harts_[i] == &hart) {
      ended_by_ = static_cast<unsigned>(i);
    } else {
      harts_[i]->end_with(hart);
    }
  }
}

}  // namespace dcc::model
