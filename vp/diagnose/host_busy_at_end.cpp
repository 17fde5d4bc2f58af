// Diagnosis `host_busy_at_end`: firmware was still in a trap handler when the run ended, and had
// been for a long time.
#include <fmt/format.h>

#include <algorithm>

#include "describe/readable.h"
#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

class HostBusyAtEnd final : public Diagnosis {
  // A handler takes microseconds. If a handler runs for this share of the run, it does not come to
  // its end, or its interrupts leave the program no time.
  static constexpr int kShareOfRun = 10;  // one tenth of the run
  static constexpr PicoSeconds kLeast = kMicroSecond * 100;

  Found after(const Evidence& evidence) const override {
    const RunResults& results = *evidence.results();
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
        fmt::format("Host {} was in an interrupt or trap handler at the end and had not slept for "
                    "{}: its firmware hangs there, or interrupts come faster than it serves them{}",
                    longest->id, readable(busy),
                    hosts > 1 ? fmt::format(" ({} hosts are like that)", hosts) : ""),
        {{"host", static_cast<double>(longest->id)},
         {"busy_s", to_seconds(busy)},
         {"hosts", static_cast<double>(hosts)}}};
  }
};

const RegisteredDiagnosis<HostBusyAtEnd> kHostBusyAtEnd{
    "host_busy_at_end",
    "A host's CPU ended the run within a trap handler and had not slept for a tenth of the run",
    "Look where it is: `host.gdb`, or `output.trace.cpu: true`; acknowledge the interrupt's cause"};

}  // namespace
}  // namespace dcc::vp
