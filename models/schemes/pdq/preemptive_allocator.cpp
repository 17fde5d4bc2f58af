#include "schemes/pdq/preemptive_allocator.h"

#include <algorithm>
#include <tuple>

namespace dcc {

namespace {
/// Number of round trips, or of probe intervals, without a packet after which a flow is removed
/// from the list.
constexpr std::int64_t kSilence = 4;

/// Denominator of fractions of a round trip, which are stored as integers.
constexpr std::int64_t kParts = 1024;

PicoSeconds times(PicoSeconds round_trip, std::size_t n, Ratio ratio) {
  const Uint128 count = Uint128(static_cast<std::uint64_t>(round_trip.count)) * n;
  return PicoSeconds(static_cast<std::int64_t>(count * ratio.numerator / ratio.denominator));
}

/// Number of round trips that the flow still needs, in units of 1 / kParts.
std::int64_t ends_in(const PreemptiveAllocator::Flow& flow) {
  return flow.left.count / std::max<std::int64_t>(flow.round_trip.count / kParts, 1);
}
}  // namespace

void PreemptiveAllocatorParameters::describe(ParameterVisitor& v) {
  const char* const paper = "PDQ, SIGCOMM'12";
  v.field("early_start", early_start, {"0", "100"},
          {"K: flows that together end within so many round trips do not make the next flow wait",
           paper});
  v.field("probing", probing, {"0", "10"},
          {"X: round trips that a paused flow waits before it asks again, for each flow "
           "before it; at least one",
           paper});
  v.field("dampening", dampening, {"0", "10"},
          {"round trips after the begin of one flow in which no other begins, except flows that "
           "end within early_start"});
  v.field("flows", flows, {"1", "65535"},
          {"number of flows in a port's list, or twice the number of sending flows if that is "
           "more; all others pause"});
}

void PreemptiveAllocator::set_link(BitRate rate) {
  link_ = rate.bits_per_second;
  capacity_ = link_;
}

bool PreemptiveAllocator::more_critical(const Flow& a, const Flow& b) {
  return std::tie(a.deadline, a.left, a.number) < std::tie(b.deadline, b.left, b.number);
}

BitRate PreemptiveAllocator::rate_of(const Flow& flow, PicoSeconds now) {
  return now < flow.raised ? std::max(flow.rate, flow.offered) : flow.rate;
}

std::size_t PreemptiveAllocator::place_of(std::uint32_t flow) const {
  std::size_t place = 0;
  while (place < flows_.size() && flows_[place].number != flow) ++place;
  return place;
}

std::size_t PreemptiveAllocator::put(const Flow& flow) {
  const auto before = std::upper_bound(flows_.begin(), flows_.end(), flow, more_critical);
  const auto place = before - flows_.begin();
  flows_.insert(before, flow);
  return static_cast<std::size_t>(place);
}

/// Number of flows that the port's list of flows may keep.
std::size_t PreemptiveAllocator::most(PicoSeconds now) const {
  if (flows_.size() < parameters_.flows) return parameters_.flows;
  const auto sending = std::count_if(flows_.begin(), flows_.end(), [&](const Flow& flow) {
    return rate_of(flow, now).bits_per_second != 0;
  });
  return std::max<std::size_t>(parameters_.flows, 2 * static_cast<std::size_t>(sending));
}

void PreemptiveAllocator::leave(std::uint32_t flow) {
  const std::size_t place = place_of(flow);
  if (place < flows_.size()) flows_.erase(flows_.begin() + static_cast<std::ptrdiff_t>(place));
}

void PreemptiveAllocator::forget_the_silent(PicoSeconds now) {
  flows_.erase(std::remove_if(flows_.begin(), flows_.end(),
                              [&](const Flow& flow) { return flow.forgotten <= now; }),
               flows_.end());
}

/// Counts a probe. Once in eight round trips, compares the sum of the probes' link times with the
/// time that has passed.
void PreemptiveAllocator::count_probe(Bytes wire, PicoSeconds round_trip, PicoSeconds now) {
  probe_ = serialization_time(wire, BitRate(link_));
  probed_ += probe_;
  if (now < counted_from_ + round_trip * 8) return;
  crowded_ = probed_ * 4 > now - counted_from_;
  probed_ = {};
  counted_from_ = now;
}

/// Adjusts the capacity of the link once per round trip: reserves the rate that drains the minimum
/// queue of the last round trip within two round trips.
void PreemptiveAllocator::control_rate(PicoSeconds round_trip, Bytes queue, PicoSeconds now) {
  shortest_queue_ = std::min(shortest_queue_, queue);
  if (now < controlled_) return;
  const PicoSeconds span = round_trip * 2;
  const Uint128 standing = Uint128(static_cast<std::uint64_t>(shortest_queue_)) *
                           8'000'000'000'000u / static_cast<std::uint64_t>(span.count);
  capacity_ = standing < link_ ? link_ - static_cast<std::uint64_t>(standing) : 0;
  controlled_ = now + round_trip;
  shortest_queue_ = queue;
}

/// Capacity that the flows before position `place` of the list leave (algorithm 2 of the PDQ
/// paper).
std::uint64_t PreemptiveAllocator::available(std::size_t place, PicoSeconds now) const {
  const std::int64_t early = kParts * parameters_.early_start;
  std::int64_t ending = 0;
  std::uint64_t taken = 0;
  for (std::size_t i = 0; i < place; ++i) {
    const Flow& flow = flows_[i];
    const std::int64_t ends = ends_in(flow);
    if (ends < early && ending < early) {
      ending += ends;
      continue;
    }
    taken += rate_of(flow, now).bits_per_second;
    if (taken >= capacity_) return 0;
  }
  return capacity_ - taken;
}

void PreemptiveAllocator::pause(SchedulingHeader& header, std::size_t place) const {
  header.rate = {};
  header.paused_by = name_;
  header.probe_after =
      std::max({header.probe_after, times(header.round_trip, place, parameters_.probing),
                probe_ * (2 * static_cast<std::int64_t>(flows_.size()))});
}

void PreemptiveAllocator::ask(std::uint32_t number, SchedulingHeader& header, Bytes queue,
                              PicoSeconds now, Bytes wire) {
  if (wire > 0) count_probe(wire, header.round_trip, now);
  control_rate(header.round_trip, queue, now);
  forget_the_silent(now);
  const bool pauses_elsewhere = header.paused_by != 0 && header.paused_by != name_;
  if (pauses_elsewhere || header.left == PicoSeconds()) {
    leave(number);
    return;
  }
  Flow flow;
  const std::size_t before = place_of(number);
  const bool known = before < flows_.size();
  if (known) flow = flows_[before];
  flow.number = number;
  flow.deadline = header.deadline;
  flow.left = header.left;
  flow.round_trip = header.round_trip;
  flow.forgotten = now + std::max(header.probe_after, header.round_trip) * kSilence;
  if (known) flows_.erase(flows_.begin() + static_cast<std::ptrdiff_t>(before));
  const std::size_t room = most(now);
  if (flows_.size() >= room && !more_critical(flow, flows_.back())) {
    pause(header, flows_.size());
    const PicoSeconds wait =
        crowded_ ? header.waited * 2 : PicoSeconds(header.waited.count * 3 / 4);
    header.probe_after = std::max(header.probe_after, wait);
    return;
  }
  const std::size_t place = put(flow);
  if (flows_.size() > room) flows_.pop_back();

  Flow& kept = flows_[place];
  const BitRate rate = std::min(header.rate, BitRate(available(place, now)));
  const bool begins =
      rate_of(kept, now).bits_per_second == 0 && ends_in(kept) >= kParts * parameters_.early_start;
  if (rate.bits_per_second == 0 || (begins && now < next_may_begin_)) {
    kept.offered = {};
    pause(header, place);
    // A paused flow's next probe comes no earlier than its answer says, so the flow's entry is kept
    // until then.
    kept.forgotten = std::max(kept.forgotten, now + header.probe_after * kSilence);
    return;
  }
  if (begins) next_may_begin_ = now + times(header.round_trip, 1, parameters_.dampening);
  if (kept.offered < rate) kept.raised = now + header.round_trip * 2;
  kept.offered = rate;
  header.paused_by = 0;
  header.rate = rate;
}

void PreemptiveAllocator::answer(std::uint32_t number, const SchedulingHeader& header,
                                 PicoSeconds sent) {
  const std::size_t place = place_of(number);
  if (place == flows_.size() || sent < flows_[place].sent) return;
  if (header.paused_by != 0 && header.paused_by != name_) {
    leave(number);
    return;
  }
  flows_[place].sent = sent;
  flows_[place].rate = header.rate;
  if (header.rate.bits_per_second != 0) flows_[place].raised = {};
}

}  // namespace dcc
