#include "controller/timing_wheel.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace dcc {

namespace {

constexpr Tick kNever = std::numeric_limits<Tick>::max();
constexpr Tick kEpochSpan = Tick{1} << 16;

constexpr std::size_t kTop = 0;
constexpr std::size_t kMiddle = 1;
constexpr std::size_t kLast = 2;

void check(std::uint32_t slots, const WheelSplit& split) {
  if (slots < 1 || slots > kMaxSlots) {
    throw std::invalid_argument("a timing wheel has 1 to " + std::to_string(kMaxSlots) +
                                " slots, not " + std::to_string(slots));
  }
  const auto usable = [](int bits) { return bits >= 1 && bits <= 12; };
  if (!usable(split.top) || !usable(split.middle) || !usable(split.last) ||
      split.top + split.middle + split.last != 16) {
    throw std::invalid_argument(
        "the levels of a timing wheel split 16 bits into parts of 1 to 12, not " +
        std::to_string(split.top) + "/" + std::to_string(split.middle) + "/" +
        std::to_string(split.last));
  }
}

}  // namespace

TimingWheel::TimingWheel(std::uint32_t slots, const WheelSplit& split) {
  check(slots, split);
  const std::array<int, 3> shifts = {split.middle + split.last, split.last, 0};
  // bits of each level's digit; lower levels have two turns
  const std::array<int, 3> bits = {split.top, split.middle + 1, split.last + 1};
  std::uint32_t places = 0;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    levels_[i].shift = shifts[i];
    levels_[i].first = static_cast<Place>(places);
    levels_[i].mask = (1u << bits[i]) - 1;
    levels_[i].occupied = SlotBitmap(1u << bits[i]);
    places += 1u << bits[i];
  }
  ready_ = SlotBitmap(slots);
  moment_ = kNever;
}

std::optional<Tick> TimingWheel::Level::next_occupied(Tick from) const {
  const auto start = static_cast<std::uint32_t>(from) & mask;
  std::uint32_t place = occupied.least_from(start);
  if (place == SlotBitmap::kNone) place = occupied.least();
  if (place == SlotBitmap::kNone) return std::nullopt;
  return from + ((place - start) & mask);
}

TimingWheel::Level& TimingWheel::level_of(Place place) {
  if (place < levels_[kMiddle].first) return levels_[kTop];
  return place < levels_[kLast].first ? levels_[kMiddle] : levels_[kLast];
}

// The event belongs to the highest level whose digit of `due` is more than one ahead of the
// pointer's digit: in that level the event's place has not come up yet. The place of digit d comes
// up when the pointer enters digit d − 1.
void TimingWheel::insert(SlotIndex slot) {
  const Tick due = unwrapped(entries_[slot].due);
  Level& top = levels_[kTop];
  Level& middle = levels_[kMiddle];
  if ((due >> middle.shift) - (pointer_ >> middle.shift) <= 1) {
    append(levels_[kLast], due, slot, due);
    moment_ = std::min(moment_, due);
    return;
  }
  if ((due >> top.shift) - (pointer_ >> top.shift) <= 1) {
    const Tick digit = due >> middle.shift;
    append(middle, digit, slot, due);
    moment_ = std::min(moment_, (digit - 1) << middle.shift);
    return;
  }
  const Tick digit = due >> top.shift;
  append(top, digit, slot, due);
  moment_ = std::min(moment_, (digit - 1) << top.shift);
}

void TimingWheel::append(Level& level, Tick digit, SlotIndex slot, Tick due) {
  const std::uint32_t index = static_cast<std::uint32_t>(digit) & level.mask;
  const auto place = static_cast<Place>(level.first + index);
  List& list = lists_[place];
  Entry& entry = entries_[slot];
  entry.place = place;
  entry.next = kNil;
  entry.previous = list.tail;
  if (list.count == 0) {
    list.head = static_cast<std::uint16_t>(slot);
    list.earliest = due;
    level.occupied.insert(index);
  } else {
    entries_[list.tail].next = static_cast<std::uint16_t>(slot);
    list.earliest = std::min(list.earliest, due);
  }
  list.tail = static_cast<std::uint16_t>(slot);
  ++list.count;
}

void TimingWheel::unlink(SlotIndex slot) {
  Entry& entry = entries_[slot];
  if (entry.place == kReady) {
    ready_.erase(slot);
  } else {
    List& list = lists_[entry.place];
    (entry.previous == kNil ? list.head : entries_[entry.previous].next) = entry.next;
    (entry.next == kNil ? list.tail : entries_[entry.next].previous) = entry.previous;
    if (--list.count == 0) {
      Level& level = level_of(entry.place);
      level.occupied.erase(entry.place - level.first);
    }
  }
  entry.place = kNowhere;
}

// Processes one place of a level when the place comes up: the events that the place holds at that
// moment, in their order. In the last level an event expires or is stale; in other levels the event
// moves to a lower level.
void TimingWheel::work_through(Level& level, Tick digit) {
  const std::uint32_t index = static_cast<std::uint32_t>(digit) & level.mask;
  if (!level.occupied.contains(index)) return;
  List& list = lists_[level.first + index];
  const std::uint32_t snapshot = list.count;
  std::uint16_t slot = list.head;
  list = {};
  level.occupied.erase(index);
  largest_snapshot_ = std::max(largest_snapshot_, snapshot);
  for (std::uint32_t i = 0; i < snapshot; ++i) {
    Entry& entry = entries_[slot];
    const std::uint16_t next = entry.next;
    if (entry.due == (pointer_ & kDueMask)) {
      entry.place = kReady;
      ready_.insert(slot);
    } else {
      insert(slot);
      ++moves_;
    }
    slot = next;
  }
}

void TimingWheel::step_to(Tick tick) {
  pointer_ = tick;
  for (Level& level : levels_) {
    const Tick ahead = &level == &levels_[kLast] ? 0 : 1;
    work_through(level, (tick >> level.shift) + ahead);
  }
}

Tick TimingWheel::next_moment() const {
  Tick moment = kNever;
  if (const auto tick = levels_[kLast].next_occupied(pointer_ + 1)) moment = *tick;
  for (const std::size_t i : {kMiddle, kTop}) {
    const Level& level = levels_[i];
    if (const auto digit = level.next_occupied((pointer_ >> level.shift) + 2)) {
      moment = std::min(moment, (*digit - 1) << level.shift);
    }
  }
  return moment;
}

// Moves the wheel's pointer to `now`, or to the first tick before `now` that has expiries.
void TimingWheel::catch_up(Tick now) {
  while (ready_.empty() && moment_ <= now) {
    const Tick tick = moment_;
    moment_ = kNever;
    step_to(tick);
    moment_ = next_moment();
  }
  if (ready_.empty() && now > pointer_) pointer_ = now;
  if (now - pointer_ >= kOverrunLag) set_overrun();
}

void TimingWheel::make_room(SlotIndex slot) {
  entries_.resize(2 * (slot + 1));
  lists_.resize(levels_[kLast].first + levels_[kLast].mask + 1);
}

bool TimingWheel::do_start(SlotIndex slot, Ticks delay, Tick now) {
  catch_up(now);
  if (now - pointer_ >= kEpochSpan) {
    throw std::logic_error("timing wheel: expiries were not taken for 2^16 ticks");
  }
  if (__builtin_expect(slot >= entries_.size(), false)) make_room(slot);
  Entry& entry = entries_[slot];
  const bool replaces = entry.place != kNowhere;
  const Tick due = now + std::clamp<Ticks>(delay, 1, kMaxDelay);
  const auto stored = static_cast<std::uint32_t>(due) & kDueMask;
  if (replaces && entry.place != kReady && unwrapped(entry.due) <= due) {
    entry.due = stored;  // the wheel reaches the entry's old place before the new one
    return true;
  }
  if (replaces) unlink(slot);
  entry.due = stored;
  insert(slot);
  return replaces;
}

bool TimingWheel::do_cancel(SlotIndex slot, Tick now) {
  catch_up(now);
  if (slot >= entries_.size() || entries_[slot].place == kNowhere) return false;
  unlink(slot);
  return true;
}

std::optional<TimerExpiry> TimingWheel::do_take_expired(Tick now) {
  catch_up(now);
  const std::uint32_t slot = ready_.least();
  if (slot == SlotBitmap::kNone) return std::nullopt;
  ready_.erase(slot);
  entries_[slot].place = kNowhere;
  return TimerExpiry{slot, pointer_};
}

std::optional<Tick> TimingWheel::next_due(Tick now) {
  catch_up(now);
  if (!ready_.empty()) return pointer_;
  // The pointer stands at `now`, so no event lies beyond the horizon, and all events of a level are
  // due before those of the next higher level.
  if (const auto tick = levels_[kLast].next_occupied(pointer_ + 1)) return tick;
  for (const std::size_t i : {kMiddle, kTop}) {
    const Level& level = levels_[i];
    const auto digit = level.next_occupied((pointer_ >> level.shift) + 2);
    if (!digit.has_value()) continue;
    return lists_[level.first + (static_cast<std::uint32_t>(*digit) & level.mask)].earliest;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> TimingWheel::stored_due(SlotIndex slot) const {
  if (slot >= entries_.size() || entries_[slot].place == kNowhere) return std::nullopt;
  return entries_[slot].due;
}

Tick TimingWheel::lag(Tick now) {
  catch_up(now);
  return now - pointer_;
}

void TimingWheel::do_reset(Tick now) {
  for (Level& level : levels_) level.occupied.clear();
  ready_.clear();
  std::fill(lists_.begin(), lists_.end(), List{});
  std::fill(entries_.begin(), entries_.end(), Entry{});
  pointer_ = now;
  moment_ = kNever;
  moves_ = 0;
  largest_snapshot_ = 0;
}

}  // namespace dcc
