#include "build/network.h"

#include <algorithm>
#include <utility>

#include "build/port_exceptions.h"
#include "build/translate.h"

namespace dcc::vp {

namespace {
/// Converts a name for SystemC, whose names may not contain "->", '.' or '#'. No node's name
/// contains a comma.
std::string module_name(const std::string& wire) {
  std::string name = "link_";
  for (const char c : wire) {
    if (c == '>') continue;
    name += c == '-' || c == '#' ? '_' : c == '.' ? ',' : c;
  }
  return name;
}

/// True if switches need their ports: if something besides packets reaches the ports of all
/// switches, if a switch reads its ports to choose a route, or if the counters of each port are
/// reported. A port's counters include those of the link towards the port, which may belong to
/// another process than the switch.
bool reaches_all_ports(const PlatformConfig& config, std::size_t ports) {
  return !config.faults.empty() || !config.changes.empty() || config.dcbx.enabled ||
         config.switch_.routing.chosen() != nullptr || config.output.counts_by_port(ports);
}
}  // namespace

LinkStore::~LinkStore() {
  while (size_ != 0) links_[--size_].~Link();
  std::allocator<Link>().deallocate(links_, most_);
}

void LinkStore::reserve(std::size_t most) {
  links_ = std::allocator<Link>().allocate(most);
  most_ = most;
}

Network::Network(const sc_core::sc_module_name& name, const PlatformConfig& config,
                 const Topology& topology, const Routing& routing, Partitions& partitions,
                 bool sockets)
    : sc_module(name),
      topology_(topology),
      routing_(routing),
      partitions_(partitions),
      fabric_(topology, routing),
      ties_(RandomStream(config.seed, "ties").next_u64(),
            static_cast<std::uint32_t>(2 * topology.cables().size())),
      one_way_a_flow_(config.switch_.routing.one_path_per_flow()),
      sockets_(sockets),
      all_have_ports_(sockets || reaches_all_ports(config, 2 * topology.cables().size())) {
  const SwitchParameters parameters = switch_parameters(config);
  switches_.resize(topology_.nodes().size());
  const auto wires = static_cast<std::uint32_t>(2 * topology_.cables().size());
  std::uint32_t switch_rank = wires;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const TopologyNode& node = topology_.nodes()[i];
    if (node.is_host) continue;
    const auto id = static_cast<NodeId>(i);
    switches_[i] = std::make_unique<model::SwitchModule>(
        node.name.c_str(), partitions.scheduler_of(id), partitions.pool_of(id), parameters,
        has_ports(id) ? node.ports : 1, config.seed, i, switch_rank++, sockets);
  }
  wires_.reserve(wires);
  if (!sockets) links_.reserve(wires);
  for (const Cable& cable : topology_.cables()) {
    for (int side = 0; side < 2; ++side) {
      const CableEnd from = cable.end[side];
      const CableEnd to = cable.end[1 - side];
      Wire wire;
      wire.from = from.node;
      wire.from_port = from.port;
      wire.to = to.node;
      wire.to_port = to.port;
      Scheduler& scheduler = partitions.scheduler_of(from.node);
      PacketPool& pool = partitions.pool_of(from.node);
      const std::uint32_t rank = ranks_++;
      if (sockets) {
        const std::string link_name = module_name(name_of(wire));
        wire.module = std::make_unique<model::LinkModule>(link_name.c_str(), scheduler, pool,
                                                          cable.link, rank);
      } else {
        wire.bare = &links_.add(scheduler, pool, cable.link, rank);
      }
      const bool from_host = topology_.node(from.node).is_host;
      wire.link().set_jitter(from_host ? config.nic.jitter : config.switch_.jitter,
                             RandomStream(config.seed, "jitter", wires_.size()));
      if (config.switch_.ties == SwitchParameters::Ties::kSeeded) {
        wire.link().set_tie_order(ties_, static_cast<std::uint32_t>(wires_.size()));
      }
      partitions.add(from.node, to.node, wire.link());
      wires_.push_back(std::move(wire));
    }
  }
  ranks_ = switch_rank;
  auto exceptions = port_exceptions(config, topology_);
  const auto from_switch = [this](const Wire& wire) { return switch_of(wire.from) != nullptr; };
  queue_statistics_.resize(
      static_cast<std::size_t>(std::count_if(wires_.begin(), wires_.end(), from_switch)));
  queues_.reserve(queue_statistics_.size());
  for (Wire& wire : wires_) {
    model::SwitchModule* const from = switch_of(wire.from);
    if (from == nullptr) continue;
    QueueStatistics& statistics = queue_statistics_[queues_.size()];
    queues_.push_back({wire.from, wire.from_port, nullptr, statistics});
    if (!has_ports(wire.from)) continue;
    queues_.back().device = &from->device();
    if (!exceptions.empty()) {
      from->device().set_exceptions(
          wire.from_port, std::move(exceptions[static_cast<std::size_t>(wire.from)]
                                              [static_cast<std::size_t>(wire.from_port)]));
    }
    // Headroom is computed with the slowest rate, since it must cover the worst case.
    const LinkParameters with_reserve = with_jitter(config, wire.link().parameters());
    if (sockets) {
      from->connect(wire.from_port, with_reserve);
    } else {
      from->device().attach(wire.from_port, wire.link(), with_reserve);
    }
    from->device().observe_queue(wire.from_port, &statistics);
  }
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    if (switches_[i] == nullptr || !has_ports(static_cast<NodeId>(i))) continue;
    switches_[i]->device().set_routes(routing_.table(static_cast<NodeId>(i)));
    switches_[i]->device().join(fabric_, static_cast<NodeId>(i));
  }
}

// Destroys modules from the last to the first: SystemC searches its lists from the end, and any
// other order takes minutes for the modules of a data centre.
Network::~Network() {
  while (!wires_.empty()) wires_.pop_back();
  while (!switches_.empty()) switches_.pop_back();
}

Wire& Network::wire_from(NodeId node, int port) {
  const Topology::Plug& plug = topology_.plug(node, port);
  return wires_[static_cast<std::size_t>(2 * plug.cable + plug.side)];
}

Network::Ways Network::ways(HostId from, HostId to, std::uint32_t flow) const {
  if (!one_way_a_flow_) return all_ways(from, to);
  Packet packet;
  packet.source = from;
  packet.destination = to;
  packet.flow = flow;
  Ways ways;
  ways.fastest.reserve(8);  // room for the links of most paths: at most eight
  const NodeId destination = topology_.node_of(to);
  for (NodeId here = topology_.node_of(from); here != destination;) {
    const auto& module = switches_[static_cast<std::size_t>(here)];
    const PortSet ports = routing_.ports(here, to);
    const int port = module == nullptr ? ports.front() : module->device().route_of(packet, ports);
    ways.fastest.push_back(topology_.link(here, port));
    here = topology_.peer(here, port).node;
  }
  return ways;
}

// Finds the links of all shortest paths. All shortest paths have the same number of links, so hop
// by hop the nodes that a packet can be at form a set.
Network::Ways Network::all_ways(HostId from, HostId to) const {
  Ways ways;
  const NodeId destination = topology_.node_of(to);
  std::vector<NodeId> here{topology_.node_of(from)};
  while (here.front() != destination) {
    std::vector<NodeId> next;
    LinkParameters fastest;
    std::uint64_t sum = 0;
    unsigned links = 0;
    for (const NodeId node : here) {
      for (const int port : routing_.ports(node, to)) {
        const LinkParameters& link = topology_.link(node, port);
        if (links++ == 0) fastest = link;
        fastest.rate = BitRate(std::max(fastest.rate.bits_per_second, link.rate.bits_per_second));
        fastest.delay = std::min(fastest.delay, link.delay);
        fastest.overhead = std::min(fastest.overhead, link.overhead);
        sum += link.rate.bits_per_second;
        next.push_back(topology_.peer(node, port).node);
      }
    }
    ways.several = ways.several || links > 1;
    ways.fastest.push_back(fastest);
    ways.joined.push_back({BitRate(sum), fastest.delay, fastest.overhead});
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    here = std::move(next);
  }
  return ways;
}

void Network::connect_host(HostId host, model::NicModule& nic) {
  const NodeId node = topology_.node_of(host);
  const CableEnd peer = topology_.peer(node, 0);
  Wire& up = wire_from(node, 0);
  Wire& down = wire_from(peer.node, peer.port);
  if (sockets_) {
    nic.out().bind(up.module->in());
    down.module->out().bind(nic.in());
  } else {
    nic.connect(up.link());
    down.link().connect(nic.sink(), 0);
  }
}

void Network::bind_switches() {
  for (Wire& wire : wires_) {
    if (!sockets_) {
      if (model::SwitchModule* const to = switch_of(wire.to)) {
        wire.link().connect(to->device(), wire.to_port);
      }
      continue;
    }
    if (model::SwitchModule* const from = switch_of(wire.from)) {
      from->out(wire.from_port).bind(wire.module->in());
    }
    if (model::SwitchModule* const to = switch_of(wire.to)) {
      wire.module->out().bind(to->in(wire.to_port));
    }
  }
}

}  // namespace dcc::vp
