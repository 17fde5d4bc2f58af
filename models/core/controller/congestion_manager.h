// The congestion management module: the three paths into it, step by step.
#pragma once

#include <cstdint>
#include <optional>

#include "controller/controller_statistics.h"
#include "controller/flow_table.h"
#include "controller/law/law.h"
#include "controller/parameter_store.h"
#include "controller/parameters.h"
#include "controller/rate_engine.h"
#include "controller/timer_engine.h"

namespace dcc {

/// (rate, flow number) for the scheduler.
struct RateAnswer {
  std::uint32_t flow = 0;
  Rate rate;
};

/// Why a slot's parameters changed.
enum class SlotChange : std::uint8_t { kBound, kCut, kByteIncrease, kTimerIncrease, kReleased };

/// Sees every change of a slot right after it; for traces and debuggers. On kReleased the slot is
/// already free and `flow` tells whose it was.
class SlotObserver {
 public:
  virtual void slot_changed(SlotIndex slot, std::uint32_t flow, SlotChange change) = 0;

 protected:
  ~SlotObserver() = default;
};

/// An event started in one tick reaches the timing engine in the next at the latest, and is due in
/// the one after that at the earliest.
constexpr Ticks kMinDelay = 2;

/// Each path is one atomic read-modify-write of a slot. Time comes in as ticks; when the answer
/// reaches the scheduler is the device's business.
class CongestionManager {
 public:
  /// Engines are the caller's and outlive the manager; it loads registers and tables into `rates`.
  CongestionManager(std::uint32_t slots, RateEngine& rates, TimerEngine& timers);

  /// Congestion notification of `flow` (24 bits; greater is a caller's error and masked).
  /// It stands for `marks` marked ones of the `packets` that came since the last (0: not told).
  /// Without AVERAGING no marks are an all clear: a packet arrived unmarked after marked ones only.
  std::optional<RateAnswer> cnp(std::uint32_t flow, std::uint8_t dscp, std::uint8_t marks, Tick now,
                                std::uint8_t packets = 0);
  /// `packets` have been sent, of `length` bytes together.
  std::optional<RateAnswer> bytes(std::uint32_t flow, std::uint8_t dscp, std::uint32_t length,
                                  std::uint32_t packets = 1);
  /// What such bytes do when they are not over the threshold: they count in the flow's `slot`
  /// (FlowTable::kNoSlot: it has none).
  void add_bytes(SlotIndex slot, std::uint8_t dscp, std::uint32_t length, std::uint32_t packets);
  /// So many bytes more would lead to an increase.
  bool over_threshold(SlotIndex slot, std::uint32_t length) const {
    return counts_to_threshold_ && slot != FlowTable::kNoSlot &&
           std::uint64_t{store_[slot].pkt_length} + length > parameters_.byte_threshold;
  }
  /// The timing engine's event of a slot has come up. A cut that restarts the timer leaves that
  /// event where it is, so what it means is the slot's to say.
  struct TimerOutcome {
    enum class Kind : std::uint8_t {
      kExpired,  // an increase
      kStale,    // the slot is due later, and the engine is told so
      kFreed,    // its flow had been released
    } kind;
    std::optional<RateAnswer> answer;
  };
  TimerOutcome timer_event(const TimerExpiry& event, Tick now);
  /// A slot's interval is over.
  std::optional<RateAnswer> timer(SlotIndex slot, Tick now);
  /// The flow is no more: unbinds its slot, which is free when its event comes up.
  void release(std::uint32_t flow);
  /// The rate of the flow's slot, if it has one.
  std::optional<Rate> query(std::uint32_t flow) const;
  // Notifications that the device had to turn away.
  void count_lost_cnp() { ++statistics_.cnps_lost; }
  void count_dropped_input() { ++statistics_.inputs_dropped; }
  /// FlowTable::hold_back.
  void hold_back(std::uint32_t slots) { flows_.hold_back(slots); }

  const ControllerParameters& parameters() const { return parameters_; }
  /// Live; acts from the next notification on.
  void set_parameters(const ControllerParameters& parameters);
  /// The law that CTRL selects.
  const Law& law() const { return *law_; }
  const RateTables& tables() const { return tables_; }
  bool write_table(RateTable table, std::uint32_t index, std::uint32_t word);

  /// Releases every slot, cancels every event, clears statistics. Parameters and tables stay.
  void reset(Tick now);

  const FlowTable& flows() const { return flows_; }
  const SlotParameters& slot(SlotIndex slot) const { return store_[slot]; }
  const ControllerStatistics& statistics() const { return statistics_; }
  /// Of the slots' timer events; the engine's own counters tell what it was asked for.
  const TimerCounters& timer_counters() const { return timer_counters_; }
  /// Null switches it off.
  void observe(SlotObserver* observer) { observer_ = observer; }

 private:
  void initialise(SlotParameters& slot, std::uint8_t dscp);
  void start_timer(SlotIndex slot, Tick now);
  RateAnswer answer(std::uint32_t flow, RateBits rate);
  void notify(SlotIndex slot, std::uint32_t flow, SlotChange change) {
    if (observer_ != nullptr) observer_->slot_changed(slot, flow, change);
  }

  FlowTable flows_;
  ParameterStore store_;
  RateEngine& rates_;
  TimerEngine& timers_;
  ControllerParameters parameters_;
  const Law* law_ = nullptr;
  bool counts_to_threshold_ = false;  // bytes may lead to an increase
  RateTables tables_;
  ControllerStatistics statistics_;
  TimerCounters timer_counters_;
  SlotObserver* observer_ = nullptr;
};

}  // namespace dcc
