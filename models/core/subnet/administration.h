// InfiniBand's subnet administration: answers path records, and requests for a rate.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "subnet/mad.h"
#include "subnet/reservations.h"
#include "subnet/subnet_manager.h"

namespace dcc {

/// A query for the path between two ports. Without a rate it asks for the address alone. A rate is
/// a request to be admitted; the path record of the specification has no field for it, so the rate
/// travels in ServiceID (8 bytes, bits per second), in the answer as what can be had.
struct PathQuery {
  std::uint64_t source = 0;  // GUIDs of the ports
  std::uint64_t destination = 0;
  unsigned lane = 0;  // service level
  std::uint64_t rate = 0;
  std::uint32_t flow = 0;  // transaction: whose grant it is
  unsigned address = 0;    // address that is tried first

  Mad encode() const;
  static PathQuery decode(const Mad& mad);
};

/// Answers queries by what the subnet manager discovered. A request for a rate is granted on the
/// first of the destination's addresses, from the one asked for, whose path has so much left; else
/// the answer has the status kNoResources, and names the most that can be had and its address.
class Administration {
 public:
  Administration(const SubnetManager& manager, Reservations& reservations)
      : manager_(manager), reservations_(reservations) {}

  Mad answer(const Mad& query);
  /// Path of the last answer; empty: there was none.
  const std::vector<SubnetManager::Hop>& path() const { return path_; }

  // Fields of an answer.
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
