#include "sim/scheduler.h"

#include <algorithm>
#include <cassert>

namespace dcc {

Event::~Event() {
  if (is_scheduled()) scheduler_->cancel(*this);
}

// ---------------------------------------------------------------- heap

void Scheduler::Heap::put(std::uint32_t position, const Entry& entry) {
  entries_[position] = entry;
  entry.event->position_ = position;
}

void Scheduler::Heap::sift_up(std::uint32_t position, const Entry& entry) {
  while (position > 0) {
    const std::uint32_t parent = (position - 1) / 2;
    if (!entry.before(entries_[parent])) break;
    put(position, entries_[parent]);
    position = parent;
  }
  put(position, entry);
}

void Scheduler::Heap::sift_down(std::uint32_t position, const Entry& entry) {
  const auto size = static_cast<std::uint32_t>(entries_.size());
  for (;;) {
    std::uint32_t child = 2 * position + 1;
    if (child >= size) break;
    if (child + 1 < size && entries_[child + 1].before(entries_[child])) ++child;
    if (!entries_[child].before(entry)) break;
    put(position, entries_[child]);
    position = child;
  }
  put(position, entry);
}

void Scheduler::Heap::push(const Entry& entry) {
  entries_.push_back(entry);
  sift_up(static_cast<std::uint32_t>(entries_.size() - 1), entry);
}

void Scheduler::Heap::remove(std::uint32_t position) {
  const Entry last = entries_.back();
  entries_.pop_back();
  if (position == entries_.size()) return;
  if (position > 0 && last.before(entries_[(position - 1) / 2])) {
    sift_up(position, last);
  } else {
    sift_down(position, last);
  }
}

// ---------------------------------------------------------------- calendar

Scheduler::Scheduler() : buckets_(kBuckets) {}

Scheduler::~Scheduler() {
  const auto release = [](Event* event) { event->place_ = Event::Place::kIdle; };
  for (Event* event = list_; event != nullptr; event = event->next_) release(event);
  for (std::size_t i = overflow_next_; i < overflow_.size(); ++i) {
    if (overflow_[i].event != nullptr) release(overflow_[i].event);
  }
  for (Entry& entry : heap_.entries()) release(entry.event);
  for (Entry& entry : far_heap_.entries()) release(entry.event);
  for (Event* event : buckets_) {
    for (; event != nullptr; event = event->next_) release(event);
  }
}

// Rare cases of schedule_at() are tail calls, so that the common path saves no registers.
void Scheduler::schedule_at(Event& event, PicoSeconds when, const void* reads) {
  assert(when >= now_ && "an event cannot be scheduled in the past");
  if (__builtin_expect(event.place_ != Event::Place::kIdle, false)) {
    return move_to(event, when, reads);
  }
  ++pending_;
  event.scheduler_ = this;
  event.due_ = when;
  event.order_ = (event.order_ & ~Event::kSequenceMask) | (sequence_++ & Event::kSequenceMask);
  const std::uint64_t bucket = bucket_of(when);
  if (bucket <= current_bucket_) return insert_into_current_bucket(event);
  if (__builtin_expect(bucket - current_bucket_ >= kBuckets, false)) return insert_far(event);
  event.place_ = Event::Place::kBucket;
  const auto slot = static_cast<std::uint32_t>(bucket % kBuckets);
  event.reads_ = reads;
  event.next_ = buckets_[slot];
  if (event.next_ == nullptr) mark_filled(slot);
  buckets_[slot] = &event;
  if (bucket < next_bucket_) prefetch_bucket(bucket);
}

[[gnu::noinline]] void Scheduler::move_to(Event& event, PicoSeconds when, const void* reads) {
  detach(event);
  event.place_ = Event::Place::kIdle;
  schedule_at(event, when, reads);
}

[[gnu::noinline]] void Scheduler::insert_far(Event& event) {
  event.place_ = Event::Place::kFar;
  far_heap_.push({event.due_, event.order_, &event});
  far_changed();
}

[[gnu::noinline]] void Scheduler::detach(Event& event) {
  --pending_;
  switch (event.place_) {
    case Event::Place::kList: {
      Event** link = &list_;
      while (*link != &event) link = &(*link)->next_;
      *link = event.next_;
      --listed_;
      break;
    }
    case Event::Place::kOverflow:
      overflow_[event.position_].event = nullptr;
      --beyond_list_;
      skip_cancelled();
      break;
    case Event::Place::kHeap:
      heap_.remove(event.position_);
      --beyond_list_;
      break;
    case Event::Place::kFar:
      far_heap_.remove(event.position_);
      far_changed();
      break;
    case Event::Place::kBucket: {
      // Removes an event from its bucket. A bucket holds few events, and moving events is rare: a
      // linear search is enough.
      const auto slot = static_cast<std::uint32_t>(bucket_of(event.due_) % kBuckets);
      Event** link = &buckets_[slot];
      while (*link != &event) link = &(*link)->next_;
      *link = event.next_;
      if (upcoming_ == &event) upcoming_ = nullptr;
      if (buckets_[slot] != nullptr) break;
      mark_empty(slot);
      if (bucket_of(event.due_) == next_bucket_) prefetch_bucket(next_filled_bucket());
      break;
    }
    case Event::Place::kIdle:
      break;
  }
}

void Scheduler::cancel(Event& event) {
  if (event.place_ == Event::Place::kIdle) return;
  detach(event);
  event.place_ = Event::Place::kIdle;
}

// Finds the next bitmap word with a bit set: searches the rest of the word's group, the following
// groups, then the start of the word's group.
std::uint32_t Scheduler::filled_word_after(std::uint32_t word) const {
  std::uint32_t group = word / 64;
  std::uint64_t words = filled_words_[group] & ~((std::uint64_t{2} << word % 64) - 1);
  for (std::uint32_t step = 0; words == 0; ++step) {
    if (step == kGroups) return kWords;
    group = (group + 1) % kGroups;
    words = filled_words_[group];
  }
  return group * 64 + static_cast<std::uint32_t>(__builtin_ctzll(words));
}

// Finds the first non-empty bucket after the current bucket, cyclically.
inline std::uint64_t Scheduler::next_filled_bucket() const {
  const auto from = static_cast<std::uint32_t>((current_bucket_ + 1) % kBuckets);
  std::uint32_t word = from / 64;
  std::uint64_t bits = filled_[word] & (~std::uint64_t{0} << from % 64);
  if (bits == 0) {
    word = filled_word_after(word);
    if (word == kWords) return kNoBucket;
    bits = filled_[word];
  }
  const std::uint32_t slot = word * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits));
  return current_bucket_ + 1 + (slot - from) % kBuckets;
}

bool Scheduler::load_next_bucket() {
  const std::uint64_t near = next_bucket_;
  const std::uint64_t far = far_bucket_;
  const std::uint64_t bucket = std::min(near, far);
  if (bucket == kNoBucket) return false;
  current_bucket_ = bucket;
  if (near == bucket) {
    const auto slot = static_cast<std::uint32_t>(bucket % kBuckets);
    Event* event = buckets_[slot];
    buckets_[slot] = nullptr;
    mark_empty(slot);
    prefetch_bucket(next_filled_bucket());
    if (is_overflow(event)) {
      load_overflow(event);
    } else {
      load_list(event);
    }
  }
  if (__builtin_expect(far != bucket, true)) return true;
  do {
    Event* const event = far_heap_.front().event;
    far_heap_.remove(0);
    far_changed();
    insert_into_current_bucket(*event);
  } while (far_bucket_ == bucket);
  return true;
}

// Builds the list of a bucket by insertion sort, since a bucket holds few events.
inline void Scheduler::load_list(Event* event) {
  Event* first = nullptr;
  std::uint32_t listed = 0;
  for (; event != nullptr; ++listed) {
    Event* const next = event->next_;
    Event** link = &first;
    while (*link != nullptr && before(**link, *event)) link = &(*link)->next_;
    event->place_ = Event::Place::kList;
    event->next_ = *link;
    *link = event;
    event = next;
  }
  list_ = first;
  listed_ = listed;
}

bool Scheduler::is_overflow(const Event* event) {
  for (std::uint32_t i = 0; i < kMaxListed; ++i) {
    if (event == nullptr) return false;
    event = event->next_;
  }
  return event != nullptr;
}

void Scheduler::load_overflow(Event* event) {
  overflow_.clear();
  for (; event != nullptr; event = event->next_) {
    overflow_.push_back({event->due_, event->order_, event});
  }
  std::sort(overflow_.begin(), overflow_.end(),
            [](const Entry& a, const Entry& b) { return a.before(b); });
  for (std::size_t i = 0; i < overflow_.size(); ++i) {
    overflow_[i].event->place_ = Event::Place::kOverflow;
    overflow_[i].event->position_ = static_cast<std::uint32_t>(i);
  }
  overflow_size_ = static_cast<std::uint32_t>(overflow_.size());
  overflow_next_ = 0;
  beyond_list_ += overflow_size_;
  overflow_prefetched_ = 0;
  prefetch_overflow();
}

[[gnu::noinline]] void Scheduler::insert_into_current_bucket(Event& event) {
  if (listed_ == kMaxListed) {
    event.place_ = Event::Place::kHeap;
    heap_.push({event.due_, event.order_, &event});
    ++beyond_list_;
    return;
  }
  Event** link = &list_;
  while (*link != nullptr && before(**link, event)) link = &(*link)->next_;
  event.place_ = Event::Place::kList;
  event.next_ = *link;
  *link = &event;
  ++listed_;
}

// Fast path: the next bucket holds one event, and the bucket after it is in the same bitmap word.
Event* Scheduler::first_of_next_bucket() {
  if (next_bucket_ >= far_bucket_) return first_of_loaded_bucket();
  const auto slot = static_cast<std::uint32_t>(next_bucket_ % kBuckets);
  Event* const event = buckets_[slot];
  if (event->next_ != nullptr) return first_of_loaded_bucket();
  current_bucket_ = next_bucket_;
  buckets_[slot] = nullptr;
  event->place_ = Event::Place::kList;
  list_ = event;
  listed_ = 1;
  const std::uint64_t after = take_out(slot) >> slot % 64;
  if (after == 0) return prefetch_bucket_after(slot, event);
  prefetch_bucket(current_bucket_ + static_cast<std::uint32_t>(__builtin_ctzll(after)));
  return event;
}

[[gnu::noinline]] Event* Scheduler::first_of_loaded_bucket() {
  return load_next_bucket() ? first_of_current_bucket() : nullptr;
}

[[gnu::noinline]] Event* Scheduler::prefetch_bucket_after(std::uint32_t slot, Event* event) {
  if (filled_[slot / 64] == 0) mark_word_empty(slot);
  prefetch_bucket(next_filled_bucket());
  return event;
}

Event* Scheduler::first_of_current_bucket() {
  if (beyond_list_ == 0) return list_;
  Event* event = list_;
  if (overflow_next_ != overflow_size_) {
    const Entry& entry = overflow_[overflow_next_];
    if (event == nullptr || entry.when < event->due_ ||
        (entry.when == event->due_ && entry.order < event->order_)) {
      event = entry.event;
    }
  }
  if (!heap_.empty()) {
    Event* const other = heap_.front().event;
    if (event == nullptr || before(*other, *event)) event = other;
  }
  return event;
}

void Scheduler::remove_beyond_list(Event& event) {
  --beyond_list_;
  if (event.place_ == Event::Place::kHeap) {
    heap_.remove(0);
    return;
  }
  ++overflow_next_;
  skip_cancelled();
  prefetch_overflow();
}

void Scheduler::run_until(PicoSeconds end) {
  for (Event* event = first(); event != nullptr && event->due_ <= end; event = first()) run(*event);
  advance_to(end);
}

void Scheduler::run_placed_until(PicoSeconds end) {
  struct Placing {
    explicit Placing(bool& flag) : placing(flag) { placing = true; }
    ~Placing() { placing = false; }
    bool& placing;
  } const placing(placing_);
  // actions before this call already have their positions in the order of events
  place_.time = PicoSeconds(-1);
  for (Event* event = first(); event != nullptr && event->due_ <= end; event = first()) {
    place(*event);
    run(*event);
  }
  advance_to(end);
}

void Scheduler::place(const Event& event) {
  running_rank_ = static_cast<std::uint32_t>(event.order_ >> Event::kRankShift);
  if (place_.time != event.due_) {
    place_ = {event.due_, 0, true, running_rank_};
  } else if (!place_.after) {
    place_.after = true;
    place_.within = running_rank_;
  } else {
    place_.within = std::max<std::uint64_t>(place_.within, running_rank_);
  }
}

void Scheduler::place_part(std::uint64_t part) {
  place_.shared = running_rank_;
  place_.after = false;
  place_.within = part;
}

}  // namespace dcc
