#include "platform/snapshot.h"

#include <cassert>

namespace dcc::vp {
namespace {

// Bindings name every member: one more of them does not compile until it is subtracted, too.

WireCounters difference(const WireCounters& to, const WireCounters& from) {
  const auto& [link, pause] = from;
  const auto& [packets, bytes, lost, busy] = link;
  return {
      {to.link.packets - packets, to.link.bytes - bytes, to.link.lost - lost, to.link.busy - busy},
      to.pause - pause};
}

std::uint64_t difference(std::uint64_t to, std::uint64_t from) { return to - from; }

template <class T>
std::vector<T> difference(const std::vector<T>& to, const std::vector<T>& from) {
  assert(to.size() == from.size());
  std::vector<T> result;
  result.reserve(to.size());
  for (std::size_t i = 0; i < to.size(); ++i) result.push_back(difference(to[i], from[i]));
  return result;
}

}  // namespace

Snapshot Snapshot::since(const Snapshot& earlier) const {
  const auto& [from_wires, from_cnps_received, from_counters] = earlier;
  return {difference(wires, from_wires), difference(cnps_received, from_cnps_received),
          counters.since(from_counters)};
}

}  // namespace dcc::vp
