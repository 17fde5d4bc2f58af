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
/// An upper bound of the round-trip time of one full packet and its ACK between hosts at one
/// switch, over two links each way.
PicoSeconds round_trip_of_neighbours(const Evidence& evidence);

/// Payload of a flow delivered within the window, in full packets of the flow's path.
std::uint64_t full_packets_delivered(const Evidence& evidence);

/// The hosts that send and receive the data of a flow; the responder sends the data of a READ.
inline HostId sender_of(const FlowResult& flow) { return flow.reversed ? flow.to : flow.from; }
inline HostId receiver_of(const FlowResult& flow) { return flow.reversed ? flow.from : flow.to; }

/// An end of a flow's data: the number of the host and of the host's port.
using FlowEnd = std::pair<HostId, unsigned>;
inline FlowEnd sending_end(const FlowResult& flow) {
  return flow.reversed ? FlowEnd{flow.to, flow.to_port} : FlowEnd{flow.from, flow.from_port};
}
inline FlowEnd receiving_end(const FlowResult& flow) {
  return flow.reversed ? FlowEnd{flow.from, flow.from_port} : FlowEnd{flow.to, flow.to_port};
}

class LinkUse {
 public:
  /// Measures the use of links within the measured window. Precondition: evidence.results() is not
  /// null. `evidence` must outlive this object.
  explicit LinkUse(const Evidence& evidence);
  /// Results of the link at which the flow's data leaves its sender, or of the link that leads to
  /// its receiver. Null if the results do not contain the link.
  const LinkResult* from_sender(const FlowResult& flow) const {
    return from_port_[port(sending_end(flow))];
  }
  const LinkResult* to_receiver(const FlowResult& flow) const {
    return to_port_[port(receiving_end(flow))];
  }
  /// Share of the measured window in which the link was busy, from 0 to 1.
  double of(const LinkResult& link) const;
  /// Greatest share of the window (see of()) in which any link between switches was busy; 0 without
  /// such links.
  double of_fabric() const { return of_fabric_; }
  /// Greatest share of the window, from 0 to 1, in which PFC paused at least one priority of a
  /// link.
  double paused() const { return paused_; }
  /// True if the flow's two hosts are at the same switch.
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
