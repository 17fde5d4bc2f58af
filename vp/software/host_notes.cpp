// Reports problems of a host's software: queue pairs without a peer, DMA to addresses that are not
// memory, races of harts and DMA, latencies of interrupts.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "build/platform.h"
#include "parallel/all_reduce.h"
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

/// Returns the processor of the host; null if the host runs no firmware.
const model::FirmwareHost* firmware_of(Host& host) {
  return host.driver() == nullptr ? nullptr : host.driver()->firmware();
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
      if (const model::FirmwareHost* const firmware = firmware_of(*host)) {
        const HostId id = p_.topology.host_ports().host_of(host->id());
        if (const riscv::RaceDetector* const races = firmware->races()) {
          results.races.push_back({id, races->count(), races->different()});
        }
        add_interrupts(id, *firmware, results);
      }
      if (host->driver() == nullptr || host->nic().host()->dma_faults().count() == 0) continue;
      results.notes.push_back({"dma_faults", fault_note(*host), {}});
    }
  }

 private:
  /// Adds the host's interrupt sources that had a request. Every process knows all hosts, and
  /// counts for its own hosts.
  void add_interrupts(HostId id, const model::FirmwareHost& firmware, RunResults& results) const {
    ProcessGroup* const group = p_.partitions.group();
    for (model::InterruptLatency::Source& source : firmware.interrupt_latency().sources()) {
      InterruptResult result;
      result.host = id;
      result.source = source.name;
      result.withdrawn = source.withdrawn;
      result.waiting = source.waiting;
      AllReduce reduce(group);
      reduce.add(result.withdrawn);
      reduce.add(result.waiting);
      reduce.finish();
      if (group != nullptr) source.ns = LogHistogram::of(group->all_gather(source.ns.counts()));
      result.set_times(source.ns);
      if (result.taken + result.withdrawn + result.waiting == 0) continue;
      results.interrupts.push_back(std::move(result));
    }
  }

  const Platform& p_;
};

const PartKind kHostNotesKind(PartKind::kHostNotes,
                              [](Platform& p) { return std::make_unique<HostNotes>(p); });

}  // namespace
}  // namespace dcc::vp
