// Measures how long the interrupts of a host wait until a hart takes them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machine/interrupt_inputs.h"
#include "registers/machine_map.h"
#include "riscv/isa.h"
#include "stats/log_histogram.h"
#include "units.h"

namespace dcc::model {

/// The latency of an interrupt is the time from its request to the hart's entry into the trap
/// handler that serves the interrupt. The latency includes the time during which software masks the
/// interrupt anywhere: in mstatus, in mie, or in the interrupt controller.
///
/// A timer or software interrupt of a hart is requested when its line rises, and served when the
/// hart next traps with that cause. A source of the interrupt controller is requested when it
/// becomes pending, and served by the trap in whose handler software claims the source. If a
/// handler claims a source that was requested after the handler's begin, or if software claims
/// without a trap, the latency ends with the claim.
///
/// A hart looks at its lines between quanta (host.quantum), so that latencies of a hart that does
/// not sleep are up to one quantum too long.
class InterruptLatency final : public InterruptRequests {
 public:
  /// Times of one source, over all harts of the host.
  struct Source {
    std::string name;
    LogHistogram ns;              // latencies of the interrupts that were taken, in nanoseconds
    std::uint64_t withdrawn = 0;  // number of requests that ended before a hart took them
    std::uint64_t waiting = 0;    // number of requests that wait now
  };

  /// `now` returns the time of the caller of this object's functions: of a device's event, or of a
  /// SystemC process.
  InterruptLatency(MachineKind machine, unsigned harts, std::function<PicoSeconds()> now);

  /// The line of a hart for timer or software interrupts has this level now.
  void line_changed(unsigned hart, riscv::Cause line, bool high);
  /// The hart entered the handler of an interrupt at its local time `at`.
  void taken(unsigned hart, riscv::Cause cause, PicoSeconds at);
  // Functions of InterruptRequests
  void requested(unsigned source) override;
  void withdrawn(unsigned source) override;
  void claimed(unsigned hart, unsigned source) override;

  /// The timer, software interrupts, and the interrupt controller's sources that have a device, in
  /// this order. The list has the same sources for all hosts with the same machine.
  std::vector<Source> sources() const;

 private:
  /// The times of a source, with its request that waits.
  struct Meter {
    Source source;
    std::optional<PicoSeconds> since;  // time of the request that waits
    void request(PicoSeconds at);
    void withdraw();
    void serve(PicoSeconds at);
  };
  /// A hart's own lines and its last trap of an external interrupt.
  struct Hart {
    Meter timer, software;
    std::optional<PicoSeconds> trapped;
  };

  Meter* meter_of(unsigned hart, riscv::Cause line);

  std::function<PicoSeconds()> now_;
  std::vector<Hart> harts_;
  std::map<unsigned, Meter> external_;  // sources of the interrupt controller, by number
};

}  // namespace dcc::model
