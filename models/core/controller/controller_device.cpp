#include "controller/controller_device.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "controller/rate_unit.h"
#include "controller/timing_wheel.h"
#include "registers/generated/dcc_map.h"

namespace dcc {

namespace {

ControllerConfig checked(const ControllerConfig& config) {
  if (config.clock.hertz == 0 || config.clock_period().count <= 0) {
    throw std::invalid_argument("the controller's clock period must be positive");
  }
  if (config.latency_cycles < 1 || config.latency_cycles > kMaxLatencyCycles) {
    throw std::invalid_argument("the controller's latency is 1 to " +
                                std::to_string(kMaxLatencyCycles) + " clock cycles, not " +
                                std::to_string(config.latency_cycles));
  }
  return config;
}

PicoSeconds tick_period(const ControllerConfig& config, const ControllerParameters& parameters) {
  return config.clock_period() *
         std::max(regs::dcc_map::kTickDivValueMin, std::uint32_t{parameters.tick_div});
}

}  // namespace

ControllerDevice::ControllerDevice(Scheduler& scheduler, const ControllerConfig& config,
                                   std::uint32_t rank, RateSink& sink,
                                   std::unique_ptr<TimerEngine> timers,
                                   std::unique_ptr<RateEngine> rates)
    : scheduler_(scheduler),
      config_(checked(config)),
      latency_(config.clock_period() * config.latency_cycles),
      service_time_(config.clock_period() * kServiceCycles),
      sink_(sink),
      timers_(timers ? std::move(timers) : std::make_unique<TimingWheel>(config.slots)),
      rates_(rates ? std::move(rates) : std::make_unique<RateUnit>()),
      manager_(config.slots, *rates_, *timers_),
      tick_period_(tick_period(config, manager_.parameters())),
      tick_origin_(scheduler.now()),
      answers_(16),
      service_event_(Event::calling<&ControllerDevice::service>(*this, rank)),
      answer_event_(Event::calling<&ControllerDevice::deliver>(*this, rank)) {
  held_.reserve(4);
}

Tick ControllerDevice::time() const {
  return tick_base_ + static_cast<Tick>((scheduler_.now() - tick_origin_) / tick_period_);
}

PicoSeconds ControllerDevice::tick_begin(Tick tick) const {
  return tick_origin_ + tick_period_ * (static_cast<std::int64_t>(tick - tick_base_));
}

void ControllerDevice::cnp(std::uint32_t flow, std::uint8_t dscp, std::uint8_t marks,
                           std::uint8_t packets) {
  if (!manager_.parameters().enable) return;
  settle();
  settle_within_instant();
  const std::uint64_t dropped = manager_.statistics().cnps_dropped_no_slot;
  const std::uint64_t started = timers_->counters().started;
  send(manager_.cnp(flow, dscp, marks, time(), packets));
  if (timers_->counters().started != started) event_started();
  if (manager_.statistics().cnps_dropped_no_slot != dropped) raise(kCauseTableFull);
}

void ControllerDevice::bytes(std::uint32_t flow, std::uint8_t dscp, std::uint32_t length) {
  if (!manager_.parameters().enable) return;
  settle();
  const ByteNotification notification{flow & (kFlowNumberLimit - 1), length, dscp};
  if (might_increase(notification)) scheduler_.schedule_at(service_event_, scheduler_.now());
  held_.push_back(notification);
  held_since_ = scheduler_.now();
}

// A byte notification waits for the end of its instant, because a CNP of the same instant goes
// first. If it can cause no answer there is no hurry, and no event: whatever comes next settles it.
bool ControllerDevice::might_increase(const ByteNotification& notification) const {
  if (!manager_.parameters().rate.averaging) return false;  // counted only
  if (!held_.empty()) return true;
  const SlotIndex slot = manager_.flows().match(notification.flow);
  return slot != FlowTable::kNoSlot &&
         std::uint64_t{manager_.slot(slot).pkt_length} + notification.length >
             manager_.parameters().byte_threshold;
}

// Applies byte notifications of earlier instants.
void ControllerDevice::settle() {
  if (!held_.empty() && held_since_ < scheduler_.now()) apply_held_bytes();
}

// Something changes that held byte notifications of this very instant depend on.
void ControllerDevice::settle_within_instant() {
  if (!held_.empty()) scheduler_.schedule_at(service_event_, scheduler_.now());
}

void ControllerDevice::apply_held_bytes() {
  for (const ByteNotification& n : held_) send(manager_.bytes(n.flow, n.dscp, n.length));
  held_.clear();
}

void ControllerDevice::service() {
  settle();
  const bool may_take = scheduler_.now() >= next_service_;
  const bool found_none = may_take && !take_expiry();
  apply_held_bytes();
  schedule_service(found_none ? time() + 1 : 0);
}

bool ControllerDevice::take_expiry() {
  const Tick now = time();
  const bool had_overrun = timers_->overrun();
  const std::optional<TimerExpiry> expiry = timers_->take_expired(now);
  if (!had_overrun && timers_->overrun()) raise(kCauseOverrun);
  if (!expiry.has_value()) return false;
  next_service_ = scheduler_.now() + service_time_;
  if (tick_begin(expiry->due) < scheduler_.now()) {
    ++missed_latency_;
    lateness_max_ = std::max(lateness_max_, now - expiry->due);
  }
  send(manager_.timer(expiry->slot, now));
  return true;
}

void ControllerDevice::schedule_service(Tick earliest) {
  const std::optional<Tick> due = timers_->next_due(time());
  if (!due.has_value()) {
    scheduler_.cancel(service_event_);
    return;
  }
  const PicoSeconds moment = std::max(next_service_, tick_begin(std::max(*due, earliest)));
  scheduler_.schedule_at(service_event_, std::max(moment, scheduler_.now()));
}

// An event was started just now; every event is started with the timer interval.
void ControllerDevice::event_started() {
  const Tick due = time() + std::max<Ticks>(1, manager_.parameters().timer_interval);
  const PicoSeconds moment = std::max(next_service_, tick_begin(due));
  if (!service_event_.is_scheduled() || moment < service_event_.due()) {
    scheduler_.schedule_at(service_event_, moment);
  }
}

void ControllerDevice::send(const std::optional<RateAnswer>& answer) {
  if (!answer.has_value()) return;
  if (answers_count_ == answers_.size()) {
    std::rotate(answers_.begin(), answers_.begin() + answers_head_, answers_.end());
    answers_head_ = 0;
    answers_.resize(answers_.size() * 2);
  }
  const std::size_t mask = answers_.size() - 1;
  const PicoSeconds when = scheduler_.now() + latency_;
  answers_[(answers_head_ + answers_count_++) & mask] = {when, *answer};
  if (!answer_event_.is_scheduled()) scheduler_.schedule_at(answer_event_, when);
}

void ControllerDevice::deliver() {
  while (answers_count_ > 0 && answers_[answers_head_].when <= scheduler_.now()) {
    const RateAnswer answer = answers_[answers_head_].answer;
    answers_head_ = (answers_head_ + 1) & (static_cast<std::uint32_t>(answers_.size()) - 1);
    --answers_count_;
    sink_.rate_calculated(answer.flow, answer.rate);
  }
  if (answers_count_ > 0) scheduler_.schedule_at(answer_event_, answers_[answers_head_].when);
}

void ControllerDevice::set_parameters(const ControllerParameters& parameters) {
  settle();
  settle_within_instant();
  const PicoSeconds period = tick_period(config_, parameters);
  if (period != tick_period_) {
    tick_base_ = time();
    tick_origin_ = scheduler_.now();
    tick_period_ = period;
    if (service_event_.is_scheduled() && held_.empty()) schedule_service(0);
  }
  manager_.set_parameters(parameters);
}

bool ControllerDevice::write_table(RateTable table, std::uint32_t index, std::uint32_t word) {
  settle();
  return manager_.write_table(table, index, word);
}

void ControllerDevice::soft_reset() {
  held_.clear();
  manager_.reset(time());
  scheduler_.cancel(service_event_);
  scheduler_.cancel(answer_event_);
  answers_head_ = 0;
  answers_count_ = 0;
  missed_latency_ = 0;
  lateness_max_ = 0;
}

SlotView ControllerDevice::slot(SlotIndex slot) {
  settle();
  SlotView view;
  const std::uint32_t flow = manager_.flows().read(slot);
  if (flow != FlowTable::kNoFlow) view.flow = flow;
  view.parameters = manager_.slot(slot);
  view.timer_due = timers_->stored_due(slot);
  return view;
}

std::optional<SlotIndex> ControllerDevice::slot_of(std::uint32_t flow) const {
  const SlotIndex slot = manager_.flows().match(flow);
  if (slot == FlowTable::kNoSlot) return std::nullopt;
  return slot;
}

std::uint32_t ControllerDevice::free_slots() const { return manager_.flows().free_slots(); }

const ControllerStatistics& ControllerDevice::statistics() {
  settle();
  return manager_.statistics();
}

const TimerCounters& ControllerDevice::timer_counters() const { return timers_->counters(); }

Tick ControllerDevice::timer_lag() { return timers_->lag(time()); }

bool ControllerDevice::idle() const {
  return manager_.flows().bound_slots() == 0 && timers_->counters().pending() == 0;
}

}  // namespace dcc
