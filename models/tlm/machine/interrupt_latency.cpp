#include "machine/interrupt_latency.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace dcc::model {
namespace {

/// Name of a device in results: the device's name in the memory map, in small letters.
std::string source_name(const MachineDevice& device) {
  if (device.name == "DCC") return "controller";
  std::string name = device.name;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

}  // namespace

InterruptLatency::InterruptLatency(MachineKind machine, unsigned harts,
                                   std::function<PicoSeconds()> now)
    : now_(std::move(now)), harts_(harts) {
  for (const MachineDevice& device : machine_map(machine).devices) {
    if (device.interrupt != 0) external_[device.interrupt].source.name = source_name(device);
  }
}

void InterruptLatency::Meter::request(PicoSeconds at) {
  if (!since) since = at;
}

void InterruptLatency::Meter::withdraw() {
  if (since) ++source.withdrawn;
  since.reset();
}

void InterruptLatency::Meter::serve(PicoSeconds at) {
  if (!since) return;
  // A hart that wakes up begins at an edge of its clock, which may lie up to a cycle before the
  // interrupt request.
  const std::int64_t waited = std::max<std::int64_t>(0, (at - *since).count);
  source.ns.add(static_cast<std::uint64_t>(waited / kNanoSecond.count));
  since.reset();
}

InterruptLatency::Meter* InterruptLatency::meter_of(unsigned hart, riscv::Cause line) {
  Hart& one = harts_.at(hart);
  if (line == riscv::Cause::kMachineTimer) return &one.timer;
  return line == riscv::Cause::kMachineSoftware ? &one.software : nullptr;
}

void InterruptLatency::line_changed(unsigned hart, riscv::Cause line, bool high) {
  Meter* const meter = meter_of(hart, line);
  if (meter == nullptr) return;
  high ? meter->request(now_()) : meter->withdraw();
}

void InterruptLatency::taken(unsigned hart, riscv::Cause cause, PicoSeconds at) {
  if (Meter* const meter = meter_of(hart, cause)) {
    meter->serve(at);
  } else {
    harts_[hart].trapped = at;
  }
}

void InterruptLatency::requested(unsigned source) { external_[source].request(now_()); }

void InterruptLatency::withdrawn(unsigned source) { external_[source].withdraw(); }

void InterruptLatency::claimed(unsigned hart, unsigned source) {
  Meter& meter = external_[source];
  const std::optional<PicoSeconds>& trap = harts_.at(hart).trapped;
  const bool by_trap = trap && meter.since && *trap >= *meter.since;
  meter.serve(by_trap ? *trap : now_());
}

std::vector<InterruptLatency::Source> InterruptLatency::sources() const {
  std::vector<Source> all(2);
  const auto add = [](Source& sum, const Meter& meter) {
    sum.ns.merge(meter.source.ns);
    sum.withdrawn += meter.source.withdrawn;
    sum.waiting += meter.since ? 1 : 0;
  };
  all[0].name = "timer";
  all[1].name = "software";
  for (const Hart& hart : harts_) {
    add(all[0], hart.timer);
    add(all[1], hart.software);
  }
  for (const auto& [number, meter] : external_) {
    if (meter.source.name.empty()) continue;  // skips a source without a device
    all.push_back(Source{meter.source.name, {}, 0, 0});
    add(all.back(), meter);
  }
  return all;
}

}  // namespace dcc::model
