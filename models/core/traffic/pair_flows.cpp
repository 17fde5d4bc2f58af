// Flows of patterns that name pairs of hosts, made one at a time: a list of the flows of a large
// all-to-all would take gigabytes.
#include <tuple>
#include <utility>

#include "sim/random.h"
#include "traffic/traffic_entry.h"

namespace dcc {

namespace {

using Pair = std::pair<HostId, HostId>;

/// Returns the pairs of a permutation.
std::vector<Pair> permuted(const TrafficEntry& entry) {
  // Sattolo's shuffle yields one cycle through all hosts, so no host sends to itself.
  const HostList from = entry.named_or_all(entry.spec().hosts);
  HostList to = from;
  RandomStream random(entry.context().seed, "permutation", entry.index());
  for (std::size_t i = to.size() - 1; i > 0; --i) std::swap(to[i], to[random.below(i)]);
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < to.size(); ++i) pairs.emplace_back(from[i], to[i]);
  return pairs;
}

/// Returns the pairs of staggered traffic: each host and its random destination.
std::vector<Pair> staggered(const TrafficEntry& entry) {
  const TrafficSpec& spec = entry.spec();
  const HostList hosts = entry.named_or_all(spec.hosts);
  const std::uint64_t rack = spec.rack;
  const std::uint64_t pod = spec.pod;
  const auto to_rack = static_cast<std::uint64_t>(spec.to_rack.to_fixed(32));
  const auto to_pod = static_cast<std::uint64_t>(spec.to_pod.to_fixed(32));
  std::vector<Pair> pairs;
  for (std::uint64_t h = 0; h < hosts.size(); ++h) {
    RandomStream random(entry.context().seed, "staggered", entry.index() << 32 | hosts[h]);
    const std::uint64_t where = random.next_u32();
    // Draws a random index in the `size` indices from `begin` on, excluding the `but` indices
    // around h.
    const auto pick = [&](std::uint64_t begin, std::uint64_t size, std::uint64_t but) {
      const std::uint64_t place = begin + random.below(size - but);
      return place < h / but * but ? place : place + but;
    };
    const std::uint64_t to = where < to_rack            ? pick(h / rack * rack, rack, 1)
                             : where < to_rack + to_pod ? pick(h / pod * pod, pod, rack)
                                                        : pick(0, hosts.size(), pod);
    pairs.emplace_back(hosts[h], hosts[to]);
  }
  return pairs;
}

/// Returns the pairs of a pattern with fewer than two pairs for each host.
std::vector<Pair> pairs_of(const TrafficEntry& entry) {
  const TrafficSpec& spec = entry.spec();
  std::vector<Pair> pairs;
  switch (spec.pattern) {
    case TrafficPattern::kIncast:
      for (const HostId from : entry.named_or_all(spec.senders, *spec.receiver)) {
        pairs.emplace_back(from, *spec.receiver);
      }
      return pairs;
    case TrafficPattern::kOneToMany:
      for (const HostId to : entry.named_or_all(spec.receivers, spec.sender)) {
        pairs.emplace_back(spec.sender, to);
      }
      return pairs;
    case TrafficPattern::kStride: {
      const HostList hosts = entry.named_or_all(spec.hosts);
      for (std::size_t i = 0; i < hosts.size(); ++i) {
        pairs.emplace_back(hosts[i], hosts[(i + spec.stride) % hosts.size()]);
      }
      return pairs;
    }
    case TrafficPattern::kPermutation:
      return permuted(entry);
    case TrafficPattern::kStaggered:
      return staggered(entry);
    default:  // patterns kFlow and kBackground
      return {{spec.from, spec.to}};
  }
}

/// The ordered pairs of hosts of a pattern, by number.
class Pairs {
 public:
  explicit Pairs(const TrafficEntry& entry) {
    if (entry.spec().pattern == TrafficPattern::kAllToAll) {
      all_ = entry.named_or_all(entry.spec().hosts);
    } else {
      listed_ = pairs_of(entry);
    }
  }
  std::uint64_t count() const {
    return all_.empty() ? listed_.size() : std::uint64_t{all_.size()} * (all_.size() - 1);
  }
  Pair operator[](std::uint64_t n) const {
    if (all_.empty()) return listed_[n];
    const std::uint64_t from = n / (all_.size() - 1);
    const std::uint64_t to = n % (all_.size() - 1);
    return {all_[from], all_[to < from ? to : to + 1]};
  }

 private:
  std::vector<Pair> listed_;
  HostList all_;  // hosts of an all-to-all, whose pairs are not listed
};

/// Makes `flows` flows for each pair of hosts. Each flow starts `stagger` after the previous flow.
class PairSource final : public FlowSource {
 public:
  explicit PairSource(const TrafficEntry& entry)
      : entry_(entry), pairs_(entry), flow_(entry.base()) {}

  bool next(FlowSpec& flow) override {
    const TrafficSpec& spec = entry_.spec();
    const std::uint64_t pair = nth_ / spec.flows;
    if (pair == pairs_.count()) return false;
    std::tie(flow_.from, flow_.to) = pairs_[pair];
    flow_.start = entry_.after(spec.start, entry_.times(spec.stagger, nth_), entry_.where());
    entry_.finish(flow_, entry_.where());
    if (spec.stop) {
      flow_.stop = entry_.after(*spec.stop, entry_.times(spec.stop_stagger, nth_), entry_.where());
      entry_.require(flow_.stop > flow_.start, "one of its flows stops before it starts");
    }
    ++nth_;
    flow = flow_;
    return true;
  }

 private:
  TrafficEntry entry_;
  Pairs pairs_;
  FlowSpec flow_;          // the flow made last; all flows share most of its members
  std::uint64_t nth_ = 0;  // number of flows made so far
};

}  // namespace

std::unique_ptr<FlowSource> pair_source(const TrafficEntry& entry) {
  return std::make_unique<PairSource>(entry);
}

}  // namespace dcc
