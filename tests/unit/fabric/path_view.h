// A fake switch for tests of load balancers. It answers the queries of a load balancer and records
// the chosen ports.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "fabric/balancers.h"
#include "fabric/topology.h"

namespace dcc::path_choice_test {

/// A switch that implements only the queries of a load balancer.
class FakeSwitch final : public PathView {
 public:
  PicoSeconds now() const override { return time; }
  Bytes backlog(int port) const override { return backlogs[static_cast<std::size_t>(port)]; }
  Bytes drain(int port, int priority) const override {
    const auto p = static_cast<std::size_t>(port);
    return backlogs[p] + (priority < 7 ? 0 : -above[p]);
  }
  BitRate rate(int) const override { return BitRate(100'000'000'000); }

  PathContext context(std::uint64_t index = 3, int ports = 8) const {
    return {*this, ports, 77, 5, index, nullptr, 1000};
  }

  PicoSeconds time{};
  std::array<Bytes, 8> backlogs{};
  std::array<Bytes, 8> above{};  // waiting bytes of priorities below 7, by port
};

inline std::unique_ptr<PathChoice> make(const std::string& kind, const FakeSwitch& view,
                                        BalancerChoice p = {}) {
  p.choose(kind);
  return p.make(view.context());
}

inline Packet packet_of(std::uint32_t flow, HostId source = 1, HostId destination = 9) {
  Packet packet;
  packet.flow = flow;
  packet.source = source;
  packet.destination = destination;
  return packet;
}

inline const PortSet kFour = PortSet::consecutive(4, 4);

/// Topology with the leaves leaf0, leaf1 and leaf2 of four hosts each, and two spines. Ports 4 and
/// 5 of a leaf lead to the spines.
inline Topology three_leaves() {
  LeafSpineParameters p;
  p.leaves = 3;
  p.spines = 2;
  p.hosts_per_leaf = 4;
  p.fabric_link.rate = BitRate(100'000'000'000);
  return Topology::leaf_spine(p);
}

}  // namespace dcc::path_choice_test
