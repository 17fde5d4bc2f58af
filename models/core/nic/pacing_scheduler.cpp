#include "nic/pacing_scheduler.h"

namespace dcc {

void PacingScheduler::add_flow(FlowIndex flow, int priority) {
  flows_.keep(flow).priority = static_cast<std::uint8_t>(priority);
}

void PacingScheduler::set_priority(FlowIndex flow, int priority) {
  Flow& f = flows_[flow];
  if (f.priority == priority) return;
  const bool ready = f.place == Place::kReady;
  if (ready) leave_ring(f);
  f.priority = static_cast<std::uint8_t>(priority);
  if (ready) make_ready(flow);
}

void PacingScheduler::put(std::uint32_t position, const Waiting& entry) {
  waiting_[position] = entry;
  flows_[entry.flow].position = position;
}

void PacingScheduler::sift_up(std::uint32_t position, const Waiting& entry) {
  while (position > 0) {
    const std::uint32_t parent = (position - 1) / 2;
    if (!entry.before(waiting_[parent])) break;
    put(position, waiting_[parent]);
    position = parent;
  }
  put(position, entry);
}

void PacingScheduler::sift_down(std::uint32_t position, const Waiting& entry) {
  const auto size = static_cast<std::uint32_t>(waiting_.size());
  for (;;) {
    std::uint32_t child = 2 * position + 1;
    if (child >= size) break;
    if (child + 1 < size && waiting_[child + 1].before(waiting_[child])) ++child;
    if (!waiting_[child].before(entry)) break;
    put(position, waiting_[child]);
    position = child;
  }
  put(position, entry);
}

void PacingScheduler::remove_waiting(std::uint32_t position) {
  const Waiting last = waiting_.back();
  waiting_.pop_back();
  if (position == waiting_.size()) return;
  if (position > 0 && last.before(waiting_[(position - 1) / 2])) {
    sift_up(position, last);
  } else {
    sift_down(position, last);
  }
}

void PacingScheduler::make_ready(FlowIndex flow) {
  Flow& f = flows_[flow];
  Ring& ring = rings_[f.priority];
  f.place = Place::kReady;
  f.ready_order = order_++;
  f.before = ring.tail;
  f.after = kNone;
  if (ring.tail == kNone) {
    ring.head = flow;
    non_empty_ |= 1u << f.priority;
  } else {
    flows_[ring.tail].after = flow;
  }
  ring.tail = flow;
}

void PacingScheduler::leave_ring(Flow& f) {
  Ring& ring = rings_[f.priority];
  if (f.before == kNone) {
    ring.head = f.after;
  } else {
    flows_[f.before].after = f.after;
  }
  if (f.after == kNone) {
    ring.tail = f.before;
  } else {
    flows_[f.after].before = f.before;
  }
  if (ring.head == kNone) non_empty_ &= ~(1u << f.priority);
}

void PacingScheduler::activate(FlowIndex flow, PicoSeconds when) {
  Flow& f = flows_[flow];
  if (f.place == Place::kReady) return;  // a ready flow keeps its turn
  const Waiting entry{when, flow};
  if (f.place == Place::kWaiting) {
    const std::uint32_t position = f.position;
    if (entry.before(waiting_[position])) {
      sift_up(position, entry);
    } else {
      sift_down(position, entry);
    }
    return;
  }
  f.place = Place::kWaiting;
  waiting_.push_back(entry);
  sift_up(static_cast<std::uint32_t>(waiting_.size() - 1), entry);
}

void PacingScheduler::deactivate(FlowIndex flow) {
  Flow& f = flows_[flow];
  if (f.place == Place::kWaiting) {
    remove_waiting(f.position);
  } else if (f.place == Place::kReady) {
    leave_ring(f);
  }
  f.place = Place::kOff;
}

void PacingScheduler::make_due_ready(PicoSeconds now) {
  while (!none_due(now)) {
    const FlowIndex flow = waiting_[0].flow;
    remove_waiting(0);
    make_ready(flow);
  }
}

// Fast path of pick() for the common case that exactly one waiting flow is due and no flow is
// ready. The result is the same as if the flow had passed through its ring.
PacingScheduler::FlowIndex PacingScheduler::pick_only(PicoSeconds now, unsigned allowed) {
  if (non_empty_ != 0 || none_due(now)) return kNone;
  const FlowIndex flow = waiting_[0].flow;
  Flow& f = flows_[flow];
  if ((allowed >> f.priority & 1u) == 0) return kNone;
  for (std::size_t next = 1; next < waiting_.size() && next < 3; ++next) {
    if (waiting_[next].when <= now) return kNone;
  }
  remove_waiting(0);
  f.place = Place::kOff;
  f.ready_order = order_++;
  return flow;
}

PacingScheduler::FlowIndex PacingScheduler::pick(PicoSeconds now, unsigned allowed) {
  const FlowIndex only = pick_only(now, allowed);
  if (only != kNone) return only;
  make_due_ready(now);
  unsigned candidates = non_empty_ & allowed;
  if (candidates == 0) return kNone;
  FlowIndex best = kNone;
  Flow* first = nullptr;
  while (candidates != 0) {
    const int priority = __builtin_ctz(candidates);
    candidates &= candidates - 1;
    const FlowIndex head = rings_[static_cast<std::size_t>(priority)].head;
    Flow& flow = flows_[head];
    if (first != nullptr && first->ready_order < flow.ready_order) continue;
    best = head;
    first = &flow;
  }
  leave_ring(*first);
  first->place = Place::kOff;
  return best;
}

[[gnu::noinline]] PacingScheduler::FlowIndex PacingScheduler::pick_strictly(PicoSeconds now,
                                                                            unsigned allowed) {
  for (int priority = kPriorities; priority-- > 0;) {
    const FlowIndex flow = pick(now, allowed & 1u << priority);
    if (flow != kNone) return flow;
  }
  return kNone;
}

PicoSeconds PacingScheduler::next_ready() const {
  return waiting_.empty() ? PicoSeconds::max() : waiting_[0].when;
}

}  // namespace dcc
