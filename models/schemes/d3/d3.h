// D3: senders request from the ports of their path the rate that meets their deadline, and send at
// the rate that the ports grant.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "schemes/common/rated_transport.h"
#include "schemes/d3/rate_allocator.h"
#include "sim/state_digest.h"

namespace dcc {

/// Wilson et al., "Better Never than Late: Meeting Deadlines in Datacenter Networks", SIGCOMM 2011.
/// The wire format is not modelled.
struct D3Parameters final : RatedParameters {
  const char* discipline() const override { return "explicit_rate"; }
};

/// The sender of D3 requests a rate once per round trip while it has data. The desired rate sends
/// the data that will be left in a round trip until two round trips before the deadline. Without a
/// deadline the desired rate is 0. The NIC is the first port of the path. The flow sends at the
/// minimum of the granted rates until the first grant ends. The next request, or a request with the
/// desired rate 0, returns each grant. If a request gets no answer, its grants are unknown and are
/// not returned. Packets leave at the flow's rate and carry the request if one is due. A request
/// waits for such a packet, one round trip for a flow with a deadline, and otherwise as long as the
/// present grants last. A flow whose grants are too small for a packet waits twice as long before
/// its next request if a port of the path says that requests take more than a quarter of its link,
/// and a quarter less otherwise. Without this rule the requests of many flows would fill the link,
/// at a higher priority than the data. Every data packet is acknowledged, and sent again if no
/// acknowledgement arrives within the timeout.
class D3 final : public RatedTransport {
 public:
  D3(const TransportContext& context, const D3Parameters& parameters);

 private:
  /// Rates that the ports of the path granted to one request.
  struct Leases {
    RateAllocator::Lease nic;
    std::array<RateAllocator::Lease, kMaxIntHops> ports;
    BitRate rate;  // rate of the flow: minimum of the rates that the ports granted
    PicoSeconds until{};
    void add_state(StateDigest& d) const { d(nic, ports, rate, until); }
  };
  struct Sender {
    bool has_asked = false;
    PicoSeconds round_trip{};  // round-trip time of the flow's last answered request
    // time to the flow's next request; 0: the granted rates are sufficient for a packet
    PicoSeconds wait{};
    BitRate desired;  // desired rate of the flow's last request
    Leases leases;
    void add_state(StateDigest& d) const { d(has_asked, round_trip, wait, desired, leases); }
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

  BitRate rate_now(const Sender& sender) const;
  BitRate desired(Qpn qpn) const;
  PicoSeconds next_request(Qpn qpn) const;
  void put_request(Qpn qpn, Packet& packet);
  void put_past(Sender& sender, Packet& packet);

  RateAllocator nic_;
  std::vector<Sender> senders_;  // senders indexed by queue pair
};

}  // namespace dcc
