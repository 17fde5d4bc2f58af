// The use of hosts' links within the measured window, for diagnoses.
#pragma once

#include <vector>

#include "diagnose/diagnosis.h"

namespace dcc::vp {

/// An upper bound of the time of one full packet and its ACK in the empty network, over at most six
/// links each way, which fat trees do not exceed. Cheap where the exact value takes seconds.
PicoSeconds round_trip_bound(const Evidence& evidence);

/// The hosts between which the data of a flow goes; a READ's data comes from the host that it asks.
inline HostId sender_of(const FlowResult& flow) { return flow.reversed ? flow.to : flow.from; }
inline HostId receiver_of(const FlowResult& flow) { return flow.reversed ? flow.from : flow.to; }

class LinkUse {
 public:
  /// Precondition: evidence.results() is not null. `evidence` must outlive this object.
  explicit LinkUse(const Evidence& evidence);
  /// Results of the link that leaves the host, and of the link that leads to the host; null if the
  /// results do not contain it.
  const LinkResult* from_host(HostId host) const { return from_host_[host]; }
  const LinkResult* to_host(HostId host) const { return to_host_[host]; }
  /// Share of the window in which the link was busy, from 0 to 1.
  double of(const LinkResult& link) const;
  /// Greatest use (see of()) of any link between switches; 0 if there is none.
  double of_fabric() const { return of_fabric_; }
  /// Greatest share of the window, from 0 to 1, in which PFC paused some priority of a link.
  double paused() const { return paused_; }
  /// True if the hosts are at the same switch.
  bool are_neighbours(HostId a, HostId b) const;

 private:
  const Evidence& evidence_;
  double window_;  // length of the window in picoseconds
  double of_fabric_ = 0;
  double paused_ = 0;
  std::vector<const LinkResult*> from_host_;
  std::vector<const LinkResult*> to_host_;
};

}  // namespace dcc::vp
