#include "net/topology_parameters.h"

namespace dcc {

namespace {
void link(ParameterVisitor& v, const char* key, LinkParameters& p, const char* meaning) {
  v.section(key, {meaning, ""}, [&] { describe(v, p); });
}
}  // namespace

std::uint64_t TorusParameters::routers() const {
  std::uint64_t product = 1;
  for (const unsigned size : dimensions) product *= size;
  return product;
}

void describe(ParameterVisitor& v, LinkParameters& p) {
  v.field("rate", p.rate, {"1Mbps", "10Tbps"}, {"bits on the wire", ""});
  v.field("delay", p.delay, {"0us", "1s"}, {"propagation, one way", ""});
  v.field("overhead", p.overhead, {"0B", "256B"},
          {"per packet: preamble, start delimiter, gap", "IEEE 802.3: 8 + 12 bytes"});
}

void describe(ParameterVisitor& v, LeafSpineParameters& p) {
  v.field("leaves", p.leaves, {"1", "4096"}, {"switches with hosts", ""});
  v.field("hosts_per_leaf", p.hosts_per_leaf, {"1", "1024"}, {"hosts on a leaf", ""});
  v.field("spines", p.spines, {"1", "1024"}, {"switches that every leaf is cabled to", ""});
  link(v, "host_link", p.host_link, "between host and leaf");
  link(v, "fabric_link", p.fabric_link, "between leaf and spine");
}

void describe(ParameterVisitor& v, RailParameters& p) {
  v.field("units", p.units, {"1", "1024"},
          {"groups of servers that share their rail switches", ""});
  v.field("rails", p.rails, {"1", "64"},
          {"network ports of a server, each on a switch of its own", ""});
  v.field("servers", p.servers, {"1", "1024"}, {"servers in a unit", ""});
  v.field("spines", p.spines, {"1", "1024"}, {"switches that every rail switch is cabled to", ""});
  link(v, "host_link", p.host_link, "between a server's port and its rail switch");
  link(v, "fabric_link", p.fabric_link, "between rail switch and spine");
}

void describe(ParameterVisitor& v, TorusParameters& p) {
  v.numbers("dimensions", p.dimensions, 1, 3, {"2", "256"}, {"routers along x, y and z", ""});
  v.field("wrap", p.wrap, {}, {"the last router is cabled to the first; false: a mesh", ""});
  v.field("hosts_per_router", p.hosts_per_router, {"1", "64"}, {"hosts on a router", ""});
  link(v, "host_link", p.host_link, "between host and router");
  link(v, "fabric_link", p.fabric_link, "between routers");
}

void describe(ParameterVisitor& v, DragonflyParameters& p) {
  v.field("groups", p.groups, {"2", "1024"},
          {"groups, one cable between any two", "Kim et al., ISCA'08"});
  v.field("routers", p.routers, {"1", "256"}, {"routers in a group, all cabled to each other", ""});
  v.field("hosts_per_router", p.hosts_per_router, {"1", "64"}, {"hosts on a router", ""});
  link(v, "host_link", p.host_link, "between host and router");
  link(v, "local_link", p.local_link, "between routers of a group");
  link(v, "global_link", p.global_link, "between groups");
}

}  // namespace dcc
