#include "switch/live_fabric.h"

#include <algorithm>
#include <utility>

namespace dcc {

LiveFabric::LiveFabric(Scheduler& scheduler, const Topology& topology, const Routing& routing,
                       FabricMap& fabric, std::uint32_t rank)
    : scheduler_(scheduler),
      topology_(topology),
      healthy_(routing),
      fabric_(fabric),
      links_(2 * topology.cables().size()),
      switches_(topology.nodes().size()),
      hosts_(static_cast<std::size_t>(topology.hosts())),
      failures_(topology.cables().size()),
      known_gone_(topology.cables().size()),
      converge_(Event::calling<&LiveFabric::converge>(*this, rank)) {}

void LiveFabric::switch_carrier(int cable, bool up) {
  for (int side = 0; side < 2; ++side) {
    Link& link = *links_[index(cable, side)];
    up ? link.repair() : link.fail();
  }
  for (const CableEnd& end : topology_.cables()[static_cast<std::size_t>(cable)].end) {
    const TopologyNode& node = topology_.node(end.node);
    if (node.is_host) {
      hosts_[node.host](up);
    } else {
      switches_[at(end.node)]->set_carrier(end.port, up);
    }
  }
}

void LiveFabric::fail(int cable, PicoSeconds convergence) {
  if (failures_[static_cast<std::size_t>(cable)]++ != 0) return;
  switch_carrier(cable, false);
  announce({cable, 0, false, true, {}}, convergence);
}

void LiveFabric::repair(int cable, PicoSeconds convergence) {
  if (--failures_[static_cast<std::size_t>(cable)] != 0) return;
  switch_carrier(cable, true);
  announce({cable, 0, false, false, {}}, convergence);
}

void LiveFabric::set_rate(int cable, int side, BitRate rate, PicoSeconds convergence) {
  links_[index(cable, side)]->set_rate(rate);
  const CableEnd& from = topology_.cables()[static_cast<std::size_t>(cable)].end[side];
  if (SwitchDevice* const device = switches_[at(from.node)]) device->set_rate(from.port, rate);
  announce({cable, side, true, false, rate}, convergence);
}

void LiveFabric::announce(const Change& change, PicoSeconds convergence) {
  if (told_ != nullptr && !change.of_rate) {
    untold_.emplace(scheduler_.now(), change);
    told_(change.cable);
    return;
  }
  news_.emplace(scheduler_.now() + convergence, change);
  scheduler_.schedule_at(converge_, news_.begin()->first);
}

bool LiveFabric::adopt(PicoSeconds known) {
  if (untold_.empty() || untold_.begin()->first >= known) return false;
  while (!untold_.empty() && untold_.begin()->first < known) {
    news_.emplace(scheduler_.now(), untold_.begin()->second);
    untold_.erase(untold_.begin());
  }
  converge();
  return true;
}

void LiveFabric::converge() {
  bool ways_changed = false;
  while (!news_.empty() && news_.begin()->first <= scheduler_.now()) {
    const Change change = news_.begin()->second;
    news_.erase(news_.begin());
    if (change.of_rate) {
      const CableEnd& from =
          topology_.cables()[static_cast<std::size_t>(change.cable)].end[change.side];
      fabric_.set_rate(from.node, from.port, change.rate);
    } else {
      known_gone_[static_cast<std::size_t>(change.cable)] = change.gone;
      ways_changed = true;
    }
  }
  if (ways_changed) find_routes();
  const Routing& routing = detour_ != nullptr ? *detour_ : healthy_;
  for (std::size_t node = 0; node < switches_.size(); ++node) {
    if (switches_[node] == nullptr) continue;
    switches_[node]->set_routes(routing.table(static_cast<NodeId>(node)));
  }
  for (std::size_t cable = 0; cable < known_gone_.size() && ways_changed; ++cable) {
    if (!known_gone_[cable]) continue;
    for (const CableEnd& end : topology_.cables()[cable].end) {
      if (SwitchDevice* const device = switches_[at(end.node)]) device->route_again(end.port);
    }
  }
  if (!news_.empty()) scheduler_.schedule_at(converge_, news_.begin()->first);
}

void LiveFabric::find_routes() {
  const bool healthy = std::find(known_gone_.begin(), known_gone_.end(), true) == known_gone_.end();
  // The old routes are in use until the new ones are complete.
  std::unique_ptr<Routing> detour =
      healthy ? nullptr : std::make_unique<Routing>(topology_, known_gone_);
  fabric_.set_routing(healthy ? healthy_ : *detour);
  detour_ = std::move(detour);
  if (!parted_) look_for_parting();
}

void LiveFabric::look_for_parting() {
  std::vector<int> part(topology_.nodes().size(), -1);
  std::vector<std::size_t> hosts;  // number of hosts in each part of the network
  for (NodeId first = 0; first < static_cast<NodeId>(part.size()); ++first) {
    if (part[at(first)] >= 0) continue;
    const int number = static_cast<int>(hosts.size());
    hosts.push_back(0);
    std::vector<NodeId> open{first};
    part[at(first)] = number;
    while (!open.empty()) {
      const NodeId here = open.back();
      open.pop_back();
      const auto reach = [&](NodeId next) {
        if (std::exchange(part[at(next)], number) != number) open.push_back(next);
      };
      if (topology_.node(here).is_host) {
        ++hosts.back();
        const HostPorts& ports = topology_.host_ports();
        const HostId owner = ports.host_of(topology_.node(here).host);
        for (HostId i = 0; i < ports.ports_of(owner); ++i) {
          reach(topology_.node_of(ports.first_port(owner) + i));
        }
      }
      for (int port = 0; port < topology_.node(here).ports; ++port) {
        if (known_gone_[static_cast<std::size_t>(topology_.plug(here, port).cable)]) continue;
        reach(topology_.peer(here, port).node);
      }
    }
  }
  const auto largest =
      static_cast<int>(std::max_element(hosts.begin(), hosts.end()) - hosts.begin());
  Parting parting{scheduler_.now(), {}};
  for (HostId host = 0; host < static_cast<HostId>(topology_.hosts()); ++host) {
    if (part[at(topology_.node_of(host))] != largest) parting.hosts.push_back(host);
  }
  if (!parting.hosts.empty()) parted_ = std::move(parting);
}

}  // namespace dcc
