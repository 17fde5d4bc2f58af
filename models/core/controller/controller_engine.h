// What a controller is, whoever computes it: the model, verilated RTL, or both side by side.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "controller/congestion_manager.h"
#include "controller/controller_timing.h"
#include "describe/quantities.h"
#include "registers/generated/dcc_map.h"
#include "sim/scheduler.h"

namespace dcc {

/// Who takes the calculated rates: the NIC's scheduler.
class RateSink {
 public:
  virtual void rate_calculated(std::uint32_t flow, Rate rate) = 0;
  /// A query's answer: the rate of the flow's slot, or none. For those who ask.
  virtual void query_answered(std::uint32_t /*flow*/, std::optional<Rate> /*rate*/) {}

 protected:
  ~RateSink() = default;
};

/// Causes of an interrupt, as bits; positions of the register map.
enum ControllerCause : std::uint32_t {
  kCauseTableFull = 1u << 0,  // a CNP found no free slot
  kCauseOverrun = 1u << 1,    // the timing engine fell 2^15 ticks behind
};

/// Hears of causes as they arise (each time, not only the first); the register block keeps them.
class CauseSink {
 public:
  virtual void causes_raised(std::uint32_t causes) = 0;

 protected:
  ~CauseSink() = default;
};

class ParameterVisitor;

/// CAPS has eight bits for it.
constexpr std::uint32_t kMaxLatencyCycles =
    regs::dcc_map::kCapsLatencyMask >> regs::dcc_map::kCapsLatencyShift;

/// What an instance is built with.
struct ControllerConfig {
  std::uint32_t slots = 1024;  // 1 … kMaxSlots
  Frequency clock{250'000'000};
  PicoSeconds tick = kMicroSecond;    // of the timing engine; its registers start at a reset value
  std::uint32_t latency_cycles = 64;  // timing::kMinLatency … kMaxLatencyCycles: issue to answer
  std::array<unsigned, 3> split{5, 5, 6};  // bits of the wheel's levels, first to last

  PicoSeconds clock_period() const { return clock.cycles(1); }
  void describe(ParameterVisitor& v);
  /// Throws ParameterError when values do not go together.
  void check() const;
};

/// One slot as the register window shows it.
struct SlotView {
  std::optional<std::uint32_t> flow;  // none: free
  SlotParameters parameters;
  std::optional<std::uint32_t> timer_due;  // 16 bits and the epoch bit; none: not pending
};

class ControllerModel;

/// The congestion controller: inputs at its ports, accesses of software, a look inside. Calls come
/// in time order; docs/controller-contract.md says what happens when.
class ControllerEngine {
 public:
  virtual ~ControllerEngine() = default;

  // Notifications. While not enabled they are dropped and counted nowhere.
  virtual void cnp(std::uint32_t flow, std::uint8_t dscp, std::uint8_t marks,
                   std::uint8_t packets = 0) = 0;
  virtual void bytes(std::uint32_t flow, std::uint8_t dscp, std::uint32_t length) = 0;

  // Commands, enabled or not.
  /// The queue pair is destroyed: the flow loses its slot.
  virtual void release(std::uint32_t flow) = 0;
  /// Asks for the flow's rate: RateSink::query_answered.
  virtual void query(std::uint32_t flow) = 0;

  // ---- Registers ----
  virtual const ControllerParameters& parameters() const = 0;
  virtual const RateTables& tables() const = 0;
  /// Carries out an access of software: the model acts on what the register block has decoded, the
  /// RTL on the transfer itself. A write, and a read of a table or a slot, waits until no event is
  /// under way, and acts on what is issued afterwards. An access at the very instant of
  /// construction comes before the first edge and waits for nothing.
  ///
  /// A write of CTRL.SOFT_RESET forgets every slot, timer event, waiting input and answer under
  /// way, and clears statistics, lateness and overrun. Parameters, tables and the time stay. The
  /// reset takes a cycle for each slot and some more; inputs that come meanwhile are dropped and
  /// counted. The scheduler keeps the rates it has: the driver resets before traffic, or gives the
  /// flows their rates itself.
  virtual void access(regs::RegisterAccess& access) = 0;
  /// The registers have these values without an access: at power-up, or after a reset by the pin,
  /// which forgets the slots as a soft reset does.
  virtual void set_parameters(const ControllerParameters& parameters, bool reset = false) = 0;

  // A look inside: side-effect free for the simulated hardware, exact at the present edge.
  virtual const ControllerConfig& config() const = 0;
  virtual bool ready() = 0;
  virtual SlotView slot(SlotIndex slot) = 0;
  /// The slot of a flow, or none.
  virtual std::optional<SlotIndex> slot_of(std::uint32_t flow) = 0;
  virtual std::uint32_t free_slots() = 0;
  virtual const ControllerStatistics& statistics() = 0;
  virtual const TimerCounters& timer_counters() = 0;
  virtual std::uint64_t missed_latency() = 0;
  virtual Tick timer_lateness_max() = 0;  // whole ticks
  virtual Tick time() = 0;
  virtual Tick timer_lag() = 0;
  virtual bool overrun() = 0;
  virtual bool idle() = 0;  // every slot free

  /// Null switches either off. Slots are observed in the cycle in which they change.
  virtual void observe(SlotObserver* observer) = 0;
  virtual void on_cause(CauseSink* sink) = 0;
  /// The end of a run: what compares two compares what is left in them. Throws with a report.
  virtual void finish() {}
  /// The model that computes it, alone or beside RTL; null: there is none.
  virtual ControllerModel* model() = 0;
};

/// Makes an engine; arguments as in make_controller(). Null: the model.
using ControllerEngineFactory = std::function<std::unique_ptr<ControllerEngine>(
    Scheduler&, const ControllerConfig&, std::uint32_t rank, RateSink&)>;

class TimerEngine;
class RateEngine;
/// Makes a controller: by `make_engine`, or the model if that is empty or makes none. `rank` is
/// that of the answers among the events of one instant. Null engines mean the models (TimingWheel,
/// RateUnit); `timers` and `rates` are parts of the model alone. Throws std::invalid_argument for a
/// configuration outside its ranges.
std::unique_ptr<ControllerEngine> make_controller(Scheduler& scheduler,
                                                  const ControllerConfig& config,
                                                  std::uint32_t rank, RateSink& sink,
                                                  std::unique_ptr<TimerEngine> timers,
                                                  std::unique_ptr<RateEngine> rates,
                                                  const ControllerEngineFactory& make_engine);

}  // namespace dcc
