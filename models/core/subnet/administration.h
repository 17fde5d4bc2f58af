// InfiniBand's subnet administration, which answers queries for path records and requests for a
// rate.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "subnet/mad.h"
#include "subnet/reservations.h"
#include "subnet/subnet_manager.h"

namespace dcc {

/// A query for the path between two ports. A query without a rate asks for the address alone. A
/// rate is a request for admission. The path record of the specification has no field for a rate,
/// so the rate travels in ServiceID (8 bytes, bits per second); in the answer this field holds the
/// available rate.
struct PathQuery {
  std::uint64_t source = 0;  // GUIDs of the two ports of the path
  std::uint64_t destination = 0;
  unsigned lane = 0;  // service level of the path
  std::uint64_t rate = 0;
  std::uint32_t flow = 0;  // transaction number, which names the flow that gets the grant
  unsigned address = 0;    // address of the destination that is tried first

  Mad encode() const;
  static PathQuery decode(const Mad& mad);
};

/// Subnet administration, which answers queries from the fabric that the subnet manager discovered.
/// A request for a rate is granted on the first of the destination's addresses, from the requested
/// one on, whose path has enough rate left. Otherwise the answer has the status kNoResources, and
/// names the greatest available rate and its address.
class Administration {
 public:
  Administration(const SubnetManager& manager, Reservations& reservations)
      : manager_(manager), reservations_(reservations) {}

  Mad answer(const Mad& query);
  /// Path that the last answer named; empty: the answer named no path.
  const std::vector<SubnetManager::Hop>& path() const { return path_; }

  // Fields of an answer of subnet administration.
  static std::uint64_t rate_of(const Mad& mad) { return mad.get(Mad::kRecordData, 8); }
  static std::uint16_t destination_lid(const Mad& mad) {
    return static_cast<std::uint16_t>(mad.get(Mad::kRecordData + 40, 2));
  }
  static std::uint16_t source_lid(const Mad& mad) {
    return static_cast<std::uint16_t>(mad.get(Mad::kRecordData + 42, 2));
  }

 private:
  const SubnetManager& manager_;
  Reservations& reservations_;
  std::vector<SubnetManager::Hop> path_;
};

}  // namespace dcc
