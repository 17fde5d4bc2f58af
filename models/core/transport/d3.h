// D3: senders ask the ports on their way for the rate that meets their deadline, and send at what
// they were given.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "net/discipline/rate_allocator.h"
#include "transport/alarms.h"
#include "transport/message_transport.h"
#include "transport/outstanding.h"
#include "transport/pacing.h"

namespace dcc {

/// Wilson et al., "Better Never than Late: Meeting Deadlines in Datacenter Networks", SIGCOMM 2011.
/// No form on the wire is modelled.
struct D3Parameters final : TransportParameters {
  std::optional<PicoSeconds> ask_again;  // empty: three base RTTs
  PicoSeconds timeout = kMilliSecond;

  void describe(ParameterVisitor& v) override;
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
class D3 final : public MessageTransport {
 public:
  D3(const TransportContext& context, const D3Parameters& parameters);

  bool has_packet() const override { return !turns_.empty(); }
  Packet* next_packet() override;

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
    bool asking = false;  // a request is under way
    bool has_asked = false;
    PicoSeconds asked{};       // when the last request left, which its answer tells
    PicoSeconds patience{};    // until it asks again
    PicoSeconds round_trip{};  // of the last request that was answered
    BitRate desired;           // by the last request
    Leases leases;
    Outstanding packets;
    Pacer pacer;
    template <class Digest>
    void add_state(Digest& d) const {
      d(asking, has_asked, asked, patience, round_trip, desired, leases, packets, pacer);
    }
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void add_own_state(StateDigest& d) const override;

  // Asking
  std::uint64_t work_left(Qpn qpn) const;
  BitRate rate_of(const Sender& sender) const;
  BitRate desired(Qpn qpn) const;
  PicoSeconds next_request(const Sender& sender) const;
  PicoSeconds request_waits_until(const Sender& sender) const;
  void ask_if_time(Qpn qpn);
  void ask(Qpn qpn);
  void leave(Qpn qpn);
  void put_request(Qpn qpn, Packet& packet);
  void put_past(Sender& sender, Packet& packet);
  void on_answer(Qpn qpn, const Packet& answer);

  // Sending
  PicoSeconds due(const Sender& sender) const {
    return sender.pacer.due(sender.leases.rate, now());
  }
  void settle(Qpn qpn);
  void take_turn(Qpn qpn);
  void set_alarm(Qpn qpn);
  void look_at(Qpn qpn);
  void ring_alarms();
  void ring_due();

  D3Parameters parameters_;
  Bytes packet_;  // a full one with overhead
  PicoSeconds ask_again_;
  RateAllocator nic_;
  std::vector<Sender> senders_;  // by queue pair
  Alarms alarms_;                // to ask, and to send again
  PacedTurns turns_;             // to send
};

}  // namespace dcc
