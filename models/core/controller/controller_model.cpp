#include "controller/controller_model.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "controller/rate_unit.h"
#include "controller/timing_wheel.h"

namespace dcc {

namespace {

ControllerConfig checked(const ControllerConfig& config) {
  if (config.clock.hertz == 0 || config.clock_period().count <= 0) {
    throw std::invalid_argument("the controller's clock period must be positive");
  }
  if (config.latency_cycles < timing::kMinLatency || config.latency_cycles > kMaxLatencyCycles) {
    throw std::invalid_argument("the controller's latency is " +
                                std::to_string(timing::kMinLatency) + " to " +
                                std::to_string(kMaxLatencyCycles) + " clock cycles, not " +
                                std::to_string(config.latency_cycles));
  }
  return config;
}

constexpr std::uint32_t kFlowMask = kFlowNumberLimit - 1;

}  // namespace

std::unique_ptr<ControllerEngine> make_controller(Scheduler& scheduler,
                                                  const ControllerConfig& config,
                                                  std::uint32_t rank, RateSink& sink,
                                                  std::unique_ptr<TimerEngine> timers,
                                                  std::unique_ptr<RateEngine> rates,
                                                  const ControllerEngineFactory& make_engine) {
  std::unique_ptr<ControllerEngine> engine;
  if (make_engine) engine = make_engine(scheduler, config, rank, sink);
  if (engine != nullptr) return engine;
  return std::make_unique<ControllerModel>(scheduler, config, rank, sink, std::move(timers),
                                           std::move(rates));
}

ControllerModel::ControllerModel(Scheduler& scheduler, const ControllerConfig& config,
                                 std::uint32_t rank, RateSink& sink,
                                 std::unique_ptr<TimerEngine> timers,
                                 std::unique_ptr<RateEngine> rates)
    : scheduler_(scheduler),
      config_(checked(config)),
      clock_(scheduler.now(), config.clock_period(), divider(ControllerParameters{})),
      latency_(config.latency_cycles),
      look_ahead_(latency_),
      sink_(sink),
      timers_(timers ? std::move(timers) : std::make_unique<TimingWheel>(config.slots)),
      rates_(rates ? std::move(rates) : std::make_unique<RateUnit>()),
      manager_(config.slots, *rates_, *timers_),
      wake_event_(Event::calling<&ControllerModel::wake>(*this, rank)) {}

// ---- Inputs -------------------------------------------------------------------------------------

void ControllerModel::cnp(std::uint32_t flow, std::uint8_t dscp, std::uint8_t marks,
                          std::uint8_t packets) {
  const Cycle now = edge();
  advance(now - 1);
  cnp_sampled_ = std::max(now, cnp_sampled_ + 1);
  cnps_ahead_.push({cnp_sampled_, flow & kFlowMask, dscp, marks, packets});
  next_possible_ = std::min(next_possible_, cnp_sampled_);
  if (!might_be_enabled()) return;
  // A cut is issued before waiting bytes of its flow, and may bind the flow to a slot.
  if (!bytes_.empty() || !bytes_ahead_.empty()) bytes_matter_ = true;
  wake_for_issue(cnp_sampled_ + 1);
}

void ControllerModel::bytes(std::uint32_t flow, std::uint8_t dscp, std::uint32_t length) {
  const Cycle now = edge();
  advance(now - 1);
  bytes_sampled_ = std::max(now, bytes_sampled_ + 1);
  next_possible_ = std::min(next_possible_, bytes_sampled_);
  const Bytes bytes{bytes_sampled_, flow & kFlowMask, length, 1, dscp};
  const SlotIndex slot = manager_.flows().match(bytes.flow);
  const bool matters = might_increase(slot, length);
  if (!matters && nothing_waits()) {
    pending_bytes_ = bytes;
    pending_slot_ = slot;
    return;
  }
  bytes_ahead_.push(bytes);
  if (!matters) return;
  bytes_matter_ = true;
  wake_for_issue(bytes_sampled_ + 1);
}

// True if bytes may lead to an answer, now or behind inputs that wait. Other bytes need no event of
// the scheduler: the next call issues them.
bool ControllerModel::might_increase(SlotIndex slot, std::uint32_t length) const {
  if (!manager_.law().increases_by_bytes()) return false;  // bytes are only counted
  if (manager_.over_threshold(slot, length)) return might_be_enabled();
  return cnps_.size() + cnps_ahead_.size() + bytes_.size() + bytes_ahead_.size() != 0 &&
         might_be_enabled();
}

bool ControllerModel::nothing_waits() const {
  if (!enabled_ || reset_pending_ || !enable_changes_.empty()) return false;
  return bytes_sampled_ >= ready_from_ && cnps_.size() + cnps_ahead_.size() + bytes_.size() +
                                                  bytes_ahead_.size() + commands_.size() +
                                                  commands_ahead_.size() ==
                                              0;
}

/// Issues the pending bytes if their cycle is not after `cycle` and no timer event precedes them;
/// else queues them.
void ControllerModel::flush_pending_bytes(Cycle cycle) {
  const Bytes bytes = pending_bytes_;
  pending_bytes_.packets = 0;
  const Cycle at = std::max(next_issue_, bytes.sampled + 1);
  if (at > cycle || at >= timer_bound_ || recent_.ready(bytes.flow, at) != at) {
    bytes_ahead_.push(bytes);
    return;
  }
  note_issue(bytes.flow, at);
  manager_.add_bytes(pending_slot_, bytes.dscp, bytes.length, bytes.packets);
  next_possible_ = std::max(next_issue_, timer_bound_);
}

void ControllerModel::command(std::uint32_t flow, bool release) {
  const Cycle now = edge();
  advance(now - 1);
  command_sampled_ = std::max(now, command_sampled_ + 1);
  commands_ahead_.push({command_sampled_, flow & kFlowMask, release});
  next_possible_ = std::min(next_possible_, command_sampled_);
  wake_for_issue(command_sampled_ + 1);
}

// ---- The machine --------------------------------------------------------------------------------

void ControllerModel::work_until(Cycle cycle) {
  for (;;) {
    const Cycle edge = next_sample();
    if (reset_pending_ && std::min(edge, cycle) >= reset_from_) {
      reset();
      continue;
    }
    if (edge > cycle) {
      next_possible_ = std::min(edge, issue_until(cycle));
      if (reset_pending_) next_possible_ = std::min(next_possible_, reset_from_);
      return;
    }
    issue_until(edge);  // an event that is issued at an edge makes room at the same edge
    sample(edge);
  }
}

Cycle ControllerModel::next_sample() const {
  Cycle next = kNever;
  if (!cnps_ahead_.empty()) next = cnps_ahead_.front().sampled;
  if (!bytes_ahead_.empty()) next = std::min(next, bytes_ahead_.front().sampled);
  if (!commands_ahead_.empty()) next = std::min(next, commands_ahead_.front().sampled);
  return next;
}

void ControllerModel::sample(Cycle edge) {
  for (; !enable_changes_.empty() && enable_changes_.front().from <= edge; enable_changes_.pop()) {
    enabled_ = enable_changes_.front().enable;
  }
  if (!cnps_ahead_.empty() && cnps_ahead_.front().sampled == edge) {
    sample_cnp(cnps_ahead_.front());
    cnps_ahead_.pop();
  }
  // An input that finds no room is offered again at the next edge, and later inputs after it.
  const auto next = [](auto& queue, Cycle after) {
    if (!queue.empty()) queue.front().sampled = std::max(queue.front().sampled, after);
  };
  if (!commands_ahead_.empty() && commands_ahead_.front().sampled == edge) {
    const bool resetting = edge >= reset_from_ && edge < ready_from_;
    if (!resetting && commands_.size() < timing::kCommandDepth) {
      commands_.push(commands_ahead_.front());
      commands_ahead_.pop();
    }
    next(commands_ahead_, resetting ? ready_from_ : edge + 1);
  }
  if (!bytes_ahead_.empty() && bytes_ahead_.front().sampled == edge) {
    if (sample_bytes(bytes_ahead_.front())) bytes_ahead_.pop();
    next(bytes_ahead_, edge + 1);
  }
}

/// True if a CNP or bytes are dropped: while disabled, and while a reset is under way.
bool ControllerModel::dropped(Cycle sampled) {
  if (!enabled_) return true;
  if (sampled < reset_from_ || sampled >= ready_from_) return false;
  manager_.count_dropped_input();
  return true;
}

void ControllerModel::sample_cnp(const Cnp& cnp) {
  if (dropped(cnp.sampled)) return;
  if (cnps_.size() == timing::kCnpDepth) {
    manager_.count_lost_cnp();
    return;
  }
  cnps_.push(cnp);
}

bool ControllerModel::sample_bytes(const Bytes& bytes) {
  if (dropped(bytes.sampled)) return true;
  for (std::uint32_t i = 0; i < bytes_.size(); ++i) {
    Bytes& waiting = bytes_[i];
    if (waiting.flow != bytes.flow) continue;
    waiting.length += std::min(bytes.length, timing::kMaxJoinedBytes - waiting.length);
    if (waiting.packets < timing::kMaxJoinedPackets) ++waiting.packets;
    waiting.dscp = bytes.dscp;
    return true;
  }
  if (bytes_.size() == timing::kBytesDepth) return false;
  bytes_.push(bytes);
  return true;
}

Cycle ControllerModel::issue_until(Cycle cycle) {
  Cycle from = next_issue_;
  for (;;) {
    const Cycle cnp = cnps_.empty() ? kNever : std::max(from, cnps_.front().sampled + 1);
    const Cycle timer = std::max(from, timer_bound_);
    const Cycle command =
        commands_.empty() ? kNever : std::max(from, commands_.front().sampled + 1);
    const Cycle bytes = bytes_.empty() ? kNever : std::max(from, bytes_.front().sampled + 1);
    const Cycle at = std::min({cnp, timer, command, bytes});
    if (at > cycle) return at;

    // The chosen kind's head, and the first cycle in which a kind of higher priority could be
    // chosen.
    std::uint32_t flow = 0;
    Cycle preferred = kNever;
    if (at == cnp) {
      flow = cnps_.front().flow;
    } else if (at == timer) {
      if (!load_timer_head(at)) continue;  // the bound was too low
      flow = timer_head_.flow;
      preferred = cnp;
    } else if (at == command) {
      flow = commands_.front().flow;
      preferred = std::min(cnp, timer);
    } else {
      flow = bytes_.front().flow;
      preferred = std::min({cnp, timer, command});
    }
    const Cycle ready = recent_.ready(flow, at);
    if (ready > at) {
      from = std::min(ready, preferred);
      continue;
    }
    note_issue(flow, at);
    from = next_issue_;
    if (at == cnp) {
      issue_cnp(at, cnps_.take());
    } else if (at == timer) {
      issue_timer(at);
    } else if (at == command) {
      issue_command(at, commands_.take());
    } else {
      issue_bytes(at, bytes_.take());
    }
  }
}

void ControllerModel::note_issue(std::uint32_t flow, Cycle cycle) {
  recent_.add(flow, cycle);
  last_issue_ = cycle;
  next_issue_ = cycle + 1;
}

void ControllerModel::issue_cnp(Cycle cycle, const Cnp& cnp) {
  if (!freed_.empty()) manager_.hold_back(freed_lately(cycle));
  const ControllerStatistics& statistics = manager_.statistics();
  const std::uint64_t no_slot = statistics.cnps_dropped_no_slot;
  const std::uint64_t bound = statistics.slots_bound;
  const Tick now = clock_.tick_of_next(cycle);
  answer(cycle, manager_.cnp(cnp.flow, cnp.dscp, cnp.marks, now, cnp.packets));
  if (statistics.slots_bound != bound && !timer_head_.valid) {
    const Tick due = now + std::max(kMinDelay, Ticks{manager_.parameters().timer_interval});
    timer_bound_ = std::min(timer_bound_, timer_from(due));
    wake_for_issue(timer_bound_);
  }
  if (statistics.cnps_dropped_no_slot != no_slot) raise(cycle, kCauseTableFull);
}

void ControllerModel::issue_timer(Cycle cycle) {
  const TimerExpiry event = timer_head_.event;
  const Tick now = clock_.tick_of_next(cycle);
  const std::uint32_t free_before = manager_.flows().free_slots();
  const CongestionManager::TimerOutcome outcome = manager_.timer_event(event, now);
  if (manager_.flows().free_slots() != free_before) {
    freed_lately(cycle);  // drops old entries
    freed_.push(cycle);
  }
  if (outcome.kind == CongestionManager::TimerOutcome::Kind::kExpired) {
    const Cycle on_time = clock_.begin_of(event.due) + timing::kFirstOfTick + timing::kSameFlow;
    if (cycle > on_time) ++missed_latency_;
    lateness_max_ = std::max(lateness_max_, now - event.due);
    answer(cycle, outcome.answer);
  }
  timer_head_.valid = false;
  last_timer_ = cycle;
  last_timer_due_ = event.due;
  bound_timer(now);
}

void ControllerModel::issue_command(Cycle cycle, const Command& command) {
  if (command.release) {
    manager_.release(command.flow);
    return;
  }
  const std::optional<Rate> rate = manager_.query(command.flow);
  outcomes_.push({cycle + latency_,
                  rate ? Outcome::Kind::kBoundQuery : Outcome::Kind::kUnboundQuery, command.flow,
                  rate.value_or(Rate())});
  wake_by(cycle + latency_);
}

void ControllerModel::issue_bytes(Cycle cycle, const Bytes& bytes) {
  if (bytes_.empty() && bytes_ahead_.empty()) bytes_matter_ = false;
  answer(cycle, manager_.bytes(bytes.flow, bytes.dscp, bytes.length, bytes.packets));
}

/// Number of slots that were freed but whose write-back is not done; they cannot be bound yet.
std::uint32_t ControllerModel::freed_lately(Cycle cycle) {
  while (!freed_.empty() && freed_.front() + timing::kSameFlow <= cycle) freed_.pop();
  return freed_.size();
}

// ---- Timer events -------------------------------------------------------------------------------

/// The first cycle in which a timer event that is due in tick `due` can be issued.
Cycle ControllerModel::timer_from(Tick due) const {
  const Cycle ticks = std::max<Cycle>(0, static_cast<Cycle>(due - last_timer_due_));
  return std::max(clock_.begin_of(due) + timing::kFirstOfTick,
                  last_timer_ + timing::kTimerEvents + timing::kTickStep * ticks);
}

/// True if a timer event can be issued in `cycle`; otherwise timer_bound_ is later afterwards.
bool ControllerModel::load_timer_head(Cycle cycle) {
  if (!timer_head_.valid) {
    const Tick now = clock_.tick_of_next(cycle);
    const bool had_overrun = timers_->overrun();
    const std::optional<TimerExpiry> event = timers_->take_expired(now);
    if (!had_overrun && timers_->overrun()) raise(cycle, kCauseOverrun);
    if (!event.has_value()) {
      bound_timer(now);
      timer_bound_ = std::max(timer_bound_, cycle + 1);
      return false;
    }
    timer_head_ = {true, manager_.flows().read_last(event->slot), *event};
    timer_bound_ = timer_from(event->due);
  }
  return timer_bound_ <= cycle;
}

void ControllerModel::bound_timer(Tick now) {
  const std::optional<Tick> due = timers_->next_due(now);
  if (!due.has_value()) {
    timer_bound_ = kNever;
  } else if (*due > now) {
    timer_bound_ = timer_from(*due);
  } else {
    // The due tick of an engine that lags is known once its event is taken.
    timer_bound_ = last_timer_ + timing::kTimerEvents;
  }
}

// ---- Outputs ------------------------------------------------------------------------------------

void ControllerModel::answer(Cycle issued, const std::optional<RateAnswer>& answer) {
  if (!answer.has_value()) return;
  outcomes_.push({issued + latency_, Outcome::Kind::kRate, answer->flow, answer->rate});
  wake_by(issued + latency_);
}

void ControllerModel::raise(Cycle issued, std::uint32_t causes) {
  outcomes_.push({issued + latency_, Outcome::Kind::kCause, causes, Rate()});
  wake_by(issued + latency_);
}

void ControllerModel::wake_by(Cycle cycle) {
  PicoSeconds when = clock_.time_of(cycle);
  if (wake_event_.is_scheduled() && when >= wake_event_.due()) return;
  if (when < scheduler_.now()) when = clock_.time_of(edge());
  scheduler_.schedule_at(wake_event_, when);
}

void ControllerModel::wake() {
  const Cycle now = edge();
  // Answers leave in the order of the issues: answers that are not computed yet are later than
  // known ones.
  const bool at_once = look_ahead_ < latency_;
  if (at_once || outcomes_.empty()) advance(now - 1);
  while (!outcomes_.empty() && outcomes_.front().when <= now) {
    const Outcome outcome = outcomes_.take();
    switch (outcome.kind) {
      case Outcome::Kind::kRate:
        sink_.rate_calculated(outcome.flow, outcome.rate);
        break;
      case Outcome::Kind::kBoundQuery:
        sink_.query_answered(outcome.flow, outcome.rate);
        break;
      case Outcome::Kind::kUnboundQuery:
        sink_.query_answered(outcome.flow, std::nullopt);
        break;
      case Outcome::Kind::kCause:
        if (causes_ != nullptr) causes_->causes_raised(outcome.flow);
        break;
    }
  }
  Cycle next = kNever;
  if (outcomes_.empty() || at_once) {
    advance(now - 1);
    next = next_of_interest();
    if (next != kNever) next += look_ahead_;
  }
  if (!outcomes_.empty()) next = std::min(next, outcomes_.front().when);
  if (next == kNever) {
    scheduler_.cancel(wake_event_);
  } else {
    scheduler_.schedule_at(wake_event_, clock_.time_of(next));
  }
}

/// A cycle before which no issue leads to an answer, a cause or an observed change.
Cycle ControllerModel::next_of_interest() const {
  Cycle next = timer_bound_;
  const auto consider = [&next](const auto& queue) {
    if (!queue.empty()) next = std::min(next, queue.front().sampled + 1);
  };
  consider(cnps_);
  consider(cnps_ahead_);
  consider(commands_);
  consider(commands_ahead_);
  if (bytes_matter_) {
    consider(bytes_);
    consider(bytes_ahead_);
  }
  return next == kNever ? kNever : std::max({next, next_issue_, edge()});
}

}  // namespace dcc
