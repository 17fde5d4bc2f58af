#include "controller/congestion_manager.h"

#include <algorithm>

#include "controller/law/proportional.h"
#include "controller/rate_unit.h"

namespace dcc {

namespace {

constexpr std::uint32_t kFlowNumberMask = kFlowNumberLimit - 1;
constexpr std::uint8_t kDscpMask = kDscps - 1;

std::uint32_t ticks_since(std::uint32_t t_latest, Tick now) {
  return std::min(kMaxDelta, static_cast<std::uint32_t>(now) - t_latest);
}

std::uint32_t due_after(Ticks interval, Tick now) {
  return static_cast<std::uint32_t>(now) + std::max<Ticks>(1, interval);
}

}  // namespace

CongestionManager::CongestionManager(std::uint32_t slots, RateEngine& rates, TimerEngine& timers)
    : flows_(slots), store_(slots), rates_(rates), timers_(timers) {
  rates_.load(parameters_.rate);
  if (rates_.look_up_in(tables_)) return;
  for (int i = 0; i < kRateTables; ++i) {
    const auto table = static_cast<RateTable>(i);
    for (std::uint32_t k = 0; k < entries(table); ++k)
      rates_.load(table, k, tables_.read(table, k));
  }
}

void CongestionManager::set_parameters(const ControllerParameters& parameters) {
  parameters_ = parameters;
  rates_.load(parameters_.rate);
}

bool CongestionManager::write_table(RateTable table, std::uint32_t index, std::uint32_t word) {
  if (!tables_.write(table, index, word)) return false;
  rates_.load(table, index, tables_.read(table, index));
  return true;
}

// Step (5) of the text's congestion notification path.
std::optional<RateAnswer> CongestionManager::cnp(std::uint32_t flow, std::uint8_t dscp,
                                                 std::uint8_t marks, Tick now,
                                                 std::uint8_t packets) {
  flow &= kFlowNumberMask;
  dscp &= kDscpMask;
  ++statistics_.cnps_received;

  // (5) Match the flow number. (5a) No match: look for a free address, bind, register the timer
  // event; no free address: drop the notification.
  SlotIndex slot = flows_.match(flow);
  const bool first = slot == FlowTable::kNoSlot;
  if (marks_law() && marks == 0) return first ? std::nullopt : all_clear(slot, flow);
  if (first) {
    slot = flows_.bind(flow);
    if (slot == FlowTable::kNoSlot) {
      ++statistics_.cnps_dropped_no_slot;
      return std::nullopt;
    }
    ++statistics_.slots_bound;
    statistics_.slots_in_use_max =
        std::max<std::uint64_t>(statistics_.slots_in_use_max, flows_.taken_slots());
    initialise(store_[slot], dscp);
    notify(slot, flow, SlotChange::kBound);
  }
  SlotParameters& parameters = store_[slot];
  const std::uint32_t delta = first ? 0 : ticks_since(parameters.t_latest, now);
  if (!first && delta < parameters_.decrease_period && (!marks_law() || parameters.t == 1)) {
    ++statistics_.cnps_coalesced;
    return std::nullopt;
  }

  // (5b) Decrease by look-up, with the notification's DSCP.
  parameters.dscp = dscp;
  const RateBits before = parameters.rc;
  if (marks_law()) {
    cut_by_marks(parameters, marks, packets, first);
  } else {
    cut(parameters, delta, marks, first);
    // (5c) Write back. A cut does DCQCN's full bookkeeping.
    parameters.bc = 0;
    parameters.t = 0;
    parameters.pkt_length = 0;
  }
  parameters.t_latest = static_cast<std::uint32_t>(now);
  if (first) {
    start_timer(slot, now);
  } else if (parameters_.timer_restart) {
    // The engine's event finds out when it comes up.
    parameters.due = due_after(parameters_.timer_interval, now);
    ++timer_counters_.cancelled;
    ++timer_counters_.started;
  }
  notify(slot, flow, SlotChange::kCut);

  // (6) The rate to the scheduler. It knows nothing of a freshly bound flow's rate yet.
  if (!first && parameters.rc == before) return std::nullopt;
  return answer(flow, parameters.rc);
}

void CongestionManager::cut(SlotParameters& slot, std::uint32_t delta, std::uint8_t marks,
                            bool first) {
  const DecreaseResult result =
      rates_.decrease({slot.rc, slot.rt, slot.alpha, delta, slot.dscp, marks, first});
  ++statistics_.rate_decreases;
  slot.rc = result.rc;
  slot.rt = result.rt;
  if (!marks_law()) slot.alpha = result.alpha;
}

// A packet arrived unmarked after many that were marked: what a hold waits for, else nothing new.
std::optional<RateAnswer> CongestionManager::all_clear(SlotIndex slot, std::uint32_t flow) {
  SlotParameters& parameters = store_[slot];
  if (!MarksLaw(parameters).holding()) return std::nullopt;
  const RateBits before = parameters.rc;
  end_hold(parameters);
  notify(slot, flow, SlotChange::kTimerIncrease);
  if (parameters.rc == before) return std::nullopt;
  return answer(flow, parameters.rc);
}

// A CNP under the law of marks: counted during a hold, else a cut, which may begin one.
void CongestionManager::cut_by_marks(SlotParameters& slot, std::uint8_t marks, std::uint8_t packets,
                                     bool first) {
  MarksLaw law(slot);
  if (law.holding()) {
    if (MarksLaw::some_unmarked(marks, packets)) {
      end_hold(slot);
    } else {
      law.held_marks(marks);
    }
    return;
  }
  law.notified(marks, packets, parameters_);
  const bool may_hold = parameters_.rate.first_cut != 0;
  if (!first || !may_hold) cut(slot, 0, law.weighed_marks(marks), first);
  if (may_hold && (first || law.swamped(parameters_))) {
    law.begin_hold(first && MarksLaw::promises_all_clear(marks, packets));
    hold_step(slot);
  }
}

void CongestionManager::end_hold(SlotParameters& slot) const {
  MarksLaw(slot).end_hold(parameters_);
  slot.rc = slot.rt;
}

// FIRST_CUT of the target, which is halved.
void CongestionManager::hold_step(SlotParameters& slot) {
  slot.rc = slot.rt;
  cut(slot, 0, 0, true);
}

// A timer event under the law of marks. True if the rate is now at its maximum.
bool CongestionManager::timer_by_marks(SlotParameters& slot, Tick now) {
  MarksLaw law(slot);
  if (law.holding()) {
    const std::uint32_t quiet = ticks_since(slot.t_latest, now);
    if (quiet < law.patience(parameters_) && !law.too_long()) {
      // Marks only tell of the time in which they came.
      if (quiet < parameters_.timer_interval && law.overrated(parameters_)) hold_step(slot);
      slot.t = count_event(slot.t);
      return false;
    }
    law.end_hold(parameters_);
    return increase(slot, law.take_unmarked(parameters_));
  }
  const std::uint32_t packets = law.weighed_packets(law.take_unmarked(parameters_));
  law.interval_passed();
  return increase(slot, packets);
}

// Steps (2) to (6) of the text's byte count path.
std::optional<RateAnswer> CongestionManager::bytes(std::uint32_t flow, std::uint8_t dscp,
                                                   std::uint32_t length, std::uint32_t packets) {
  flow &= kFlowNumberMask;

  // (2) Match the flow number. (3) Read the parameters; not over the threshold: (5) only add.
  const SlotIndex slot = flows_.match(flow);
  if (!over_threshold(slot, length)) {
    add_bytes(slot, dscp, length, packets);
    return std::nullopt;
  }
  statistics_.byte_notifications += packets;
  SlotParameters& parameters = store_[slot];
  parameters.dscp = dscp & kDscpMask;
  const std::uint64_t sum = std::uint64_t{parameters.pkt_length} + length;

  // (4) Increase by look-up. (5) Write back; the remainder counts towards the next event.
  const RateBits before = parameters.rc;
  parameters.pkt_length = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(sum - parameters_.byte_threshold, 0xFFFFFFFF));
  parameters.bc = count_event(parameters.bc);
  increase(parameters, 0);
  notify(slot, flow, SlotChange::kByteIncrease);

  // (6) The rate to the scheduler.
  if (parameters.rc == before) return std::nullopt;
  return answer(flow, parameters.rc);
}

void CongestionManager::add_bytes(SlotIndex slot, std::uint8_t dscp, std::uint32_t length,
                                  std::uint32_t packets) {
  statistics_.byte_notifications += packets;
  if (slot == FlowTable::kNoSlot) {  // no match: drop the notification
    statistics_.byte_notifications_unmatched += packets;
    return;
  }
  SlotParameters& parameters = store_[slot];
  parameters.dscp = dscp & kDscpMask;
  if (marks_law()) {
    for (std::uint32_t i = 0; i < packets; ++i) MarksLaw(parameters).sent_packet();
  } else if (parameters_.byte_counter) {
    parameters.pkt_length += length;
  }
}

CongestionManager::TimerOutcome CongestionManager::timer_event(const TimerExpiry& event, Tick now) {
  const SlotIndex slot = event.slot;
  if (flows_.read(slot) == FlowTable::kNoFlow) {
    flows_.free(slot);
    return {TimerOutcome::Kind::kFreed, std::nullopt};
  }
  const std::uint32_t due = store_[slot].due;
  if (static_cast<std::int32_t>(due - static_cast<std::uint32_t>(event.due)) > 0) {
    const auto ahead = static_cast<std::int32_t>(due - static_cast<std::uint32_t>(now));
    timers_.start(slot, std::max(kMinDelay, static_cast<Ticks>(std::max(0, ahead))), now);
    return {TimerOutcome::Kind::kStale, std::nullopt};
  }
  return {TimerOutcome::Kind::kExpired, timer(slot, now)};
}

void CongestionManager::start_timer(SlotIndex slot, Tick now) {
  store_[slot].due = due_after(parameters_.timer_interval, now);
  timers_.start(slot, std::max(kMinDelay, Ticks{parameters_.timer_interval}), now);
  ++timer_counters_.started;
}

void CongestionManager::release(std::uint32_t flow) {
  const SlotIndex slot = flows_.match(flow & kFlowNumberMask);
  if (slot == FlowTable::kNoSlot) return;
  flows_.unbind(slot);
  ++timer_counters_.cancelled;
  ++statistics_.slots_released;
  notify(slot, flow & kFlowNumberMask, SlotChange::kReleased);
}

std::optional<Rate> CongestionManager::query(std::uint32_t flow) const {
  const SlotIndex slot = flows_.match(flow & kFlowNumberMask);
  if (slot == FlowTable::kNoSlot) return std::nullopt;
  return Rate(store_[slot].rc);
}

// Steps (2) to (5) of the text's timer event path.
std::optional<RateAnswer> CongestionManager::timer(SlotIndex slot, Tick now) {
  ++timer_counters_.expired;
  // (2) Read the flow number by the address, latched before the slot may be freed.
  const std::uint32_t flow = flows_.read(slot);
  SlotParameters& parameters = store_[slot];
  const RateBits before = parameters.rc;

  // (3) Increase by look-up. (4) Write back.
  if (!marks_law()) parameters.t = count_event(parameters.t);
  const bool at_maximum = marks_law() ? timer_by_marks(parameters, now) : increase(parameters, 0);
  notify(slot, flow, SlotChange::kTimerIncrease);

  // (3a) At the maximum rate: clear the flow number. (3b) Else register the next timer event.
  if (at_maximum) {
    flows_.release(slot);
    ++statistics_.slots_released;
    notify(slot, flow, SlotChange::kReleased);
  } else {
    start_timer(slot, now);
  }

  // (5) The rate to the scheduler.
  if (parameters.rc == before) return std::nullopt;
  return answer(flow, parameters.rc);
}

// A flow that was never cut sends at INITIAL_RATE, but not above what its class may have.
void CongestionManager::initialise(SlotParameters& slot, std::uint8_t dscp) {
  slot = {};
  slot.rc = std::min(parameters_.initial_rate, rate_limits(parameters_.rate, tables_, dscp).hi);
  slot.rt = slot.rc;
  if (!marks_law()) slot.alpha = std::min(parameters_.initial_alpha, kOne16);
  slot.dscp = dscp;
}

// True if the rate is now at its maximum.
bool CongestionManager::increase(SlotParameters& slot, std::uint32_t packets) {
  const IncreaseStage now = marks_law() ? IncreaseStage::kAdditive : stage(slot);
  const IncreaseResult result = rates_.increase({slot.rc, slot.rt, slot.dscp, now, packets});
  ++statistics_.rate_increases;
  slot.rc = result.rc;
  slot.rt = result.rt;
  return result.at_maximum;
}

IncreaseStage CongestionManager::stage(const SlotParameters& slot) const {
  if (std::max(slot.t, slot.bc) < parameters_.fast_recovery) return IncreaseStage::kRecovery;
  if (std::min(slot.t, slot.bc) > parameters_.fast_recovery) return IncreaseStage::kHyper;
  return IncreaseStage::kAdditive;
}

RateAnswer CongestionManager::answer(std::uint32_t flow, RateBits rate) {
  ++statistics_.rate_updates;
  return {flow, Rate(rate)};
}

void CongestionManager::reset(Tick now) {
  flows_.reset();
  timers_.reset(now);
  statistics_ = {};
  timer_counters_ = {};
}

}  // namespace dcc
