// How one of several equally good ports is chosen for a packet: the seam for load balancing.
#pragma once

#include <cstdint>
#include <memory>

#include "net/packet.h"
#include "net/route_table.h"

namespace dcc {

/// Of one switch, which asks it only where there is a choice. Hashing a flow onto one path (ECMP)
/// is the switch's own; everything else stands behind this.
class PathChoice {
 public:
  virtual ~PathChoice() = default;
  /// Index of the port that `packet` would take if it came now. `ports` are at least two.
  virtual std::uint32_t peek(const Packet& packet, PortSet ports) const = 0;
  /// The same for a packet that did come, with what is to be remembered of it.
  virtual std::uint32_t choose(const Packet& packet, PortSet ports) { return peek(packet, ports); }

 protected:
  PathChoice() = default;
  PathChoice(const PathChoice&) = delete;
  PathChoice& operator=(const PathChoice&) = delete;
};

/// A number below `choices` from a hash: the upper bits, scaled.
inline std::uint32_t scaled_down(std::uint64_t hash, std::uint32_t choices) {
  return static_cast<std::uint32_t>((hash >> 32) * choices >> 32);
}

/// Packets to a destination take turns.
std::unique_ptr<PathChoice> make_spray();

/// InfiniBand has three bits for it.
constexpr unsigned kGreatestLmc = 7;

/// By destination and path, the flow's number modulo 2^lmc (InfiniBand's LID mask control: a port
/// has so many addresses, each with one way through the fabric). lmc above kGreatestLmc:
/// std::invalid_argument.
std::unique_ptr<PathChoice> make_lmc(unsigned lmc, std::uint64_t hash_seed);

}  // namespace dcc
