#include "traffic/flow_kinds.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace dcc::vp {

namespace {

/// Assigns numbers from 0 to different values in the order of their first occurrence.
template <class Key>
class Numbers {
 public:
  unsigned of(const Key& key) {
    return numbers_.emplace(key, static_cast<unsigned>(numbers_.size())).first->second;
  }

 private:
  std::map<Key, unsigned> numbers_;
};

using Description = std::vector<std::int64_t>;

/// Returns the properties of a flow itself, without those of other flows.
Description description_of(const PlannedFlow& flow, const Topology& topology,
                           const Routing& routing) {
  const FlowSpec& spec = flow.spec;
  const NodeId sender = topology.node_of(spec.from);
  Description text{spec.dscp,
                   spec.background,
                   static_cast<std::int64_t>(spec.rate.bits_per_second),
                   static_cast<std::int64_t>(spec.initial_rate.bits_per_second),
                   spec.message,
                   spec.priority,
                   static_cast<std::int64_t>(spec.operation),
                   flow.base_rtt.count,
                   static_cast<std::int64_t>(topology.link(sender, 0).rate.bits_per_second),
                   spec.to};
  const NodeId destination = topology.node_of(spec.to);
  for (NodeId here = topology.peer(sender, 0).node; here != destination;) {
    const PortSet ports = routing.ports(here, spec.to);
    // a flow with several paths has a kind of its own
    if (ports.size() != 1) return {-1, spec.id};
    text.push_back(here);
    here = topology.peer(here, ports.front()).node;
  }
  return text;
}

}  // namespace

std::vector<unsigned> kinds_of(const std::vector<const PlannedFlow*>& flows,
                               const Topology& topology, const Routing& routing) {
  Numbers<Description> numbers;
  std::vector<unsigned> alone;                       // code number of each flow's own properties
  std::map<HostId, std::vector<std::int64_t>> sent;  // properties of all flows of each sender
  std::set<HostId> receivers;
  for (const PlannedFlow* const flow : flows) {
    alone.push_back(numbers.of(description_of(*flow, topology, routing)));
    sent[flow->spec.from].push_back(alone.back());
    receivers.insert(flow->spec.to);
  }
  for (auto& [host, kinds] : sent) {
    std::sort(kinds.begin(), kinds.end());
    if (receivers.count(host) != 0) kinds.push_back(-1 - std::int64_t{host});
  }
  Numbers<std::vector<std::int64_t>> senders;
  Numbers<std::pair<unsigned, unsigned>> kinds;
  std::vector<unsigned> all;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    all.push_back(kinds.of({alone[i], senders.of(sent[flows[i]->spec.from])}));
  }
  return all;
}

}  // namespace dcc::vp
