// The use of hosts' links within the measured window, for diagnoses.
#pragma once

#include <utility>
#include <vector>

#include "diagnose/diagnosis.h"

namespace dcc::vp {

/// An upper bound of the round-trip time of one full packet and its ACK in the empty network, over
/// at most six links each way, which fat trees do not exceed. The bound is cheap where the exact
/// value takes seconds.
PicoSeconds round_trip_bound(const Evidence& evidence);
/// An upper bound of the same round-trip time between hosts at one switch: two links each way.
PicoSeconds round_trip_of_neighbours(const Evidence& evidence);

/// Payload delivered within the window, in full packets of each flow's path.
std::uint64_t full_packets_delivered(const Evidence& evidence);

/// The hosts between which the data of a flow goes; a READ's data comes from the host that it asks.
inline HostId sender_of(const FlowResult& flow) { return flow.reversed ? flow.to : flow.from; }
inline HostId receiver_of(const FlowResult& flow) { return flow.reversed ? flow.from : flow.to; }

/// An end of a flow's data: the host and the number of its port.
using FlowEnd = std::pair<HostId, unsigned>;
inline FlowEnd sending_end(const FlowResult& flow) {
  return flow.reversed ? FlowEnd{flow.to, flow.to_port} : FlowEnd{flow.from, flow.from_port};
}
inline FlowEnd receiving_end(const FlowResult& flow) {
  return flow.reversed ? FlowEnd{flow.from, flow.from_port} : FlowEnd{flow.to, flow.to_port};
}

class LinkUse {
 public:
  /// Measures the use of links. Precondition: evidence.results() is not null. `evidence` must
  /// outlive this object.
  explicit LinkUse(const Evidence& evidence);
  /// Results of the link at which the flow's data leaves its sender, and of the link that leads to
  /// its receiver; null if the results do not contain it.
  const LinkResult* from_sender(const FlowResult& flow) const {
    return from_port_[port(sending_end(flow))];
  }
  const LinkResult* to_receiver(const FlowResult& flow) const {
    return to_port_[port(receiving_end(flow))];
  }
  /// Share of the window in which the link was busy, from 0 to 1.
  double of(const LinkResult& link) const;
  /// Greatest use (see of()) of any link between switches; 0 without such links.
  double of_fabric() const { return of_fabric_; }
  /// Greatest share of the window, from 0 to 1, in which PFC paused some priority of a link.
  double paused() const { return paused_; }
  /// True if the flow's ends are at the same switch.
  bool are_neighbours(const FlowResult& flow) const;

 private:
  HostId port(const FlowEnd& end) const {
    return evidence_.topology().host_ports().first_port(end.first) + end.second;
  }
  const Evidence& evidence_;
  double window_;  // length of the measured window in picoseconds
  double of_fabric_ = 0;
  double paused_ = 0;
  std::vector<const LinkResult*> from_port_;
  std::vector<const LinkResult*> to_port_;
};

}  // namespace dcc::vp
