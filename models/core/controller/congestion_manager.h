// The congestion management module: the three paths into it, step by step.
#pragma once

#include <cstdint>
#include <optional>

#include "controller/flow_table.h"
#include "controller/parameter_store.h"
#include "controller/parameters.h"
#include "controller/rate_engine.h"
#include "controller/timer_engine.h"

namespace dcc {

/// Since the last reset(); the names are those of the register map. rate_decreases and
/// rate_increases count calculations, rate_updates the changes that came of them.
struct ControllerStatistics {
  std::uint64_t cnps_received = 0;
  std::uint64_t cnps_dropped_no_slot = 0;
  std::uint64_t cnps_coalesced = 0;
  std::uint64_t byte_notifications = 0;
  std::uint64_t byte_notifications_unmatched = 0;
  std::uint64_t rate_decreases = 0;
  std::uint64_t rate_increases = 0;
  std::uint64_t rate_updates = 0;
  std::uint64_t slots_bound = 0;
  std::uint64_t slots_released = 0;
  std::uint64_t slots_in_use_max = 0;
  std::uint64_t cnps_lost = 0;
  std::uint64_t inputs_dropped = 0;
};

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
  /// A packet of `length` bytes has been sent.
  std::optional<RateAnswer> bytes(std::uint32_t flow, std::uint8_t dscp, std::uint32_t length);
  /// The timer event of a slot has completed.
  std::optional<RateAnswer> timer(SlotIndex slot, Tick now);

  const ControllerParameters& parameters() const { return parameters_; }
  /// Live; acts from the next notification on.
  void set_parameters(const ControllerParameters& parameters);
  const RateTables& tables() const { return tables_; }
  bool write_table(RateTable table, std::uint32_t index, std::uint32_t word);

  /// Releases every slot, cancels every event, clears statistics. Parameters and tables stay.
  void reset(Tick now);

  const FlowTable& flows() const { return flows_; }
  const SlotParameters& slot(SlotIndex slot) const { return store_[slot]; }
  const ControllerStatistics& statistics() const { return statistics_; }
  /// Null switches it off.
  void observe(SlotObserver* observer) { observer_ = observer; }

 private:
  void initialise(SlotParameters& slot, std::uint8_t dscp);
  bool increase(SlotParameters& slot, std::uint32_t packets);
  bool marks_law() const { return !parameters_.rate.averaging; }
  void cut(SlotParameters& slot, std::uint32_t delta, std::uint8_t marks, bool first);
  void cut_by_marks(SlotParameters& slot, std::uint8_t marks, std::uint8_t packets, bool first);
  std::optional<RateAnswer> all_clear(SlotIndex slot, std::uint32_t flow);
  void hold_step(SlotParameters& slot);
  static void end_hold(SlotParameters& slot);
  bool timer_by_marks(SlotParameters& slot, Tick now);
  IncreaseStage stage(const SlotParameters& slot) const;
  RateAnswer answer(std::uint32_t flow, RateBits rate);
  void notify(SlotIndex slot, std::uint32_t flow, SlotChange change) {
    if (observer_ != nullptr) observer_->slot_changed(slot, flow, change);
  }

  FlowTable flows_;
  ParameterStore store_;
  RateEngine& rates_;
  TimerEngine& timers_;
  ControllerParameters parameters_;
  RateTables tables_;
  ControllerStatistics statistics_;
  SlotObserver* observer_ = nullptr;
};

}  // namespace dcc
