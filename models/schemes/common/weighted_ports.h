// Ports of a set weighted by the capacity behind them: a port appears in a sequence in proportion
// to its share.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric_map.h"
#include "fabric/route_table.h"
#include "wire/packet.h"

namespace dcc {

class WeightedPorts {
 public:
  /// A sequence of indices into the port set, evenly mixed; each index occurs once if all shares
  /// are equal.
  using Sequence = std::vector<std::uint16_t>;
  /// Maximum length of a sequence of ports, which sets the resolution of a port's share.
  static constexpr std::uint64_t kEntries = 256;

  void join(const FabricMap& fabric, int self) {
    fabric_ = &fabric;
    self_ = self;
  }
  void clear() { by_edge_.clear(); }
  /// The weighted sequence of the ports that lead to a host; computed at the first call.
  const Sequence& of(HostId destination, PortSet ports) const;
  /// Computes the sequence for these shares. Precondition: at least one share is not zero.
  static Sequence sequence_of(std::vector<std::uint64_t> shares);

 private:
  // link capacities of the network; null: all ports have equal shares
  const FabricMap* fabric_ = nullptr;
  int self_ = 0;
  mutable std::vector<Sequence> by_edge_;
  mutable Sequence all_alike_;
};

}  // namespace dcc
