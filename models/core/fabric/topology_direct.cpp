// Direct networks: named shapes in which every router has hosts (torus, dragonfly).
#include <algorithm>
#include <cstddef>

#include "fabric/require_topology.h"
#include "fabric/topology.h"

namespace dcc {

namespace {

std::size_t at(int n) { return static_cast<std::size_t>(n); }
std::uint32_t u32(int n) { return static_cast<std::uint32_t>(n); }
PortSet one(int port) { return PortSet::consecutive(u32(port), 1); }

/// Adds a switch with its hosts on its first ports.
NodeId add_router(Topology& topology, const std::string& name, int hosts,
                  const LinkParameters& link) {
  const NodeId router = topology.add_switch(name);
  for (int i = 0; i < hosts; ++i) {
    topology.connect(topology.add_host("h" + std::to_string(topology.hosts())), router, link);
  }
  return router;
}

class TorusBuilder {
 public:
  explicit TorusBuilder(const TorusParameters& p)
      : p_(p), hosts_(static_cast<int>(p.hosts_per_router)) {
    for (const unsigned size : p.dimensions) {
      stride_.push_back(routers_);
      routers_ *= static_cast<int>(size);
    }
    ports_.assign(at(routers_) * p.dimensions.size(), {});
  }

  void build(Topology& topology) {
    std::vector<NodeId> router;
    router.reserve(at(routers_));
    for (int r = 0; r < routers_; ++r) {
      router.push_back(add_router(topology, name_of(r), hosts_, p_.host_link));
    }
    for (int d = 0; d < dimensions(); ++d) {
      const int size = size_of(d);
      for (int r = 0; r < routers_; ++r) {
        const int here = coordinate(r, d);
        const bool last = here + 1 == size;
        // a dimension of two routers has one cable, not two
        if (last && (!p_.wrap || size < 3)) continue;
        const int next = r + (last ? 1 - size : 1) * stride_[at(d)];
        topology.connect(router[at(r)], router[at(next)], p_.fabric_link);
        const Cable& cable = topology.cables().back();
        ports(r, d).up = cable.end[0].port;
        ports(next, d).down = cable.end[1].port;
      }
    }
  }

  Structure structure() {
    Structure structure;
    structure.outermost = {0};
    for (int r = 0; r < routers_; ++r) {
      RouteTable& table = structure.routes.emplace_back(u32(routers_ * hosts_));
      add_ways(table, r, dimensions() - 1, 0);
      table.set_block(u32(r * hosts_), u32(hosts_), 1, 0);
    }
    return structure;
  }

 private:
  struct Ports {
    int up = -1;
    int down = -1;
  };

  int dimensions() const { return static_cast<int>(p_.dimensions.size()); }
  int size_of(int d) const { return static_cast<int>(p_.dimensions[at(d)]); }
  int coordinate(int router, int d) const { return router / stride_[at(d)] % size_of(d); }
  Ports& ports(int router, int d) { return ports_[at(router) * p_.dimensions.size() + at(d)]; }
  std::string name_of(int router) const {
    std::string name = "r";
    for (int d = 0; d < dimensions(); ++d) {
      name += (d == 0 ? "" : "_") + std::to_string(coordinate(router, d));
    }
    return name;
  }

  /// Adds routes to the routers from `first` on that differ from `router` only in dimensions 0 … d.
  void add_ways(RouteTable& table, int router, int d, int first) {
    if (d < 0) return;  // the routes to the router's own hosts exist already
    const int size = size_of(d);
    const int here = coordinate(router, d);
    for (int there = 0; there < size; ++there) {
      const int begin = first + there * stride_[at(d)];
      if (there == here) {
        add_ways(table, router, d - 1, begin);
      } else {
        towards(table, u32(begin * hosts_), ports(router, d), here, there, size);
      }
    }
  }

  void towards(RouteTable& table, HostId host, const Ports& ports, int here, int there, int size) {
    const bool ring = p_.wrap && size > 2;
    const int up = there > here ? there - here : ring ? there - here + size : size;
    const int down = here > there ? here - there : ring ? here - there + size : size;
    if (up != down) {
      table.from(host, one(up < down ? ports.up : ports.down));
      return;
    }
    std::uint16_t both[] = {static_cast<std::uint16_t>(ports.up),
                            static_cast<std::uint16_t>(ports.down)};
    std::sort(std::begin(both), std::end(both));
    table.from(host, PortSet(both, 2));
  }

  const TorusParameters& p_;
  int hosts_;  // number of hosts at each router
  int routers_ = 1;
  std::vector<int> stride_;   // difference of the numbers of two neighbours, by dimension
  std::vector<Ports> ports_;  // port sets, indexed by router and dimension
};

/// Finds the ends of the cables between groups of a dragonfly.
class Dragonfly {
 public:
  explicit Dragonfly(const DragonflyParameters& p)
      : groups_(static_cast<int>(p.groups)),
        routers_(static_cast<int>(p.routers)),
        hosts_(static_cast<int>(p.hosts_per_router)),
        per_router_((groups_ - 1 + routers_ - 1) / routers_) {}

  int groups() const { return groups_; }
  int routers() const { return routers_; }
  int hosts() const { return hosts_; }

  /// The router of `group` at which the cable to the group `other` ends.
  int gateway(int group, int other) const { return slot(group, other) / per_router_; }

  RouteTable table(int group, int router) const {
    RouteTable table(u32(groups_ * routers_ * hosts_));
    const auto local = [&](int other) { return hosts_ + other - (other > router ? 1 : 0); };
    for (int g = 0; g < groups_; ++g) {
      const int first = g * routers_ * hosts_;
      if (g != group) {
        const int way = gateway(group, g);
        const int global = hosts_ + routers_ - 1 + slot(group, g) - router * per_router_;
        table.from(u32(first), one(way == router ? global : local(way)));
        continue;
      }
      for (int r = 0; r < routers_; ++r) {
        if (r != router) table.from(u32(first + r * hosts_), one(local(r)));
      }
    }
    table.set_block(u32((group * routers_ + router) * hosts_), u32(hosts_), 1, 0);
    return table;
  }

 private:
  /// Index of group `other` among the groups that `group` has cables to.
  static int slot(int group, int other) { return other < group ? other : other - 1; }

  int groups_;
  int routers_;     // number of routers in each group
  int hosts_;       // number of hosts at each router
  int per_router_;  // upper limit of cables to other groups per router
};

}  // namespace

Topology Topology::torus(const TorusParameters& p) {
  require_topology(!p.dimensions.empty() && p.dimensions.size() <= 3,
                   "a torus has one to three dimensions");
  for (const unsigned size : p.dimensions)
    require_topology(size >= 2, "a torus's dimension is two at least");
  require_topology(p.hosts_per_router >= 1, "a torus's router needs a host at least");
  Topology topology;
  TorusBuilder builder(p);
  builder.build(topology);
  topology.structure_ = builder.structure();
  return topology;
}

Topology Topology::dragonfly(const DragonflyParameters& p) {
  require_topology(p.groups >= 2 && p.routers >= 1 && p.hosts_per_router >= 1,
                   "a dragonfly needs at least two groups, a router and a host");
  Topology topology;
  const Dragonfly shape(p);
  std::vector<NodeId> router;  // node of each router; routers are numbered group by group
  for (int g = 0; g < shape.groups(); ++g) {
    for (int r = 0; r < shape.routers(); ++r) {
      router.push_back(add_router(topology, "g" + std::to_string(g) + "_" + std::to_string(r),
                                  shape.hosts(), p.host_link));
    }
  }
  const auto of = [&](int group, int r) { return router[at(group * shape.routers() + r)]; };
  for (int g = 0; g < shape.groups(); ++g) {
    for (int a = 0; a < shape.routers(); ++a) {
      for (int b = a + 1; b < shape.routers(); ++b)
        topology.connect(of(g, a), of(g, b), p.local_link);
    }
  }
  for (int a = 0; a < shape.groups(); ++a) {
    for (int b = a + 1; b < shape.groups(); ++b) {
      topology.connect(of(a, shape.gateway(a, b)), of(b, shape.gateway(b, a)), p.global_link);
    }
  }
  Structure structure;
  for (int g = 0; g < shape.groups(); ++g) {
    for (int r = 0; r < shape.routers(); ++r) structure.routes.push_back(shape.table(g, r));
  }
  // The longest path starts at a router without the cable to the first other group, if there is
  // one.
  structure.outermost = {0};
  if (p.routers > 1) structure.outermost.push_back(p.hosts_per_router);
  topology.structure_ = std::move(structure);
  return topology;
}

}  // namespace dcc
