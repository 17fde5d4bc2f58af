// Parameters of cables and of the regular shapes.
#pragma once

#include <cstdint>
#include <vector>

#include "describe/visitor.h"
#include "net/link.h"
#include "units.h"

namespace dcc {

constexpr LinkParameters kDefaultFabricLink{BitRate(400'000'000'000), kMicroSecond, 20};

struct LeafSpineParameters {
  unsigned leaves = 4;
  unsigned hosts_per_leaf = 16;
  unsigned spines = 4;
  LinkParameters host_link;
  LinkParameters fabric_link = kDefaultFabricLink;

  std::uint64_t hosts() const { return std::uint64_t{leaves} * hosts_per_leaf; }
  /// Between switches, of every shape here.
  std::uint64_t fabric_cables() const { return std::uint64_t{leaves} * spines; }
};

/// Servers with a port on every rail; a unit has a switch for each rail.
struct RailParameters {
  unsigned units = 2;
  unsigned rails = 8;
  unsigned servers = 8;  // in a unit
  unsigned spines = 8;
  LinkParameters host_link;
  LinkParameters fabric_link = kDefaultFabricLink;

  std::uint64_t hosts() const { return std::uint64_t{units} * rails * servers; }
  std::uint64_t fabric_cables() const { return std::uint64_t{units} * rails * spines; }
};

struct TorusParameters {
  std::vector<unsigned> dimensions{4, 4, 4};  // one to three
  bool wrap = true;                           // false: a mesh
  unsigned hosts_per_router = 1;
  LinkParameters host_link;
  LinkParameters fabric_link = kDefaultFabricLink;

  std::uint64_t routers() const;
  std::uint64_t hosts() const { return routers() * hosts_per_router; }
  /// At most.
  std::uint64_t fabric_cables() const { return routers() * dimensions.size(); }
};

struct DragonflyParameters {
  unsigned groups = 9;
  unsigned routers = 4;  // in a group
  unsigned hosts_per_router = 2;
  LinkParameters host_link;
  LinkParameters local_link = kDefaultFabricLink;
  LinkParameters global_link = kDefaultFabricLink;

  std::uint64_t hosts() const { return std::uint64_t{groups} * routers * hosts_per_router; }
  std::uint64_t fabric_cables() const {
    return std::uint64_t{groups} * (groups - 1) / 2 +
           std::uint64_t{groups} * routers * (routers - 1) / 2;
  }
};

void describe(ParameterVisitor& v, LinkParameters& p);
void describe(ParameterVisitor& v, LeafSpineParameters& p);
void describe(ParameterVisitor& v, RailParameters& p);
void describe(ParameterVisitor& v, TorusParameters& p);
void describe(ParameterVisitor& v, DragonflyParameters& p);

}  // namespace dcc
