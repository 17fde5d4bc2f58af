#include "schemes/fastpass/timeslot_allocator.h"

#include <algorithm>

namespace dcc {

TimeslotAllocator::End& TimeslotAllocator::at(std::vector<End>& ends, HostId host) {
  if (ends.size() <= host) ends.resize(std::size_t{host} + 1);
  return ends[host];
}

void TimeslotAllocator::count(const Pair& pair, bool more) {
  const auto counted = [more](End& end, std::uint32_t& some) {
    if (more && end.pairs++ == 0) ++some;
    if (!more && --end.pairs == 0) --some;
  };
  counted(at(sources_, pair.source), some_sources_);
  counted(at(destinations_, pair.destination), some_destinations_);
}

/// Inserts a pair of hosts into the order, after all pairs with a smaller or equal key.
void TimeslotAllocator::enter(std::uint32_t pair) {
  const std::uint64_t own = rank(pair);
  const auto place =
      std::upper_bound(active_.begin(), active_.end(), own,
                       [this](std::uint64_t r, std::uint32_t other) { return r < rank(other); });
  active_.insert(place, pair);
}

bool TimeslotAllocator::demand(HostId source, HostId destination, std::uint64_t slots) {
  const auto [found, fresh] =
      known_.try_emplace(key(source, destination), static_cast<std::uint32_t>(pairs_.size()));
  if (fresh) pairs_.push_back({source, destination, 0, 0, 0});
  const std::uint32_t index = found->second;
  Pair& pair = pairs_[index];
  if (slots <= pair.wanted) return false;
  const bool lacked = pair.wanted > pair.given;
  // a pair of hosts whose demand grew moves back in the order
  if (lacked && order_ == Order::kShortest) {
    active_.erase(std::find(active_.begin(), active_.end(), index));
  }
  pair.wanted = slots;
  if (!lacked) count(pair, true);
  if (!lacked || order_ == Order::kShortest) enter(index);
  return true;
}

std::uint64_t TimeslotAllocator::given(HostId source, HostId destination) const {
  const auto found = known_.find(key(source, destination));
  return found == known_.end() ? 0 : pairs_[found->second].given;
}

const std::vector<TimeslotAllocator::Match>& TimeslotAllocator::allocate() {
  ++slot_;
  matches_.clear();
  before_.clear();
  taken_.clear();
  const std::size_t most = std::min(some_sources_, some_destinations_);
  std::size_t seen = 0;
  for (; seen < active_.size() && matches_.size() < most; ++seen) {
    Pair& pair = pairs_[active_[seen]];
    End& source = sources_[pair.source];
    End& destination = destinations_[pair.destination];
    if (source.taken == slot_ || destination.taken == slot_) {
      before_.push_back(active_[seen]);
      continue;
    }
    source.taken = destination.taken = slot_;
    pair.last = slot_;
    matches_.push_back({pair.source, pair.destination, ++pair.given});
    if (pair.wanted > pair.given) {
      taken_.push_back(active_[seen]);
    } else {
      count(pair, false);
    }
  }
  // Pairs of hosts that got a slot keep their order among themselves, and so do the other pairs.
  before_.insert(before_.end(), active_.begin() + static_cast<std::ptrdiff_t>(seen), active_.end());
  active_.resize(before_.size() + taken_.size());
  std::merge(before_.begin(), before_.end(), taken_.begin(), taken_.end(), active_.begin(),
             [this](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });
  return matches_;
}

}  // namespace dcc
