// The interface of a congestion controller, implemented by the model, by the verilated RTL, or by
// both in lock-step.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "controller/congestion_manager.h"
#include "controller/controller_timing.h"
#include "describe/quantities.h"
#include "driver/dcc_regs.h"
#include "registers/register_block.h"
#include "sim/scheduler.h"

namespace dcc {

/// Receives the rates that a controller calculates. The NIC's scheduler, or its substitute in a
/// test, implements this interface.
class RateSink {
 public:
  virtual void rate_calculated(std::uint32_t flow, Rate rate) = 0;
  /// Receives the answer to a query of a flow's rate: the rate of the flow's slot; empty if the
  /// flow has no slot.
  virtual void query_answered(std::uint32_t /*flow*/, std::optional<Rate> /*rate*/) {}

 protected:
  ~RateSink() = default;
};

/// Causes of an interrupt as bits, at the positions of the register IRQ_STATUS.
enum ControllerCause : std::uint32_t {
  kCauseTableFull = 1u << 0,  // interrupt cause: a CNP found no free slot
  kCauseOverrun = 1u << 1,    // interrupt cause: the timing engine fell 2^15 ticks behind
};

/// Receives the controller's interrupt causes each time they arise. The register block stores the
/// causes.
class CauseSink {
 public:
  virtual void causes_raised(std::uint32_t causes) = 0;

 protected:
  ~CauseSink() = default;
};

class ParameterVisitor;

/// The greatest configurable latency in cycles; the register CAPS has eight bits for the latency.
constexpr std::uint32_t kMaxLatencyCycles = DCC_CAPS_LATENCY_MASK >> DCC_CAPS_LATENCY_SHIFT;

/// Properties of a controller that are fixed when the controller is built.
struct ControllerConfig {
  std::uint32_t slots = 1024;  // number of slots, 1 … kMaxSlots
  Frequency clock{250'000'000};
  PicoSeconds tick = kMicroSecond;  // length of a tick; the driver writes this length to TICK_DIV
  // cycles from issue to answer, timing::kMinLatency … kMaxLatencyCycles
  std::uint32_t latency_cycles = 64;
  // bits of each level of the timing wheel: top, middle, last
  std::array<unsigned, 3> split{5, 5, 6};

  PicoSeconds clock_period() const { return clock.cycles(1); }
  void describe(ParameterVisitor& v);
  /// Throws ParameterError if values of the configuration contradict each other.
  void check() const;
};

/// One slot as the register window `slots` shows it.
struct SlotView {
  std::optional<std::uint32_t> flow;  // flow that the slot is bound to; empty: the slot is free
  SlotParameters parameters;
  // due tick of the slot's timer: 16 bits and the epoch bit; empty: not pending
  std::optional<std::uint32_t> timer_due;
};

class ControllerModel;

/// The congestion controller: input ports, register accesses, and inspection. Calls must come in
/// the order of time. docs/controller-contract.md defines the cycle of every effect.
class ControllerEngine {
 public:
  virtual ~ControllerEngine() = default;

  // ---- Notifications: dropped and not counted while CTRL.ENABLE is 0 ----
  /// A congestion notification of `flow`, which stands for `marks` CE marks among the `packets`
  /// that arrived since the previous notification; packets 0: number unknown.
  virtual void cnp(std::uint32_t flow, std::uint8_t dscp, std::uint8_t marks,
                   std::uint8_t packets = 0) = 0;
  virtual void bytes(std::uint32_t flow, std::uint8_t dscp, std::uint32_t length) = 0;

  // ---- Commands: carried out whether enabled or not ----
  /// Releases the flow's slot, because its queue pair was destroyed.
  virtual void release(std::uint32_t flow) = 0;
  /// Asks for the rate of a flow; the answer goes to RateSink::query_answered.
  virtual void query(std::uint32_t flow) = 0;

  // ---- Registers ----
  virtual const ControllerParameters& parameters() const = 0;
  virtual const RateTables& tables() const = 0;
  /// Carries out a register access of software: the model uses the register block's decoding of the
  /// transfer, the RTL the transfer itself. A write, and a read of a table or a slot, waits until
  /// no event is under way, and affects the events that are issued afterwards. An access at the
  /// very instant of construction comes before the first clock edge and waits for nothing.
  ///
  /// A write of CTRL.SOFT_RESET forgets every slot, timer event, waiting input and answer under
  /// way, and clears statistics, lateness and overrun. Parameters, tables and the time stay. The
  /// reset takes a cycle for each slot and some more; inputs that come meanwhile are dropped and
  /// counted. The scheduler keeps the flows' present rates, so the driver must reset before traffic
  /// starts or set the rates of the flows itself.
  virtual void access(regs::RegisterAccess& access) = 0;
  /// Sets all registers without a register access, at power-up or after a reset by the pin. A reset
  /// by the pin clears the slots as a soft reset does.
  virtual void set_parameters(const ControllerParameters& parameters, bool reset = false) = 0;

  // ---- Inspection: no side effect on the simulated hardware, exact at the present edge ----
  virtual const ControllerConfig& config() const = 0;
  virtual bool ready() = 0;
  virtual SlotView slot(SlotIndex slot) = 0;
  /// The slot of a flow; empty if the flow has none.
  virtual std::optional<SlotIndex> slot_of(std::uint32_t flow) = 0;
  virtual std::uint32_t free_slots() = 0;
  virtual const ControllerStatistics& statistics() = 0;
  virtual const TimerCounters& timer_counters() = 0;
  /// Number of byte notifications that the NIC dropped in front of the port, since more than
  /// timing::kAtPort of them waited there.
  virtual std::uint64_t bytes_dropped_at_port() const = 0;
  virtual std::uint64_t missed_latency() = 0;
  virtual Tick timer_lateness_max() = 0;  // greatest lateness of a timer event, in whole ticks
  virtual Tick time() = 0;
  virtual Tick timer_lag() = 0;
  virtual bool overrun() = 0;
  virtual bool idle() = 0;  // true if every slot is free

  /// Sets the slot observer, which is called in the cycle in which a slot changes; null: none.
  virtual void observe(SlotObserver* observer) = 0;
  /// Sets the receiver of interrupt causes; null: none.
  virtual void on_cause(CauseSink* sink) = 0;
  /// Ends a simulation run. An engine in lock-step compares all slots and counters, and throws
  /// LockstepMismatch if they differ.
  virtual void finish() {}
  /// The model of the controller, alone or in lock-step with RTL; null if only RTL computes the
  /// rates.
  virtual ControllerModel* model() = 0;
};

/// Function that makes a controller engine from the arguments of make_controller(). An empty
/// function stands for the model.
using ControllerEngineFactory = std::function<std::unique_ptr<ControllerEngine>(
    Scheduler&, const ControllerConfig&, std::uint32_t rank, RateSink&)>;

class TimerEngine;
class RateEngine;
/// Makes a controller by `make_engine`, or the model if `make_engine` is empty or returns null.
/// `rank` orders the controller's answers among the events of one instant. `timers` and `rates` are
/// parts of the model alone; null stands for TimingWheel and RateUnit. Throws std::invalid_argument
/// for a configuration outside its ranges.
std::unique_ptr<ControllerEngine> make_controller(Scheduler& scheduler,
                                                  const ControllerConfig& config,
                                                  std::uint32_t rank, RateSink& sink,
                                                  std::unique_ptr<TimerEngine> timers,
                                                  std::unique_ptr<RateEngine> rates,
                                                  const ControllerEngineFactory& make_engine);

}  // namespace dcc
