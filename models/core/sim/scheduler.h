// The one time axis of all devices: a queue of events with a defined order at equal times.
#pragma once

#include <cstdint>
#include <vector>

#include "units.h"

namespace dcc {

class Scheduler;

/// A moment a device waits for. Owned by the device as a member, scheduled at most once at a time;
/// rescheduling moves it. No allocation, no virtual call.
///
///   Event retry_{Event::calling<&Nic::retry>(*this, rank)};
class Event {
 public:
  using Handler = void (*)(void* owner);

  /// `rank` orders events that fall on the same picosecond: lower first. Devices get theirs from
  /// the platform builder, so the order depends on the configuration only.
  Event(Handler handler, void* owner, std::uint32_t rank)
      : handler_(handler), owner_(owner), rank_(rank) {}

  template <auto Method, class Owner>
  static Event calling(Owner& owner, std::uint32_t rank) {
    return Event([](void* self) { (static_cast<Owner*>(self)->*Method)(); }, &owner, rank);
  }

  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  /// Moving is for building containers before the run; a scheduled event must stay where it is.
  Event(Event&& other) noexcept
      : handler_(other.handler_), owner_(other.owner_), rank_(other.rank_) {}
  ~Event();

  bool is_scheduled() const { return position_ != kIdle; }
  /// When it will happen; meaningful while scheduled.
  PicoSeconds due() const { return due_; }

 private:
  friend class Scheduler;
  static constexpr std::uint32_t kIdle = 0xFFFFFFFF;

  Handler handler_;
  void* owner_;
  Scheduler* scheduler_ = nullptr;  // set while scheduled, so that destruction can withdraw
  PicoSeconds due_{};
  std::uint32_t rank_;
  std::uint32_t position_ = kIdle;
};

/// Runs events in the order (time, rank, order of scheduling): the same in every run, build and
/// machine. Knows nothing of what the events do.
class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  ~Scheduler();

  PicoSeconds now() const { return now_; }
  std::uint64_t events_run() const { return events_run_; }

  /// At `when`, which must not lie before now(). An event already scheduled is moved.
  void schedule_at(Event& event, PicoSeconds when);
  void schedule_in(Event& event, PicoSeconds delay) { schedule_at(event, now_ + delay); }
  /// Withdraws it; nothing happens if it was not scheduled.
  void cancel(Event& event);

  bool empty() const { return heap_.empty(); }
  /// Time of the next event; PicoSeconds::max() when there is none.
  PicoSeconds next_time() const { return heap_.empty() ? PicoSeconds::max() : heap_[0].when; }

  /// Runs the first event. Precondition: not empty.
  void run_one();
  /// Runs every event due at or before `end`, then sets now() to `end`.
  void run_until(PicoSeconds end);
  /// Moves the clock forward over a stretch without events (end <= next_time()).
  void advance_to(PicoSeconds when) {
    if (when > now_) now_ = when;
  }

 private:
  struct Entry {
    PicoSeconds when;
    std::uint64_t order;  // rank in the upper 24 bits, sequence below
    Event* event;
    bool before(const Entry& o) const {
      return when < o.when || (when == o.when && order < o.order);
    }
  };
  void sift_up(std::uint32_t position, const Entry& entry);
  void sift_down(std::uint32_t position, const Entry& entry);
  void place(std::uint32_t position, const Entry& entry);
  void remove_at(std::uint32_t position);

  std::vector<Entry> heap_;  // four children a node: half the depth, one cache line a family
  PicoSeconds now_{};
  std::uint64_t sequence_ = 0;
  std::uint64_t events_run_ = 0;
};

}  // namespace dcc
