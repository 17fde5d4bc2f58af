#include "schemes/common/weighted_ports.h"

#include <algorithm>
#include <numeric>

namespace dcc {

namespace {

WeightedPorts::Sequence each_once(std::size_t ports) {
  WeightedPorts::Sequence sequence(ports);
  std::iota(sequence.begin(), sequence.end(), std::uint16_t{0});
  return sequence;
}

/// Divides the ports' shares by their common divisor, and rounds the shares if their sum still
/// exceeds kEntries.
void reduce(std::vector<std::uint64_t>& shares) {
  std::uint64_t divisor = 0;
  for (const std::uint64_t share : shares) divisor = std::gcd(divisor, share);
  std::uint64_t sum = 0;
  for (std::uint64_t& share : shares) sum += share /= divisor;
  if (sum <= WeightedPorts::kEntries) return;
  for (std::uint64_t& share : shares) {
    if (share == 0) continue;
    const Uint128 scaled = (Uint128(share) * WeightedPorts::kEntries + sum / 2) / sum;
    share = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(scaled));
  }
}

}  // namespace

// Smooth weighted round robin: in each step every port gains its share. The port with the largest
// gain is next, and the sum of all shares is taken from its gain.
WeightedPorts::Sequence WeightedPorts::sequence_of(std::vector<std::uint64_t> shares) {
  reduce(shares);
  const auto sum =
      static_cast<std::int64_t>(std::accumulate(shares.begin(), shares.end(), std::uint64_t{0}));
  std::vector<std::int64_t> gained(shares.size());
  Sequence sequence;
  for (std::int64_t i = 0; i < sum; ++i) {
    for (std::size_t port = 0; port < shares.size(); ++port) {
      gained[port] += static_cast<std::int64_t>(shares[port]);
    }
    const auto most = std::max_element(gained.begin(), gained.end());
    *most -= sum;
    sequence.push_back(static_cast<std::uint16_t>(most - gained.begin()));
  }
  return sequence;
}

const WeightedPorts::Sequence& WeightedPorts::of(HostId destination, PortSet ports) const {
  if (fabric_ == nullptr) {
    if (all_alike_.size() != ports.size()) all_alike_ = each_once(ports.size());
    return all_alike_;
  }
  if (by_edge_.empty()) by_edge_.resize(fabric_->edges());
  Sequence& sequence = by_edge_[fabric_->edge_of(destination)];
  if (sequence.empty()) {
    std::vector<std::uint64_t> shares;
    for (const int port : ports) shares.push_back(fabric_->capacity(self_, port, destination));
    const bool alike = std::all_of(shares.begin(), shares.end(),
                                   [&](std::uint64_t share) { return share == shares.front(); });
    sequence = alike ? each_once(ports.size()) : sequence_of(std::move(shares));
  }
  return sequence;
}

}  // namespace dcc
