#include "controller/congestion_manager.h"

#include <algorithm>

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
  set_parameters(parameters_);
  if (rates_.look_up_in(tables_)) return;
  for (int i = 0; i < kRateTables; ++i) {
    const auto table = static_cast<RateTable>(i);
    for (std::uint32_t k = 0; k < entries(table); ++k)
      rates_.load(table, k, tables_.read(table, k));
  }
}

void CongestionManager::set_parameters(const ControllerParameters& parameters) {
  parameters_ = parameters;
  law_ = &Law::of_number(parameters_.rate.law);
  increases_by_bytes_ = law_->increases_by_bytes();
  counts_to_threshold_ = increases_by_bytes_ && parameters_.byte_counter;
  rates_.load(parameters_.rate);
}

bool CongestionManager::write_table(RateTable table, std::uint32_t index, std::uint32_t word) {
  if (!tables_.write(table, index, word)) return false;
  rates_.load(table, index, tables_.read(table, index));
  return true;
}

// The patent, case 1 (congestion notification), step (5).
std::optional<RateAnswer> CongestionManager::cnp(std::uint32_t flow, std::uint8_t dscp,
                                                 std::uint8_t marks, Tick now, std::uint8_t packets,
                                                 std::uint8_t count) {
  flow &= kFlowNumberMask;
  dscp &= kDscpMask;
  statistics_.cnps_received += count;

  // Step (5): match the flow number. (5a) No match: look for a free address, bind the flow to it,
  // register the timer event; no free address: drop the notification.
  SlotIndex slot = flows_.match(flow);
  const bool first = slot == FlowTable::kNoSlot;
  if (first) {
    if (!law_->binds(marks)) {
      statistics_.cnps_coalesced += count - 1u;
      return std::nullopt;
    }
    slot = flows_.bind(flow);
    if (slot == FlowTable::kNoSlot) {
      statistics_.cnps_dropped_no_slot += count;
      return std::nullopt;
    }
    ++statistics_.slots_bound;
    statistics_.slots_in_use_max =
        std::max<std::uint64_t>(statistics_.slots_in_use_max, flows_.taken_slots());
    initialise(store_[slot], dscp);
    notify(slot, flow, SlotChange::kBound);
  }

  statistics_.cnps_coalesced += count - 1u;

  // Step (5b): decrease the rate by look-up, with the notification's DSCP. (5c) Write the slot
  // back.
  SlotParameters& parameters = store_[slot];
  const RateBits before = parameters.rc;
  const std::uint32_t delta = first ? 0 : ticks_since(parameters.t_latest, now);
  LawPort port(parameters_, rates_, statistics_);
  switch (law_->notify(parameters, {dscp, marks, packets, first, delta}, port)) {
    case CnpOutcome::kIgnored:
      return std::nullopt;
    case CnpOutcome::kCoalesced:
      ++statistics_.cnps_coalesced;
      return std::nullopt;
    case CnpOutcome::kHoldEnded:
      notify(slot, flow, SlotChange::kTimerIncrease);
      break;
    case CnpOutcome::kCut:
      parameters.t_latest = static_cast<std::uint32_t>(now);
      if (first) {
        start_timer(slot, now);
      } else if (parameters_.timer_restart) {
        // The running timer event is not moved. If the event expires before the slot's `due` tick,
        // the expiry is stale, and the event starts again (TimerOutcome::kStale).
        parameters.due = due_after(parameters_.timer_interval, now);
        ++timer_counters_.cancelled;
        ++timer_counters_.started;
      }
      notify(slot, flow, SlotChange::kCut);
      break;
  }

  // Step (6): the rate goes to the scheduler, which knows no rate of a freshly bound flow yet.
  if (!first && parameters.rc == before) return std::nullopt;
  return answer(flow, parameters.rc);
}

// The patent, case 2 (bytes), steps (2) to (6).
std::optional<RateAnswer> CongestionManager::bytes(std::uint32_t flow, std::uint8_t dscp,
                                                   std::uint32_t length, std::uint32_t packets) {
  flow &= kFlowNumberMask;

  // Steps (2) and (3): match the flow number and read its parameters; if the bytes do not exceed
  // the threshold, step (5) only adds them.
  const SlotIndex slot = flows_.match(flow);
  if (!over_threshold(slot, length)) {
    add_bytes(slot, dscp, length, packets);
    return std::nullopt;
  }
  statistics_.byte_notifications += packets;
  SlotParameters& parameters = store_[slot];
  parameters.dscp = dscp & kDscpMask;

  // Step (4): increase the rate by look-up. (5) Write the slot back.
  const RateBits before = parameters.rc;
  LawPort port(parameters_, rates_, statistics_);
  law_->byte_event(parameters, length, port);
  notify(slot, flow, SlotChange::kByteIncrease);

  // Step (6): send the new rate to the scheduler if the rate changed.
  if (parameters.rc == before) return std::nullopt;
  return answer(flow, parameters.rc);
}

void CongestionManager::add_bytes(SlotIndex slot, std::uint8_t dscp, std::uint32_t length,
                                  std::uint32_t packets) {
  statistics_.byte_notifications += packets;
  if (slot == FlowTable::kNoSlot) {  // the flow has no slot, so the notification is dropped
    statistics_.byte_notifications_unmatched += packets;
    return;
  }
  SlotParameters& parameters = store_[slot];
  parameters.dscp = dscp & kDscpMask;
  law_->sent(parameters, length, packets, parameters_);
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

// The patent, case 3 (timer event), steps (2) to (5).
std::optional<RateAnswer> CongestionManager::timer(SlotIndex slot, Tick now) {
  ++timer_counters_.expired;
  // Step (2): read the flow number by the address, latched before the slot may be freed.
  const std::uint32_t flow = flows_.read(slot);
  SlotParameters& parameters = store_[slot];
  const RateBits before = parameters.rc;

  // Step (3): increase the rate by look-up. (4) Write the slot back.
  LawPort port(parameters_, rates_, statistics_);
  const bool at_maximum = law_->timer(parameters, ticks_since(parameters.t_latest, now), port);
  notify(slot, flow, SlotChange::kTimerIncrease);

  // Step (3a): at the maximum rate, clear the flow number. (3b) Otherwise register the next timer
  // event.
  if (at_maximum) {
    flows_.release(slot);
    ++statistics_.slots_released;
    notify(slot, flow, SlotChange::kReleased);
  } else {
    start_timer(slot, now);
  }

  // Step (5): the rate goes to the scheduler if it changed.
  if (parameters.rc == before) return std::nullopt;
  return answer(flow, parameters.rc);
}

// Initialises a slot, which begins at INITIAL_RATE, but not above the greatest rate of its DSCP.
void CongestionManager::initialise(SlotParameters& slot, std::uint8_t dscp) {
  slot = {};
  slot.rc = std::min(parameters_.initial_rate, rate_limits(parameters_.rate, tables_, dscp).hi);
  slot.rt = slot.rc;
  slot.dscp = dscp;
  law_->begin(slot, parameters_);
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
