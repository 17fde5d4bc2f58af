// PDQ: the most critical flows send at the rates that the ports of their path allow; other flows
// pause and probe.
#pragma once

#include <cstdint>
#include <vector>

#include "schemes/common/rated_transport.h"
#include "schemes/pdq/preemptive_allocator.h"
#include "sim/state_digest.h"

namespace dcc {

/// Hong, Caesar, Godfrey, "Finishing Flows Quickly with Preemptive Scheduling", SIGCOMM 2012. The
/// wire format is not modelled.
struct PdqParameters final : RatedParameters {
  bool early_termination = false;

  const char* discipline() const override { return "preemptive_rate"; }
  bool needs_symmetric_paths() const override { return true; }
  void describe(ParameterVisitor& v) override;
};

/// The sender of PDQ requests a rate from the ports of its path, the NIC being the first, with a
/// probe and then with every data packet. The answer is the rate, or a pause and the time of the
/// next probe. A flow that the NIC itself pauses probes only the NIC. The last packet of a flow
/// returns its rate; later data needs a new request. Answers must pass the ports of their requests
/// (`routing: symmetric`).
///
/// A flow that can no longer meet its deadline loses the deadline, or with `early_termination` its
/// unsent data, as in the paper. Every data packet is acknowledged, and sent again if no
/// acknowledgement arrives within the timeout; a timeout also ends the flow's rate.
class Pdq final : public RatedTransport {
 public:
  Pdq(const TransportContext& context, const PdqParameters& parameters);

 private:
  struct Sender {
    bool late = false;   // true if the flow can no longer meet its deadline
    bool known = false;  // true if ports of the path may have the flow in their lists of flows
    // sending time of the packet with the newest response; responses to older packets are ignored
    PicoSeconds heard{};
    PicoSeconds round_trip{};  // least round-trip time of the flow's data packets
    PicoSeconds probe_after{};
    BitRate rate;
    std::uint64_t paused_by = 0;
    void add_state(StateDigest& d) const {
      d(late, known, heard, round_trip, probe_after, rate, paused_by);
    }
  };

  void begin(Qpn qpn) override;
  void end(Qpn qpn) override;
  void add_own_state(StateDigest& d) const override;
  PicoSeconds asks_at(Qpn qpn) const override;
  void ask(Qpn qpn) override;
  bool may_send(Qpn qpn) const override;
  BitRate rate_of(Qpn qpn) const override;
  void goes(Qpn qpn, Packet& data) override;
  void leave(Qpn qpn) override;
  void on_answer(Qpn qpn, const Packet& answer) override;
  void on_timeout(Qpn qpn) override;

  PicoSeconds time_left(Qpn qpn) const;
  void look_at_deadline(Qpn qpn);
  void terminate(Qpn qpn);
  SchedulingHeader header_of(Qpn qpn) const;
  SchedulingHeader told_the_nic(Qpn qpn);
  void tell_ports(Qpn qpn, const SchedulingHeader& header, bool leaves);
  void rest(Qpn qpn);
  void attach(Packet& packet, const SchedulingHeader& header);

  const bool early_termination_;
  PreemptiveAllocator nic_;  // allocator of the NIC's own link; flows are numbered by queue pair
  std::vector<Sender> senders_;  // senders indexed by queue pair
};

}  // namespace dcc
