// Issue: selects the event that an edge issues, and executes the event.
#include <algorithm>

#include "controller/controller_model.h"

namespace dcc {

/// True if no event of `flow` can be issued in `cycle`, apart from joined CNPs.
bool ControllerModel::blocked(std::uint32_t flow, Cycle cycle) {
  return recent_.ready(flow, cycle) != cycle || (!joined_.empty() && joined_.find(flow) != nullptr);
}

/// Returns the next cycle in which blocked() may be false for the flow.
Cycle ControllerModel::unblocked(std::uint32_t flow, Cycle cycle) {
  const JoinedCnps::Entry* entry = joined_.find(flow);
  if (entry != nullptr) return JoinedCnps::round_of(*entry, cycle + 1);
  return std::max(cycle + 1, recent_.ready(flow, cycle));
}

Cycle ControllerModel::issue_until(Cycle cycle) {
  Cycle from = next_issue_;
  for (;;) {
    Heads heads{};
    heads.cnp = cnps_.empty() ? kNever : std::max({from, cnps_.front().sampled + 1, next_take_});
    heads.timer = std::max(from, timer_bound_);
    heads.command = commands_.empty() ? kNever : std::max(from, commands_.front().sampled + 1);
    heads.bytes = bytes_.empty() ? kNever : std::max(from, bytes_.front().sampled + 1);
    Cycle at = std::min({heads.cnp, heads.timer, heads.command, heads.bytes});
    if (!joined_.empty()) at = std::min(at, joined_.next_round(from));
    if (at > cycle) return at;
    // no timer event is due yet, so timer events are skipped
    if (at == heads.timer && !load_timer_head(at)) continue;
    const Busy busy = find_busy(at, heads);
    const bool round = !joined_.empty() && joined_.at_round(at) != nullptr;
    if (at == heads.cnp && !round && !busy.cnp && !yields(at, heads)) {
      take_cnp(at);
      from = next_issue_;
      continue;
    }
    // An edge decides whether a CNP joins others by the state at its begin, not by the event that
    // the edge issues.
    const bool joins = at == heads.cnp && can_join(cnps_.front(), at);
    const bool issued = issue_at(at, heads, busy);
    if (joins) join_cnp(at);
    if (joins || issued) {
      from = at + 1;
      continue;
    }
    // Nothing can be issued before an input reaches the head of its FIFO, a flow is no longer busy,
    // or joined CNPs come round.
    Cycle next = joined_.next_round(at + 1);
    const auto consider = [&](Cycle head, std::uint32_t flow) {
      next = std::min(next, head == at ? unblocked(flow, at) : head);
    };
    if (heads.cnp != kNever) consider(heads.cnp, cnps_.front().flow);
    if (heads.timer != kNever) consider(heads.timer, timer_head_.flow);
    if (heads.command != kNever) consider(heads.command, commands_.front().flow);
    if (heads.bytes != kNever) consider(heads.bytes, bytes_.front().flow);
    from = next;
  }
}

/// Returns the heads that find their flow busy at edge `at`, and remembers them.
ControllerModel::Busy ControllerModel::find_busy(Cycle at, const Heads& heads) {
  Busy busy;
  busy.cnp = heads.cnp == at && blocked(cnps_.front().flow, at);
  busy.timer = heads.timer == at && blocked(timer_head_.flow, at);
  busy.command = heads.command == at && blocked(commands_.front().flow, at);
  busy.bytes = heads.bytes == at && blocked(bytes_.front().flow, at);
  waited_.timer = waited_.timer || busy.timer;
  waited_.command = waited_.command || busy.command;
  waited_.bytes = waited_.bytes || busy.bytes;
  return busy;
}

/// True if the CNP at the head of its FIFO lets a head of its flow go before it that once found
/// the flow busy. Precondition: the CNP can be issued at edge `at`.
bool ControllerModel::yields(Cycle at, const Heads& heads) const {
  const std::uint32_t flow = cnps_.front().flow;
  return (waited_.timer && heads.timer == at && timer_head_.flow == flow) ||
         (waited_.command && heads.command == at && commands_.front().flow == flow) ||
         (waited_.bytes && heads.bytes == at && bytes_.front().flow == flow);
}

/// Issues the first event in order that can be issued in cycle `at`; false if there is none. A CNP
/// that could be issued yields to another head of its flow (otherwise take_cnp() issues it).
bool ControllerModel::issue_at(Cycle at, const Heads& heads, const Busy& busy) {
  JoinedCnps::Entry* const round = joined_.empty() ? nullptr : joined_.at_round(at);
  const bool cnp_yields = round == nullptr && heads.cnp == at && !busy.cnp;
  const auto chosen = [&](bool waited, bool is_busy, std::uint32_t flow) {
    if (round != nullptr) return round->after_cnp && flow == round->cnp.flow;
    if (cnp_yields) return waited && flow == cnps_.front().flow;
    return !is_busy;
  };
  const auto bytes_chosen = [&] {
    return heads.bytes == at && chosen(waited_.bytes, busy.bytes, bytes_.front().flow);
  };
  if (heads.timer == at && chosen(waited_.timer, busy.timer, timer_head_.flow)) {
    waited_.timer = false;
    note_issue(timer_head_.flow, at);
    issue_timer(at);
  } else if (heads.command == at && chosen(waited_.command, busy.command, commands_.front().flow) &&
             !(bytes_turn_ && bytes_chosen())) {
    waited_.command = false;
    bytes_turn_ = bytes_turn_ || heads.bytes == at;
    note_issue(commands_.front().flow, at);
    issue_command(at, commands_.take());
  } else if (bytes_chosen()) {
    waited_.bytes = bytes_turn_ = false;
    note_issue(bytes_.front().flow, at);
    issue_bytes(at, bytes_.take());
  } else if (round != nullptr) {
    const Cnp cnp = joined_.take(round);
    note_issue(cnp.flow, at, true);
    issue_cnp(at, cnp);
    return true;
  } else {
    return false;
  }
  if (round != nullptr) {  // the joined CNPs of the event's flow wait for the next round
    round->issued = at;
    round->after_cnp = false;
  }
  return true;
}

void ControllerModel::take_cnp(Cycle at) {
  const Cnp cnp = cnps_.take();
  next_take_ = at + 1;
  note_issue(cnp.flow, at, true);
  issue_cnp(at, cnp);
}

/// True if the CNP at the head of its FIFO joins others of its flow, or becomes the first of them.
bool ControllerModel::can_join(const Cnp& cnp, Cycle at) {
  const JoinedCnps::Entry* const entry = joined_.find(cnp.flow);
  if (entry == nullptr) return recent_.ready(cnp.flow, at) != at;
  return JoinedCnps::round_of(*entry, at) != at && entry->cnp.takes(cnp);
}

void ControllerModel::join_cnp(Cycle at) {
  const Cnp cnp = cnps_.take();
  next_take_ = at + 1;
  if (JoinedCnps::Entry* const entry = joined_.find(cnp.flow); entry != nullptr) {
    entry->cnp.join(cnp);
    return;
  }
  const Cycle issued = recent_.ready(cnp.flow, at) - timing::kSameFlow;
  joined_.add({issued, recent_.is_cnp(cnp.flow), cnp});
}

void ControllerModel::note_issue(std::uint32_t flow, Cycle cycle, bool cnp) {
  recent_.add(flow, cycle, cnp);
  last_issue_ = cycle;
  next_issue_ = cycle + 1;
}

void ControllerModel::issue_cnp(Cycle cycle, const Cnp& cnp) {
  if (!freed_.empty()) manager_.hold_back(freed_lately(cycle));
  const ControllerStatistics& statistics = manager_.statistics();
  const std::uint64_t no_slot = statistics.cnps_dropped_no_slot;
  const std::uint64_t bound = statistics.slots_bound;
  const Tick now = clock_.tick_of_next(cycle);
  answer(cycle, manager_.cnp(cnp.flow, cnp.dscp, cnp.marks, now, cnp.packets, cnp.count));
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
    freed_lately(cycle);  // removes records of old issues
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

/// Number of slots that were freed but cannot be bound yet, because their write-back is not done.
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
    // The due tick of the next event is not known while the timing engine lags; the tick is known
    // once the event is taken.
    timer_bound_ = last_timer_ + timing::kTimerEvents;
  }
}

}  // namespace dcc
