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
  /// Latencies of one interrupt source, over all harts of the host.
  struct Source {
    std::string name;
    LogHistogram ns;  // latencies of the taken interrupts of the source, in nanoseconds
    // number of the source's requests that ended before a hart took them
    std::uint64_t withdrawn = 0;
    std::uint64_t waiting = 0;  // number of the source's requests that wait for a hart now
  };

  /// `now` returns the time of the device event or SystemC process that calls a function of this
  /// object.
  InterruptLatency(MachineKind machine, unsigned harts, std::function<PicoSeconds()> now);

  /// Called when the line of a hart for timer or software interrupts gets a new level.
  void line_changed(unsigned hart, riscv::Cause line, bool high);
  /// Called when the hart entered the handler of an interrupt at its local time `at`.
  void taken(unsigned hart, riscv::Cause cause, PicoSeconds at);
  // Functions of InterruptRequests
  void requested(unsigned source) override;
  void withdrawn(unsigned source) override;
  void claimed(unsigned hart, unsigned source) override;

  /// The timer, software interrupts, and the interrupt controller's sources that have a device, in
  /// this order. The list has the same sources for all hosts with the same machine.
  std::vector<Source> sources() const;

 private:
  /// Latencies of an interrupt source, and the request of the source that waits.
  struct Meter {
    Source source;
    // time of the source's request that waits for a hart; empty: none waits
    std::optional<PicoSeconds> since;
    void request(PicoSeconds at);
    void withdraw();
    void serve(PicoSeconds at);
  };
  /// Timer and software interrupt lines of a hart, and its last trap for an external interrupt.
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
