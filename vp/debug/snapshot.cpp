#include "debug/snapshot.h"

#include <cassert>

namespace dcc::vp {
namespace {

// Applies an operation to every member. The structured bindings name every member, so a new member
// does not compile until it takes part.

template <class Operation>
WireCounters combine(const WireCounters& a, const WireCounters& b, Operation operation) {
  const auto& [link, pause] = b;
  const auto& [packets, bytes, lost, busy] = link;
  return {{operation(a.link.packets, packets), operation(a.link.bytes, bytes),
           operation(a.link.lost, lost), operation(a.link.busy, busy)},
          operation(a.pause, pause)};
}

template <class Operation>
std::uint64_t combine(std::uint64_t a, std::uint64_t b, Operation operation) {
  return operation(a, b);
}

template <class T, class Operation>
std::vector<T> combine(const std::vector<T>& a, const std::vector<T>& b, Operation operation) {
  assert(a.size() == b.size());
  std::vector<T> result;
  result.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(combine(a[i], b[i], operation));
  return result;
}

template <class Operation>
Snapshot combine(const Snapshot& a, const Snapshot& b, Operation operation) {
  const auto& [wires, cnps_received, by_name, counters] = b;
  return {combine(a.wires, wires, operation), combine(a.cnps_received, cnps_received, operation),
          combine(a.by_name, by_name, operation), a.counters.combine(counters, operation)};
}

}  // namespace

Snapshot Snapshot::since(const Snapshot& earlier) const {
  return combine(*this, earlier, [](auto to, auto from) { return to - from; });
}

Snapshot Snapshot::plus(const Snapshot& more) const {
  return combine(*this, more, [](auto a, auto b) { return a + b; });
}

Snapshot Snapshot::times(const Proportion& times) const {
  return combine(*this, *this, [&](auto counted, auto) { return times.of(counted); });
}

}  // namespace dcc::vp
