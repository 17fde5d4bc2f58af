// The event queue of the simulation, with a defined order of events at equal times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "sim/state_digest.h"
#include "units.h"

namespace dcc {

class Scheduler;

/// Position of an action in the total order of all events. The position merges the actions of
/// parallel schedulers into the order in which a single scheduler would have run them. The
/// positions of one scheduler never decrease. A single scheduler runs the first event among those
/// due, so an event scheduled for the current instant runs after the running event: hence the
/// greatest rank that has run at this instant determines the position.
struct EventPlace {
  PicoSeconds time{};
  std::uint32_t shared = 0;  // rank of the last event at this instant that several schedulers share
  bool after = true;         // true if the event of rank `shared` is over
  // greatest rank that has run at this instant; within a shared event, the number of the event's
  // part
  std::uint64_t within = 0;

  friend bool operator<(const EventPlace& a, const EventPlace& b) {
    return std::tie(a.time.count, a.shared, a.after, a.within) <
           std::tie(b.time.count, b.shared, b.after, b.within);
  }
};

/// A future call of a device's function. The device owns the event as a member. An event is
/// scheduled at most once at a time; scheduling a scheduled event moves the event. Events need no
/// allocation and no virtual call.
///
///   Event retry_{Event::calling<&Nic::retry>(*this, rank)};
class alignas(64) Event {
 public:
  using Handler = void (*)(void* owner);
  struct Kind {
    Handler run;
    /// Prefetches the cache lines that `run` will use, and changes no state. The scheduler calls
    /// the function some events ahead in buckets with many events. Null: nothing to prefetch.
    Handler prefetch = nullptr;
  };

  /// Makes an event of the owner. `rank` orders events at the same picosecond, lower first. The
  /// platform builder assigns ranks, so the order depends on the configuration only. `kind` must
  /// outlive the event.
  Event(const Kind& kind, void* owner, std::uint32_t rank)
      : kind_(&kind), owner_(owner), order_(std::uint64_t{rank} << kRankShift) {}

  template <auto Method, class Owner>
  static Event calling(Owner& owner, std::uint32_t rank) {
    static constexpr Kind kKind{[](void* self) { (static_cast<Owner*>(self)->*Method)(); }};
    return Event(kKind, &owner, rank);
  }
  template <auto Method, auto Expected, class Owner>
  static Event calling(Owner& owner, std::uint32_t rank) {
    static constexpr Kind kKind{[](void* self) { (static_cast<Owner*>(self)->*Method)(); },
                                [](void* self) { (static_cast<Owner*>(self)->*Expected)(); }};
    return Event(kKind, &owner, rank);
  }

  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  /// Moves an event while containers are built. Precondition: the event is not scheduled.
  Event(Event&& other) noexcept
      : kind_(other.kind_), owner_(other.owner_), order_(other.order_ & ~kSequenceMask) {}
  ~Event();

  /// Changes the rank of the event. Precondition: the event is not scheduled.
  void set_rank(std::uint32_t rank) { order_ = std::uint64_t{rank} << kRankShift; }
  bool is_scheduled() const { return place_ != Place::kIdle; }
  /// Time at which the event is due. Precondition: is_scheduled().
  PicoSeconds due() const { return due_; }
  void add_state(StateDigest& d) const { d(is_scheduled(), is_scheduled() ? due_ : PicoSeconds{}); }

 private:
  friend class Scheduler;
  enum class Place : std::uint8_t { kIdle, kList, kOverflow, kHeap, kBucket, kFar };
  static constexpr int kRankShift = 40;  // 2^40 events may be scheduled before the tie-break wraps
  static constexpr std::uint64_t kSequenceMask = (std::uint64_t{1} << kRankShift) - 1;

  // All members of an event lie in one cache line, since an event is not in the caches when its
  // time comes.
  const Kind* kind_;
  void* owner_;
  // scheduler of the event, valid while scheduled; the destructor cancels the event
  Scheduler* scheduler_ = nullptr;
  PicoSeconds due_{};
  std::uint64_t order_;    // sort key at equal times: the rank, then the number of this scheduling
  Event* next_ = nullptr;  // next event in the same bucket or list
  // hint passed to schedule_at(): memory to prefetch before the event runs
  const void* reads_ = nullptr;
  std::uint32_t position_ = 0;  // index in the overflow bucket, the heap or the far heap
  Place place_ = Place::kIdle;
};
static_assert(sizeof(Event) == 64);

/// The event queue, which runs events in the order (time, rank, order of scheduling), identical in
/// every run, build and machine.
///
/// The structure is a calendar queue. Events of the next 16 µs are in buckets of 1 ns, found
/// through a bitmap of two levels. The current bucket is a short sorted list; a bucket with more
/// events becomes a sorted array, the overflow bucket, which allows prefetching ahead. Events
/// scheduled into the current bucket go to the list, or to a heap if the list is full. Later events
/// are in the far heap. Most events of a network are one packet time away, so scheduling and
/// running an event takes a few instructions, however many events are pending.
class Scheduler {
 public:
  Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  ~Scheduler();

  PicoSeconds now() const { return now_; }
  std::uint64_t events_run() const { return events_run_; }

  /// Schedules the event, or moves it if it is scheduled already. Precondition: when >= now().
  /// `reads` is a hint: the memory that the event's handler uses first, prefetched some events
  /// ahead.
  void schedule_at(Event& event, PicoSeconds when, const void* reads = nullptr);
  void schedule_in(Event& event, PicoSeconds delay) { schedule_at(event, now_ + delay); }
  /// Cancels the event; does nothing if the event is not scheduled.
  void cancel(Event& event);

  bool empty() const { return pending_ == 0; }
  /// The next event to run; null if no event is pending.
  Event* first() {
    if (beyond_list_ != 0) return first_of_current_bucket();
    return list_ != nullptr ? list_ : first_of_next_bucket();
  }
  /// Time of the next event; max() if no event is pending.
  PicoSeconds next_time() {
    const Event* const event = first();
    return event != nullptr ? event->due_ : PicoSeconds::max();
  }

  /// Runs the event. Precondition: `event` is first().
  void run(Event& event) {
    now_ = event.due_;
    if (event.place_ == Event::Place::kList) {
      list_ = event.next_;
      --listed_;
    } else {
      remove_beyond_list(event);
    }
    event.place_ = Event::Place::kIdle;
    --pending_;
    ++events_run_;
    prefetch_next_bucket();
    event.kind_->run(event.owner_);
  }
  /// Runs every event that is due at or before `end`, then sets now() to `end`.
  void run_until(PicoSeconds end);
  /// Runs events like run_until(), and keeps place() valid during the events.
  void run_placed_until(PicoSeconds end);
  /// Position of the running event; null unless run_placed_until() is running an event.
  const EventPlace* place() const { return placing_ ? &place_ : nullptr; }
  /// Begins part number `part` of an event that several schedulers share, each of which runs some
  /// of the event's parts. The rank of such an event is above all other ranks. The following
  /// actions belong to this part; parts are ordered by number.
  void begin_part(std::uint64_t part) {
    if (placing_) place_part(part);
  }
  /// Moves the scheduler's clock forward. Precondition: when <= next_time().
  void advance_to(PicoSeconds when) {
    if (when > now_) now_ = when;
  }

 private:
  struct Entry {
    PicoSeconds when;
    std::uint64_t order;
    Event* event;
    bool before(const Entry& o) const {
      return when < o.when || (when == o.when && order < o.order);
    }
  };
  /// Binary heap of events that stores each event's heap index in the event.
  class Heap {
   public:
    bool empty() const { return entries_.empty(); }
    const Entry& front() const { return entries_.front(); }
    void push(const Entry& entry);
    void remove(std::uint32_t position);
    std::vector<Entry>& entries() { return entries_; }

   private:
    void put(std::uint32_t position, const Entry& entry);
    void sift_up(std::uint32_t position, const Entry& entry);
    void sift_down(std::uint32_t position, const Entry& entry);
    std::vector<Entry> entries_;
  };

  static constexpr int kBucketShift = 10;  // log2 of a bucket's length in picoseconds: 1.024 ns
  // number of buckets, which cover 16.8 us together
  static constexpr std::uint32_t kBuckets = 16'384;
  static constexpr std::uint32_t kMaxListed = 16;
  static constexpr std::size_t kPrefetchAhead =
      6;  // number of events that run while a cache line arrives from memory
  static constexpr std::uint32_t kWords = kBuckets / 64;
  static constexpr std::uint32_t kGroups = kWords / 64;
  static constexpr std::uint64_t kNoBucket = ~std::uint64_t{0};
  static std::uint64_t bucket_of(PicoSeconds t) {
    return static_cast<std::uint64_t>(t.count) >> kBucketShift;
  }
  void detach(Event& event);
  // True if event `a` runs before event `b`. One comparison of 128 bits avoids a branch that is
  // hard to predict.
  static bool before(const Event& a, const Event& b) { return key(a) < key(b); }
  __extension__ using Key = unsigned __int128;
  static Key key(const Event& event) {
    return static_cast<Key>(static_cast<std::uint64_t>(event.due_.count)) << 64 | event.order_;
  }
  /// Finds the next event of the current bucket in its list, its overflow bucket or its heap.
  Event* first_of_current_bucket();
  /// Loads the next bucket and returns its first event. Precondition: the current bucket is empty.
  Event* first_of_next_bucket();
  Event* first_of_loaded_bucket();
  /// Prefetches the next bucket; called when the bucket of `slot` was the last one in its bitmap
  /// word. Returns `event`, so that the caller can end with a tail call.
  Event* prefetch_bucket_after(std::uint32_t slot, Event* event);
  /// Removes the event. Precondition: the event is the first of the overflow bucket or of the heap.
  void remove_beyond_list(Event& event);
  /// Prefetches memory for the next kPrefetchAhead events of the overflow bucket.
  void prefetch_overflow() {
    const std::size_t end = std::min<std::size_t>(overflow_size_, overflow_next_ + kPrefetchAhead);
    for (; overflow_prefetched_ < end; ++overflow_prefetched_) {
      const Event* const event = overflow_[overflow_prefetched_].event;
      if (event != nullptr && event->kind_->prefetch != nullptr) {
        event->kind_->prefetch(event->owner_);
      }
    }
  }
  /// Moves an event that is already scheduled to another time.
  void move_to(Event& event, PicoSeconds when, const void* reads);
  /// Adds the event to the list of the current bucket, or to the heap if the list is full.
  void insert_into_current_bucket(Event& event);
  void insert_far(Event& event);
  void far_changed() {
    far_bucket_ = far_heap_.empty() ? kNoBucket : bucket_of(far_heap_.front().when);
  }
  bool load_next_bucket();
  /// Turns the events of a bucket, at most kMaxListed, into the list of the current bucket.
  /// Precondition: the list is empty.
  void load_list(Event* event);
  /// True if the bucket of the event has more than kMaxListed events.
  static bool is_overflow(const Event* event);
  void load_overflow(Event* event);
  void skip_cancelled() {
    while (overflow_next_ != overflow_size_ && overflow_[overflow_next_].event == nullptr)
      ++overflow_next_;
  }
  /// Makes `bucket` the next bucket and prefetches its first event.
  void prefetch_bucket(std::uint64_t bucket) {
    next_bucket_ = bucket;
    upcoming_ = bucket == kNoBucket ? nullptr : buckets_[bucket % kBuckets];
    __builtin_prefetch(upcoming_, 1);
  }
  /// Prefetches memory for one event of the next bucket, and the event that follows in the bucket.
  /// Called once per event, which takes about as long as a cache line needs to arrive.
  void prefetch_next_bucket() {
    if (upcoming_ == nullptr) return;
    // Prefetches the cache line before the event: owners place an event behind the members that its
    // handler uses first.
    __builtin_prefetch(reinterpret_cast<const char*>(upcoming_) - sizeof(Event), 1);
    __builtin_prefetch(upcoming_->reads_, 1);
    upcoming_ = upcoming_->next_;
    __builtin_prefetch(upcoming_, 1);
  }
  void place(const Event& event);
  void place_part(std::uint64_t part);
  std::uint64_t next_filled_bucket() const;
  /// Index of the next bitmap word with a bit set, after `word` and cyclically; kWords if there is
  /// none.
  std::uint32_t filled_word_after(std::uint32_t word) const;
  void mark_filled(std::uint32_t slot) {
    filled_[slot / 64] |= std::uint64_t{1} << slot % 64;
    filled_words_[slot / 4096] |= std::uint64_t{1} << slot / 64 % 64;
  }
  void mark_empty(std::uint32_t slot) {
    if (take_out(slot) == 0) mark_word_empty(slot);
  }
  /// Clears the bucket's bit in the lower bitmap level and returns its bitmap word.
  std::uint64_t take_out(std::uint32_t slot) {
    return filled_[slot / 64] &= ~(std::uint64_t{1} << slot % 64);
  }
  void mark_word_empty(std::uint32_t slot) {
    filled_words_[slot / 4096] &= ~(std::uint64_t{1} << slot / 64 % 64);
  }

  // Events of all buckets up to and including current_bucket_ are in list_, overflow_ and heap_.
  Event* list_ = nullptr;  // sorted list of the current bucket's events, at most kMaxListed
  std::uint32_t listed_ = 0;
  // size of overflow_, stored because a vector computes its size by a division
  std::uint32_t overflow_size_ = 0;
  std::vector<Entry>
      overflow_;  // events of the overflow bucket, sorted; a null entry was cancelled
  std::size_t overflow_next_ = 0;  // index of the next entry of overflow_ to run
  // index of the first entry of overflow_ that was not prefetched
  std::size_t overflow_prefetched_ = 0;
  Heap heap_;
  std::size_t beyond_list_ = 0;  // number of events in overflow_ and heap_
  Heap far_heap_;
  // buckets current_bucket_ + 1 … current_bucket_ + kBuckets - 1, indexed modulo kBuckets
  std::vector<Event*> buckets_;
  std::uint64_t filled_[kWords] = {};  // lower bitmap level: one bit per non-empty bucket
  // upper bitmap level: one bit per non-zero word of filled_
  std::uint64_t filled_words_[kGroups] = {};
  std::uint64_t current_bucket_ = 0;
  std::uint64_t next_bucket_ = kNoBucket;  // first non-empty bucket after current_bucket_
  std::uint64_t far_bucket_ = kNoBucket;   // bucket of the first event in far_heap_
  Event* upcoming_ = nullptr;  // event of next_bucket_ that is prefetched into the cache next
  std::uint64_t pending_ = 0;
  PicoSeconds now_{};
  std::uint64_t sequence_ = 0;
  std::uint64_t events_run_ = 0;
  bool placing_ = false;
  EventPlace place_;
  std::uint32_t running_rank_ = 0;  // rank of the running event, kept by run_placed_until()
};

}  // namespace dcc
