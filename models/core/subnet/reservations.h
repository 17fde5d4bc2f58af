// Rates that flows were granted on the wires of the fabric, and rates that are still available.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "subnet/subnet_manager.h"
#include "switch/vl_arbitration.h"

namespace dcc {

/// Rate reservations of flows. A granted flow holds its rate on every wire of its path until
/// release(). Where the low-priority tables of virtual lane arbitration share the wires
/// (`by_tables`), a lane's grants on a wire take whole entries of 64, so a lane gets at least what
/// its flows were granted while all lanes have packets.
class Reservations {
 public:
  static constexpr unsigned kEntries = 64;
  static constexpr unsigned kLanes = 8;

  Reservations(const SubnetManager& manager, bool by_tables)
      : manager_(manager), by_tables_(by_tables) {}

  /// Rate in bits per second that a flow of this lane can be granted on a path; 0 for no path.
  std::uint64_t available(const std::vector<SubnetManager::Hop>& path, unsigned lane) const;
  /// Grants a flow a rate, which must not exceed available(). A flow has at most one grant.
  void grant(std::uint32_t flow, std::vector<SubnetManager::Hop> path, unsigned lane,
             std::uint64_t rate);
  /// Moves a granted flow to another path, whether the path has room or not.
  void move(std::uint32_t flow, std::vector<SubnetManager::Hop> path);
  /// Withdraws a flow's grant. Returns the wires of the flow's path; empty if the flow had no
  /// grant.
  std::vector<SubnetManager::Hop> release(std::uint32_t flow);
  bool holds(std::uint32_t flow) const { return granted_.count(flow) != 0; }

  /// Number of the 64 entries that each lane has in the tables of a wire.
  std::array<unsigned, kLanes> entries(const SubnetManager::Hop& wire) const;
  /// The low-priority table of a wire. Each lane's entries are spread evenly; lanes without grants
  /// take turns in the entries that no grant needs. `weight`: weight of an entry, at least 1.
  VlArbitrationParameters table(const SubnetManager::Hop& wire, unsigned weight) const;

 private:
  using Sums = std::array<std::uint64_t, kLanes>;  // sum of the granted rates by lane
  void add(const std::vector<SubnetManager::Hop>& path, unsigned lane, std::int64_t rate);
  std::uint64_t left(const SubnetManager::Hop& wire, unsigned lane) const;
  unsigned entries_for(std::uint64_t granted, std::uint64_t rate) const;

  struct Grant {
    std::vector<SubnetManager::Hop> path;
    unsigned lane = 0;
    std::uint64_t rate = 0;
  };
  const SubnetManager& manager_;
  const bool by_tables_;
  std::map<std::uint32_t, Grant> granted_;  // grants by flow
  std::map<SubnetManager::Hop, Sums> sums_;
};

}  // namespace dcc
