#include "disturb/memory_faults.h"

#include "app/boot_block.h"
#include "build/platform.h"
#include "build/ranks.h"
#include "software/host_driver.h"

namespace dcc::vp {

MemoryFaults::Flip::Flip(const FaultParameters& parameters, HostDriver& driver)
    : fault(parameters),
      host(driver),
      event(Event::calling<&Flip::happen>(*this, kMemoryFaultRank)) {}

void MemoryFaults::Flip::happen() {
  std::uint8_t& byte = host.ram().data()[fault.address.value - BOOT_RAM_BASE];
  byte = static_cast<std::uint8_t>(byte ^ 1u << fault.bit);
  host.memory_changed(fault.address.value, 1);
}

MemoryFaults::MemoryFaults(Platform& p) : scheduler_(p.scheduler) {
  for (const FaultParameters& fault : p.config.faults) {
    if (fault.kind != FaultKind::kMemoryFlip) continue;
    flips_.emplace_back(fault, *p.hosts[fault.host]->driver());
  }
}

void MemoryFaults::begin() {
  for (Flip& flip : flips_) scheduler_.schedule_at(flip.event, flip.fault.at);
}

namespace {
const PartKind kMemoryFaultsKind(PartKind::kMemoryFaults,
                                 [](Platform& p) { return std::make_unique<MemoryFaults>(p); });
}  // namespace

}  // namespace dcc::vp
