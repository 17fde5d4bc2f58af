// XCP: ports write into every packet by how much the window of its flow is to change.
#pragma once

#include <cstdint>
#include <vector>

#include "schemes/common/rated_transport.h"
#include "sim/state_digest.h"

namespace dcc {

/// Katabi, Handley and Rohrs, "Congestion Control for High Bandwidth-Delay Product Networks",
/// SIGCOMM 2002. The wire format is not modelled.
struct XcpParameters final : RatedParameters {
  const char* discipline() const override { return "window_feedback"; }
};

/// An XCP flow begins with a window of one packet. Every data packet carries window, round trip and
/// the change that would make the flow fill the NIC's link; every acknowledgement changes the
/// window by the part of the change that the ports left. A window is paced over the smoothed round
/// trip, and may become shorter than a packet; one packet may be in flight then. After a pause, or
/// when a packet times out that was sent since the flow last began, the flow begins anew; changes
/// that ports wrote into earlier packets are then ignored.
class Xcp final : public RatedTransport {
 public:
  Xcp(const TransportContext& context, const XcpParameters& parameters);

 private:
  struct Sender {
    double window = 0;            // window of the flow in wire bytes, overhead included
    double round_trip = 0;        // smoothed round-trip time of the flow in seconds
    std::uint32_t under_way = 0;  // number of the flow's packets in flight without an answer
    PicoSeconds began{};  // time at which the flow last restarted with a window of one packet
    double packet = 0;    // wire bytes of a full packet of the path, overhead included
    void add_state(StateDigest& d) const { d(window, round_trip, under_way, began); }
  };

  void begin(Qpn qpn) override;
  void end(Qpn qpn) override;
  void add_own_state(StateDigest& d) const override;
  PicoSeconds asks_at(Qpn) const override { return PicoSeconds::max(); }
  void ask(Qpn) override {}
  bool may_send(Qpn qpn) const override;
  BitRate rate_of(Qpn qpn) const override;
  void goes(Qpn qpn, Packet& data) override;
  void leave(Qpn qpn) override { begin_anew(senders_[qpn]); }
  void on_answer(Qpn qpn, const Packet& answer) override;
  void on_timeout(Qpn qpn) override;
  void begin_anew(Sender& sender);

  const PicoSeconds timeout_;
  const double line_;            // rate of the NIC's link in bytes per second
  std::vector<Sender> senders_;  // senders indexed by queue pair
};

}  // namespace dcc
