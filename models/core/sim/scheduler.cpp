#include "sim/scheduler.h"

#include <cassert>

namespace dcc {

namespace {
constexpr int kRankShift = 40;  // 2^40 schedulings in a run before the tie-break would wrap
constexpr std::uint64_t kSequenceMask = (std::uint64_t{1} << kRankShift) - 1;
}  // namespace

Event::~Event() {
  if (scheduler_ != nullptr) scheduler_->cancel(*this);
}

Scheduler::~Scheduler() {
  for (Entry& entry : heap_) {
    entry.event->position_ = Event::kIdle;
    entry.event->scheduler_ = nullptr;
  }
}

void Scheduler::place(std::uint32_t position, const Entry& entry) {
  heap_[position] = entry;
  entry.event->position_ = position;
}

void Scheduler::sift_up(std::uint32_t position, const Entry& entry) {
  while (position > 0) {
    const std::uint32_t parent = (position - 1) / 4;
    if (!entry.before(heap_[parent])) break;
    place(position, heap_[parent]);
    position = parent;
  }
  place(position, entry);
}

void Scheduler::sift_down(std::uint32_t position, const Entry& entry) {
  const auto size = static_cast<std::uint32_t>(heap_.size());
  for (;;) {
    const std::uint32_t first = position * 4 + 1;
    if (first >= size) break;
    const std::uint32_t last = first + 4 < size ? first + 4 : size;
    std::uint32_t least = first;
    for (std::uint32_t child = first + 1; child < last; ++child) {
      if (heap_[child].before(heap_[least])) least = child;
    }
    if (!heap_[least].before(entry)) break;
    place(position, heap_[least]);
    position = least;
  }
  place(position, entry);
}

void Scheduler::schedule_at(Event& event, PicoSeconds when) {
  assert(when >= now_ && "an event cannot be scheduled in the past");
  const std::uint64_t order =
      (std::uint64_t{event.rank_} << kRankShift) | (sequence_++ & kSequenceMask);
  const Entry entry{when, order, &event};
  event.due_ = when;
  if (event.position_ != Event::kIdle) {
    const std::uint32_t position = event.position_;
    if (entry.before(heap_[position])) {
      sift_up(position, entry);
    } else {
      sift_down(position, entry);
    }
    return;
  }
  event.scheduler_ = this;
  heap_.push_back(entry);
  sift_up(static_cast<std::uint32_t>(heap_.size() - 1), entry);
}

void Scheduler::remove_at(std::uint32_t position) {
  const Entry last = heap_.back();
  heap_.pop_back();
  if (position == heap_.size()) return;
  if (position > 0 && last.before(heap_[(position - 1) / 4])) {
    sift_up(position, last);
  } else {
    sift_down(position, last);
  }
}

void Scheduler::cancel(Event& event) {
  if (event.position_ == Event::kIdle) return;
  const std::uint32_t position = event.position_;
  event.position_ = Event::kIdle;
  event.scheduler_ = nullptr;
  remove_at(position);
}

void Scheduler::run_one() {
  Event* const event = heap_[0].event;
  now_ = heap_[0].when;
  event->position_ = Event::kIdle;
  event->scheduler_ = nullptr;
  remove_at(0);
  ++events_run_;
  event->handler_(event->owner_);
}

void Scheduler::run_until(PicoSeconds end) {
  while (!heap_.empty() && heap_[0].when <= end) run_one();
  advance_to(end);
}

}  // namespace dcc
