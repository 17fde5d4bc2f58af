// PDQ: the most critical flows send at the rates that every port on their way allows; the others
// pause, and ask again.
#pragma once

#include <cstdint>
#include <vector>

#include "schemes/common/rated_transport.h"
#include "schemes/pdq/preemptive_allocator.h"

namespace dcc {

/// Hong, Caesar, Godfrey, "Finishing Flows Quickly with Preemptive Scheduling", SIGCOMM 2012. No
/// form on the wire is modelled.
struct PdqParameters final : RatedParameters {
  const char* discipline() const override { return "preemptive_rate"; }
  bool needs_symmetric_paths() const override { return true; }
};

/// Sender: asks the ports on its way, the NIC the first, with a probe and then with every packet;
/// the answer is the rate that it sends at, or that it pauses and when it is to ask again. What the
/// NIC itself pauses asks only there. With its last packet a flow gives its rate back, and whatever
/// is to be sent after that is asked for anew. Ports must see the answers of what they were asked
/// (`routing: symmetric`).
///
/// A flow that cannot meet its deadline any more has none (the paper ends it). Every packet is
/// acknowledged, and sent again when nothing is heard of it for the timeout, which also takes the
/// flow's rate.
class Pdq final : public RatedTransport {
 public:
  Pdq(const TransportContext& context, const PdqParameters& parameters);

 private:
  struct Sender {
    bool late = false;         // its deadline cannot be met
    bool known = false;        // ports on the way may have it in their lists
    PicoSeconds heard{};       // when the packet of the newest answer was sent; none before counts
    PicoSeconds round_trip{};  // the shortest of data so far
    PicoSeconds probe_after{};
    BitRate rate;
    std::uint64_t paused_by = 0;
    template <class Digest>
    void add_state(Digest& d) const {
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
  SchedulingHeader header_of(Qpn qpn) const;
  SchedulingHeader told_the_nic(Qpn qpn);
  void tell_ports(Qpn qpn, const SchedulingHeader& header, bool leaves);
  void rest(Qpn qpn);
  void attach(Packet& packet, const SchedulingHeader& header);

  PreemptiveAllocator nic_;      // of the NIC's link, by queue pair
  std::vector<Sender> senders_;  // by queue pair
};

}  // namespace dcc
