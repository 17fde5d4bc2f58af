#include "traffic/port_binding.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "fabric/path_choice.h"
#include "sim/random.h"

namespace dcc::vp {

PortBinding::PortBinding(const PlatformConfig& config, const Topology& topology,
                         const Routing& routing)
    : topology_(&topology),
      routing_(&routing),
      seed_(RandomStream(config.seed, "ports").next_u64()),
      outages_(config, topology) {}

void PortBinding::choose(FlowSpec& flow) const {
  struct Pair {
    HostId from;
    HostId to;
    bool down;
    std::uint64_t rate;
    int links;
    /// True if this pair of ports is better than another pair.
    bool operator<(const Pair& other) const { return key() < other.key(); }
    std::tuple<bool, std::uint64_t, int> key() const { return {down, ~rate, links}; }
  };
  const HostPorts& ports = topology_->host_ports();
  std::vector<Pair> pairs;
  for (HostId i = 0; i < ports.ports_of(flow.from); ++i) {
    for (HostId j = 0; j < ports.ports_of(flow.to); ++j) {
      const HostId from = ports.first_port(flow.from) + i;
      const HostId to = ports.first_port(flow.to) + j;
      if (!routing_->reaches(from, to)) continue;
      pairs.push_back(
          {from, to, outages_.is_down(from, flow.start) || outages_.is_down(to, flow.start),
           routing_->slowest_link(from, to).bits_per_second, routing_->links(from, to)});
    }
  }
  const auto best = std::min_element(pairs.begin(), pairs.end())->key();
  pairs.erase(std::remove_if(pairs.begin(), pairs.end(),
                             [&best](const Pair& pair) { return pair.key() != best; }),
              pairs.end());
  // Pairs of ports are in the order of their sending ports.
  std::vector<HostId> senders;
  for (const Pair& pair : pairs) {
    if (senders.empty() || senders.back() != pair.from) senders.push_back(pair.from);
  }
  const std::uint64_t hash = mix64(seed_ ^ flow.id);
  flow.from = senders[scaled_down(hash, static_cast<std::uint32_t>(senders.size()))];
  std::vector<HostId> receivers;
  for (const Pair& pair : pairs) {
    if (pair.from == flow.from) receivers.push_back(pair.to);
  }
  flow.to = receivers[scaled_down(mix64(hash), static_cast<std::uint32_t>(receivers.size()))];
}

}  // namespace dcc::vp
