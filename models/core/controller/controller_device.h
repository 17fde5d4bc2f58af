// The controller as a block in time: notifications in, rates out a fixed number of cycles later.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "controller/congestion_manager.h"
#include "controller/rate_engine.h"
#include "controller/timer_engine.h"
#include "describe/quantities.h"
#include "registers/generated/dcc_map.h"
#include "sim/scheduler.h"

namespace dcc {

/// Who takes the calculated rates: the NIC's scheduler.
class RateSink {
 public:
  virtual void rate_calculated(std::uint32_t flow, Rate rate) = 0;

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
  std::uint32_t latency_cycles = 64;  // 1 … kMaxLatencyCycles: from an input to its answer
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

/// Congestion manager, timing engine and rate engine on the platform's time axis.
///
/// Notifications are calls at scheduler.now(). At one instant the order is CNP, timer, bytes, in
/// whatever order they are called: expiries and byte notifications wait for the device's own event
/// at the end of the instant. For this the device's rank must be above the ranks of everything that
/// delivers notifications.
///
/// Ticks are counted from construction; tick n begins at n · TICK_DIV · clock period as long as
/// TICK_DIV does not change (a change begins the present tick anew). An expiry is taken at the
/// beginning of its tick, but no sooner than kServiceCycles after the one before it. Every answer
/// reaches the sink `latency_cycles` after its input was taken; one that was taken after the
/// beginning of its tick is counted as missed.
class ControllerDevice {
 public:
  /// Cycles between two expiries handed to the congestion manager.
  static constexpr std::uint32_t kServiceCycles = 4;

  /// Null engines mean the models (TimingWheel, RateUnit). std::invalid_argument for a
  /// configuration outside its ranges.
  ControllerDevice(Scheduler& scheduler, const ControllerConfig& config, std::uint32_t rank,
                   RateSink& sink, std::unique_ptr<TimerEngine> timers = nullptr,
                   std::unique_ptr<RateEngine> rates = nullptr);

  // Notifications. While not enabled they are dropped and counted nowhere.
  void cnp(std::uint32_t flow, std::uint8_t dscp, std::uint8_t marks, std::uint8_t packets = 0);
  void bytes(std::uint32_t flow, std::uint8_t dscp, std::uint32_t length);

  // Registers. Values act from the next notification on.
  const ControllerParameters& parameters() const { return manager_.parameters(); }
  void set_parameters(const ControllerParameters& parameters);
  const RateTables& tables() const { return manager_.tables(); }
  /// False if there is no such entry.
  bool write_table(RateTable table, std::uint32_t index, std::uint32_t word);
  /// Releases every slot, cancels every event, clears statistics, lateness and overrun, and drops
  /// answers not delivered yet. Parameters, tables and the time stay. The scheduler keeps the rates
  /// it has: the driver resets before traffic, or gives the flows their rates itself.
  void soft_reset();

  // Reading: side-effect free for the simulated hardware, exact at scheduler.now().
  const ControllerConfig& config() const { return config_; }
  SlotView slot(SlotIndex slot);
  /// The slot of a flow, or none.
  std::optional<SlotIndex> slot_of(std::uint32_t flow) const;
  std::uint32_t free_slots() const;
  const ControllerStatistics& statistics();
  const TimerCounters& timer_counters() const;
  std::uint64_t missed_latency() const { return missed_latency_; }
  Tick timer_lateness_max() const { return lateness_max_; }  // whole ticks
  Tick time() const;                                         // ticks since construction
  Tick timer_lag();
  bool overrun() const { return timers_->overrun(); }
  bool idle() const;  // no slot bound, no event pending

  /// Null switches either off.
  void observe(SlotObserver* observer) { manager_.observe(observer); }
  void on_cause(CauseSink* sink) { causes_ = sink; }

  /// As it is, without settling: pkt_length and the byte notification counts may lack the last
  /// notification; all the rest is exact.
  const CongestionManager& manager() const { return manager_; }
  TimerEngine& timers() { return *timers_; }
  RateEngine& rates() { return *rates_; }

 private:
  struct ByteNotification {
    std::uint32_t flow = 0;
    std::uint32_t length = 0;
    std::uint8_t dscp = 0;
  };
  struct DelayedAnswer {
    PicoSeconds when;
    RateAnswer answer;
  };

  PicoSeconds tick_begin(Tick tick) const;
  void settle();
  void settle_within_instant();
  void apply_held_bytes();
  bool might_increase(const ByteNotification& notification) const;
  void service();
  bool take_expiry();
  void schedule_service(Tick earliest);
  void event_started();
  void send(const std::optional<RateAnswer>& answer);
  void deliver();
  void raise(std::uint32_t causes) {
    if (causes_ != nullptr) causes_->causes_raised(causes);
  }

  Scheduler& scheduler_;
  ControllerConfig config_;
  PicoSeconds latency_;
  PicoSeconds service_time_;
  RateSink& sink_;
  CauseSink* causes_ = nullptr;
  std::unique_ptr<TimerEngine> timers_;
  std::unique_ptr<RateEngine> rates_;
  CongestionManager manager_;

  PicoSeconds tick_period_;
  PicoSeconds tick_origin_;  // when tick_base_ began
  Tick tick_base_ = 0;

  PicoSeconds next_service_;  // earliest moment of the next expiry
  std::uint64_t missed_latency_ = 0;
  Tick lateness_max_ = 0;

  PicoSeconds held_since_;  // instant of the byte notifications that wait
  std::vector<ByteNotification> held_;
  std::vector<DelayedAnswer> answers_;  // ring, a power of two
  std::uint32_t answers_head_ = 0;
  std::uint32_t answers_count_ = 0;

  Event service_event_;
  Event answer_event_;
};

}  // namespace dcc
