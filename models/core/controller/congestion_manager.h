// The congestion management module, which carries out the patent's three cases step by step.
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

/// Answer of the congestion manager: a new rate of a flow for the scheduler.
struct RateAnswer {
  std::uint32_t flow = 0;
  Rate rate;
};

/// The event that changed a slot's parameters.
enum class SlotChange : std::uint8_t { kBound, kCut, kByteIncrease, kTimerIncrease, kReleased };

/// Interface that is called right after every change of a slot; for traces and debuggers. On
/// kReleased the slot is already free, and `flow` is the flow that had the slot.
class SlotObserver {
 public:
  virtual void slot_changed(SlotIndex slot, std::uint32_t flow, SlotChange change) = 0;

 protected:
  ~SlotObserver() = default;
};

/// Least delay of a started timer event in ticks: the start command reaches the timing engine in
/// the next tick at the latest, and the event is due in the tick after that at the earliest.
constexpr Ticks kMinDelay = 2;

/// The congestion manager: carries out the events of slots, each as one atomic read-modify-write of
/// a slot, and calls the law that CTRL selects once for each event. Time is given in ticks; the
/// caller decides when an answer reaches the scheduler.
class CongestionManager {
 public:
  /// The engines must outlive the manager, which loads the registers and tables into the rate
  /// engine `rates`.
  CongestionManager(std::uint32_t slots, RateEngine& rates, TimerEngine& timers);

  /// Handles a congestion notification of `flow` (24 bits; higher bits are masked). The
  /// notification stands for `marks` marked packets among the `packets` that arrived since the
  /// previous notification (0: unknown), and `count` notifications were joined into this one.
  std::optional<RateAnswer> cnp(std::uint32_t flow, std::uint8_t dscp, std::uint8_t marks, Tick now,
                                std::uint8_t packets = 0, std::uint8_t count = 1);
  /// Counts `packets` packets with `length` bytes in total, which the flow has sent.
  std::optional<RateAnswer> bytes(std::uint32_t flow, std::uint8_t dscp, std::uint32_t length,
                                  std::uint32_t packets = 1);
  /// Counts bytes that do not exceed the threshold in the flow's `slot`; FlowTable::kNoSlot if the
  /// flow has none.
  void add_bytes(SlotIndex slot, std::uint8_t dscp, std::uint32_t length, std::uint32_t packets);
  /// True if `length` additional bytes would exceed the byte threshold of a slot and raise the
  /// slot's rate.
  bool over_threshold(SlotIndex slot, std::uint32_t length) const {
    return counts_to_threshold_ && slot != FlowTable::kNoSlot &&
           std::uint64_t{store_[slot].pkt_length} + length > parameters_.byte_threshold;
  }
  /// Outcome of an expiry of the timing engine. A cut that restarts the timer does not move the
  /// engine's event, so the slot's own due tick decides whether the expiry counts.
  struct TimerOutcome {
    enum class Kind : std::uint8_t {
      kExpired,  // the timer interval of the slot is over
      kStale,    // the slot is due later, and its timer event was started again
      kFreed,    // the slot's flow had been released; the slot is free now
    } kind;
    std::optional<RateAnswer> answer;
  };
  TimerOutcome timer_event(const TimerExpiry& event, Tick now);
  /// Handles the end of a slot's timer interval at tick `now`.
  std::optional<RateAnswer> timer(SlotIndex slot, Tick now);
  /// Unbinds the slot of a flow that has ended. The slot becomes free with its next timer event.
  void release(std::uint32_t flow);
  /// The rate of the flow's slot; empty if the flow has no slot.
  std::optional<Rate> query(std::uint32_t flow) const;
  // Counts a congestion notification that the caller has dropped.
  void count_lost_cnp() { ++statistics_.cnps_lost; }
  void count_dropped_input() { ++statistics_.inputs_dropped; }
  /// Keeps slots from being bound; see FlowTable::hold_back.
  void hold_back(std::uint32_t slots) { flows_.hold_back(slots); }

  const ControllerParameters& parameters() const { return parameters_; }
  /// Replaces the controller's parameters, which act from the next notification on.
  void set_parameters(const ControllerParameters& parameters);
  /// The law that CTRL selects for the controller.
  const Law& law() const { return *law_; }
  /// Result of Law::increases_by_bytes() for the selected law, kept because each packet asks for
  /// it.
  bool increases_by_bytes() const { return increases_by_bytes_; }
  const RateTables& tables() const { return tables_; }
  /// Shares rate tables with `other`: keeps one copy of tables that are equal.
  void share_tables(const RateTables& other) { tables_.share_with(other); }
  bool write_table(RateTable table, std::uint32_t index, std::uint32_t word);

  /// Releases every slot, cancels every timer event and clears the statistics. Parameters and
  /// tables stay.
  void reset(Tick now);

  const FlowTable& flows() const { return flows_; }
  const SlotParameters& slot(SlotIndex slot) const { return store_[slot]; }
  const ControllerStatistics& statistics() const { return statistics_; }
  /// Counters of the slots' timer events. The timing engine's own counters count its starts.
  const TimerCounters& timer_counters() const { return timer_counters_; }
  /// Sets the observer of slot changes; null: none.
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
  bool increases_by_bytes_ = false;
  bool counts_to_threshold_ = false;  // true if counted bytes may lead to a rate increase
  RateTables tables_;
  ControllerStatistics statistics_;
  TimerCounters timer_counters_;
  SlotObserver* observer_ = nullptr;
};

}  // namespace dcc
