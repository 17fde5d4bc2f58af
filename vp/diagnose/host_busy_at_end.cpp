// Diagnosis `host_busy_at_end`: for a long time up to the end of the run firmware did next to
// nothing but handle traps.
#include <fmt/format.h>

#include <algorithm>

#include "describe/readable.h"
#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class HostBusyAtEnd final : public Diagnosis {
  // A handler takes microseconds. If a handler runs for this share of the run, it does not come to
  // its end, or its interrupts leave the program no time.
  static constexpr int kShareOfRun = 10;  // one tenth of the run's duration
  static constexpr PicoSeconds kLeast = kMicroSecond * 100;

  Found after(const Evidence&, const RunResults& results) const override {
    const PicoSeconds limit = std::max(kLeast, PicoSeconds(results.sim_time.count / kShareOfRun));
    const HostResult* longest = nullptr;
    std::size_t hosts = 0;
    for (const HostResult& host : results.hosts) {
      if (kNanoSecond * static_cast<std::int64_t>(host.busy_ns) < limit) continue;
      ++hosts;
      if (longest == nullptr || host.busy_ns > longest->busy_ns) longest = &host;
    }
    if (longest == nullptr) return std::nullopt;
    const PicoSeconds busy = kNanoSecond * static_cast<std::int64_t>(longest->busy_ns);
    return Observation{
        fmt::format(
            "Host {} did next to nothing but handle interrupts and traps for {} up to the "
            "end: its firmware hangs there, or interrupts come faster than it serves them{}",
            longest->id, readable(busy),
            hosts > 1 ? fmt::format(" ({} hosts are like that)", hosts) : ""),
        {{"host", longest->id}, {"busy_s", to_seconds(busy)}, {"hosts", hosts}}};
  }
};

const RegisteredDiagnosis<HostBusyAtEnd> kHostBusyAtEnd{
    "host_busy_at_end",
    "A host's CPU did next to nothing but handle interrupts and traps in the last tenth of the run",
    "Look where it is: `host.gdb`, or `output.trace.cpu: true`; acknowledge the interrupt's cause"};

}  // namespace
}  // namespace dcc::vp
