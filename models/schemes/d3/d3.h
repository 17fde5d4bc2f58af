// D3: senders ask the ports on their way for the rate that meets their deadline, and send at what
// they were given.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "schemes/common/rated_transport.h"
#include "schemes/d3/rate_allocator.h"

namespace dcc {

/// Wilson et al., "Better Never than Late: Meeting Deadlines in Datacenter Networks", SIGCOMM 2011.
/// No form on the wire is modelled.
struct D3Parameters final : RatedParameters {
  const char* discipline() const override { return "explicit_rate"; }
};

/// Sender: asks once a round trip, from when there is something to send until it has left; the
/// rate that is wanted sends what will be left in a round trip by two before the deadline, 0
/// without one. The NIC is the first port that is asked. What each port gave, least and all, is the
/// rate until the first of them ends; each is returned with the next request, or with one that asks
/// for nothing. Of a request of which nothing is heard nothing is known and nothing returned.
/// Packets of a flow leave at its rate, with a request if it is time for one, and wait a little for
/// each other: one with a deadline a round trip, others as long as what they have holds. Each is
/// acknowledged, and sent again when nothing is heard of it for the timeout.
class D3 final : public RatedTransport {
 public:
  D3(const TransportContext& context, const D3Parameters& parameters);

 private:
  /// What all ports on the way gave in answer to one request.
  struct Leases {
    RateAllocator::Lease nic;
    std::array<RateAllocator::Lease, kMaxIntHops> ports;
    BitRate rate;  // the least
    PicoSeconds until{};
    template <class Digest>
    void add_state(Digest& d) const {
      d(nic, ports, rate, until);
    }
  };
  struct Sender {
    bool has_asked = false;
    PicoSeconds round_trip{};  // of the last request that was answered
    BitRate desired;           // by the last request
    Leases leases;
    template <class Digest>
    void add_state(Digest& d) const {
      d(has_asked, round_trip, desired, leases);
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

  BitRate rate_now(const Sender& sender) const;
  BitRate desired(Qpn qpn) const;
  PicoSeconds next_request(Qpn qpn) const;
  void put_request(Qpn qpn, Packet& packet);
  void put_past(Sender& sender, Packet& packet);

  Bytes packet_;  // a full one with overhead
  RateAllocator nic_;
  std::vector<Sender> senders_;  // by queue pair
};

}  // namespace dcc
