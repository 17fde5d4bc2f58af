// The one time axis of all devices: a queue of events with a defined order at equal times.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "units.h"

namespace dcc {

class Scheduler;

/// Where something that run comes in the one order of all events, for whoever puts together
/// what schedulers side by side have done: by a scheduler never lower than what it did before, and
/// of several in the order in which one alone would have run them. At one instant that one takes
/// whichever is first among those due, so what an event sets off at its own instant comes after it
/// in any case: by the greatest rank that has run.
struct EventPlace {
  PicoSeconds time{};
  std::uint32_t shared = 0;  // rank of the last event of the instant that several divide, …
  bool after = true;         // … and whether it is over
  std::uint64_t within = 0;  // by greatest rank; of what is divided, by part

  friend bool operator<(const EventPlace& a, const EventPlace& b) {
    return std::tie(a.time.count, a.shared, a.after, a.within) <
           std::tie(b.time.count, b.shared, b.after, b.within);
  }
};

/// A moment a device waits for. Owned by the device as a member, scheduled at most once at a time;
/// rescheduling moves it. No allocation, no virtual call.
///
///   Event retry_{Event::calling<&Nic::retry>(*this, rank)};
class alignas(64) Event {
 public:
  using Handler = void (*)(void* owner);
  struct Kind {
    Handler run;
    /// Where many events crowd together, called some events ahead: fetches into the caches what
    /// `run` will touch, and changes nothing. Null: there is little to fetch.
    Handler prefetch = nullptr;
  };

  /// `rank` orders events that fall on the same picosecond: lower first. Devices get theirs from
  /// the platform builder, so the order depends on the configuration only. `kind` stays where it
  /// is.
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
  /// Moving is for building containers before the run; a scheduled event must stay where it is.
  Event(Event&& other) noexcept
      : kind_(other.kind_), owner_(other.owner_), order_(other.order_ & ~kSequenceMask) {}
  ~Event();

  /// Another place among the events of an instant. While it is not scheduled.
  void set_rank(std::uint32_t rank) { order_ = std::uint64_t{rank} << kRankShift; }
  bool is_scheduled() const { return place_ != Place::kIdle; }
  /// When it will happen; meaningful while scheduled.
  PicoSeconds due() const { return due_; }
  template <class Digest>
  void add_state(Digest& d) const {
    d(is_scheduled(), is_scheduled() ? due_ : PicoSeconds{});
  }

 private:
  friend class Scheduler;
  enum class Place : std::uint8_t { kIdle, kList, kOverflow, kHeap, kBucket, kFar };
  static constexpr int kRankShift = 40;  // 2^40 schedulings in a run before the tie-break wraps
  static constexpr std::uint64_t kSequenceMask = (std::uint64_t{1} << kRankShift) - 1;

  // One cache line: an event is cold when its time comes.
  const Kind* kind_;
  void* owner_;
  Scheduler* scheduler_ = nullptr;  // valid while scheduled, so that destruction can withdraw
  PicoSeconds due_{};
  std::uint64_t order_;          // rank, then the number of the scheduling
  Event* next_ = nullptr;        // kBucket, kList
  const void* reads_ = nullptr;  // a hint, of the scheduling
  std::uint32_t position_ = 0;   // kOverflow, kHeap, kFar: in there
  Place place_ = Place::kIdle;
};
static_assert(sizeof(Event) == 64);

/// Runs events in the order (time, rank, order of scheduling): the same in every run, build and
/// machine. Knows nothing of what the events do.
///
/// A calendar: events of the next 16 µs lie in buckets of 1 ns, found through a bitmap of two
/// levels. The bucket being worked on is a short sorted list, or a sorted array if it holds many,
/// which then know of what comes after them; what is scheduled into it goes to the list, or to a
/// heap when that gets long. Everything further away is another heap. Most events of a network are
/// a packet time away, so scheduling and running one takes a handful of instructions however many
/// are pending.
class Scheduler {
 public:
  Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  ~Scheduler();

  PicoSeconds now() const { return now_; }
  std::uint64_t events_run() const { return events_run_; }

  /// At `when`, which must not lie before now(). An event already scheduled is moved. `reads`:
  /// memory its handler begins with, fetched into the caches some events ahead; a hint.
  void schedule_at(Event& event, PicoSeconds when, const void* reads = nullptr);
  void schedule_in(Event& event, PicoSeconds delay) { schedule_at(event, now_ + delay); }
  /// Withdraws it; nothing run if it was not scheduled.
  void cancel(Event& event);

  bool empty() const { return pending_ == 0; }
  /// The event that comes first; null when there is none.
  Event* first() {
    if (beyond_list_ != 0) return first_of_current_bucket();
    return list_ != nullptr ? list_ : first_of_next_bucket();
  }
  /// Time of the next event; PicoSeconds::max() when there is none.
  PicoSeconds next_time() {
    const Event* const event = first();
    return event != nullptr ? event->due_ : PicoSeconds::max();
  }

  /// Runs the first event. Precondition: `event` is first().
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
  /// Runs every event due at or before `end`, then sets now() to `end`.
  void run_until(PicoSeconds end);
  /// The same, and place() tells meanwhile where the event that runs comes.
  void run_placed_until(PicoSeconds end);
  /// Null but while run_placed_until() runs an event.
  const EventPlace* place() const { return placing_ ? &place_ : nullptr; }
  /// The event that runs is one of those that schedulers divide among them, whose ranks are above
  /// all others: what it does from here on is this part of all that they do, in the order of the
  /// numbers.
  void begin_part(std::uint64_t part) {
    if (placing_) place_part(part);
  }
  /// Moves the clock forward over a stretch without events (end <= next_time()).
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
  /// Binary heap that tells each event its position.
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

  static constexpr int kBucketShift = 10;            // 1.024 ns
  static constexpr std::uint32_t kBuckets = 16'384;  // 16.8 us ahead
  static constexpr std::uint32_t kMaxListed = 16;
  static constexpr std::size_t kPrefetchAhead =
      6;  // events: about the time that lines take to come
  static constexpr std::uint32_t kWords = kBuckets / 64;
  static constexpr std::uint32_t kGroups = kWords / 64;
  static constexpr std::uint64_t kNoBucket = ~std::uint64_t{0};
  static std::uint64_t bucket_of(PicoSeconds t) {
    return static_cast<std::uint64_t>(t.count) >> kBucketShift;
  }
  void detach(Event& event);
  static bool before(const Event& a, const Event& b) {
    return a.due_ < b.due_ || (a.due_ == b.due_ && a.order_ < b.order_);
  }
  /// From list, array and heap.
  Event* first_of_current_bucket();
  /// When all of them are used up.
  Event* first_of_next_bucket();
  Event* first_of_loaded_bucket();
  /// That of `slot` was taken, the last of its word. Gives back `event`, for the caller to end with
  /// this.
  Event* prefetch_bucket_after(std::uint32_t slot, Event* event);
  /// Out of array or heap, where it is the first.
  void remove_beyond_list(Event& event);
  /// What the next few events of the array will touch is on its way.
  void prefetch_overflow() {
    for (; overflow_prefetched_ < overflow_.size() &&
           overflow_prefetched_ < overflow_next_ + kPrefetchAhead;
         ++overflow_prefetched_) {
      const Event* const event = overflow_[overflow_prefetched_].event;
      if (event != nullptr && event->kind_->prefetch != nullptr) {
        event->kind_->prefetch(event->owner_);
      }
    }
  }
  /// Elsewhere in time than it is scheduled for.
  void move_to(Event& event, PicoSeconds when, const void* reads);
  /// Into the bucket being worked on.
  void insert_into_current_bucket(Event& event);
  void insert_far(Event& event);
  void far_changed() {
    far_bucket_ = far_heap_.empty() ? kNoBucket : bucket_of(far_heap_.front().when);
  }
  bool load_next_bucket();
  /// Does the chain of a bucket hold more than the list takes?
  static bool is_overflow(const Event* event);
  void load_overflow(Event* event);
  void skip_withdrawn() {
    while (overflow_next_ != overflow_.size() && overflow_[overflow_next_].event == nullptr)
      ++overflow_next_;
  }
  /// The bucket after the current one: its number, and its first event on its way into the cache.
  void prefetch_bucket(std::uint64_t bucket) {
    next_bucket_ = bucket;
    upcoming_ = bucket == kNoBucket ? nullptr : buckets_[bucket % kBuckets];
    __builtin_prefetch(upcoming_, 1);
  }
  /// One step through the next bucket: what an event needs, and the event behind it. A step is an
  /// event's work ahead of the next, about the time a line takes to come.
  void prefetch_next_bucket() {
    if (upcoming_ == nullptr) return;
    // An owner has its event behind what the handler begins with.
    __builtin_prefetch(reinterpret_cast<const char*>(upcoming_) - sizeof(Event), 1);
    __builtin_prefetch(upcoming_->reads_, 1);
    upcoming_ = upcoming_->next_;
    __builtin_prefetch(upcoming_, 1);
  }
  void place(const Event& event);
  void place_part(std::uint64_t part);
  std::uint64_t next_filled_bucket() const;
  /// kWords: none.
  std::uint32_t filled_word_after(std::uint32_t word) const;
  void mark_filled(std::uint32_t slot) {
    filled_[slot / 64] |= std::uint64_t{1} << slot % 64;
    filled_words_[slot / 4096] |= std::uint64_t{1} << slot / 64 % 64;
  }
  void mark_empty(std::uint32_t slot) {
    if (take_out(slot) == 0) mark_word_empty(slot);
  }
  /// Its word of the bitmap, the bucket taken out; the level above does not know yet.
  std::uint64_t take_out(std::uint32_t slot) {
    return filled_[slot / 64] &= ~(std::uint64_t{1} << slot % 64);
  }
  void mark_word_empty(std::uint32_t slot) {
    filled_words_[slot / 4096] &= ~(std::uint64_t{1} << slot / 64 % 64);
  }

  // Events up to and including bucket current_bucket_.
  Event* list_ = nullptr;  // sorted, of at most kMaxListed
  std::uint32_t listed_ = 0;
  std::vector<Entry> overflow_;    // the bucket as it was found; withdrawn ones without an event
  std::size_t overflow_next_ = 0;  // the first that is still to come
  std::size_t overflow_prefetched_ = 0;  // the first that is not prefetch yet
  Heap heap_;
  std::size_t beyond_list_ = 0;  // in array and heap
  Heap far_heap_;
  std::vector<Event*> buckets_;  // current_bucket_ + 1 … + kBuckets - 1, by number mod kBuckets
  std::uint64_t filled_[kWords] = {};         // bit: bucket not empty
  std::uint64_t filled_words_[kGroups] = {};  // bit: word not zero
  std::uint64_t current_bucket_ = 0;
  std::uint64_t next_bucket_ = kNoBucket;  // first filled one after it
  std::uint64_t far_bucket_ = kNoBucket;   // of the first of far_heap_
  Event* upcoming_ = nullptr;              // in the next bucket
  std::uint64_t pending_ = 0;
  PicoSeconds now_{};
  std::uint64_t sequence_ = 0;
  std::uint64_t events_run_ = 0;
  bool placing_ = false;
  EventPlace place_;
  std::uint32_t running_rank_ = 0;  // while placing
};

}  // namespace dcc
