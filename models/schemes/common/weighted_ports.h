// Ports of a set by the capacity behind them, as a switch keeps weights: a port stands in a table
// as often as its share says.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric_map.h"
#include "fabric/route_table.h"
#include "wire/packet.h"

namespace dcc {

class WeightedPorts {
 public:
  /// Indices into the set, evenly mixed; each once where all are alike.
  using Sequence = std::vector<std::uint16_t>;
  /// A share is kept to one part in so many.
  static constexpr std::uint64_t kEntries = 256;

  void join(const FabricMap& fabric, int self) {
    fabric_ = &fabric;
    self_ = self;
  }
  void clear() { by_edge_.clear(); }
  /// Of the ports that lead to a host. Made when first asked for.
  const Sequence& of(HostId destination, PortSet ports) const;
  /// With these shares, not all zero.
  static Sequence sequence_of(std::vector<std::uint64_t> shares);

 private:
  const FabricMap* fabric_ = nullptr;  // null: all alike
  int self_ = 0;
  mutable std::vector<Sequence> by_edge_;
  mutable Sequence all_alike_;
};

}  // namespace dcc
