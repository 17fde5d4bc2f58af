// Findings about a host's software: queue pairs without another end, DMA to addresses that are not
// memory, races of harts and DMA.
#include <fmt/format.h>

#include <memory>

#include "build/platform.h"
#include "software/host_driver.h"

namespace dcc::vp {
namespace {

/// One sentence on the DMA faults of a host. Precondition: the host has DMA faults.
std::string fault_note(Host& host) {
  const DmaFaults& faults = host.nic().host()->dma_faults();
  const DmaFault& first = faults.first();
  std::string which = fmt::format("{} {}", first.numbered, first.number);
  if (first.qpn != 0) which += fmt::format(" of queue pair {}", first.qpn);
  return fmt::format(
      "host {}: {} DMA accesses of the NIC went to addresses that are not memory; first, at {:.6g} "
      "us, {} ({}): address {:#x} ({})",
      host.id(), faults.count(), static_cast<double>(first.at.count) / 1e6, first.what, which,
      first.address, host.driver()->bus().describe(first.address));
}

/// The host's race check; null if the host has none.
const riscv::RaceDetector* race_check_of(Host& host) {
  if (host.driver() == nullptr || host.driver()->firmware() == nullptr) return nullptr;
  return host.driver()->firmware()->races();
}

class HostNotes final : public PlatformPart {
 public:
  explicit HostNotes(const Platform& platform) : p_(platform) {}
  void finish(RunResults& results) override {
    for (const std::string& note :
         p_.plan.connections().notes(static_cast<HostId>(p_.hosts.size()))) {
      results.notes.push_back({"lone_queue_pairs", note, {}});
    }
    for (const auto& host : p_.hosts) {
      if (const riscv::RaceDetector* const races = race_check_of(*host)) {
        results.races.push_back(
            {p_.topology.host_ports().host_of(host->id()), races->count(), races->different()});
      }
      if (host->driver() == nullptr || host->nic().host()->dma_faults().count() == 0) continue;
      results.notes.push_back({"dma_faults", fault_note(*host), {}});
    }
  }

 private:
  const Platform& p_;
};

const PartKind kHostNotesKind(PartKind::kHostNotes,
                              [](Platform& p) -> std::unique_ptr<PlatformPart> {
                                return std::make_unique<HostNotes>(p);
                              });

}  // namespace
}  // namespace dcc::vp
