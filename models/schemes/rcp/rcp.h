// RCP: every packet brings back the rate that the ports of its path give to each flow.
#pragma once

#include <vector>

#include "schemes/common/rated_transport.h"
#include "sim/state_digest.h"

namespace dcc {

/// Dukkipati, Kobayashi, Zhang-Shen and McKeown, "Processor Sharing Flows in the Internet", IWQoS
/// 2005. The wire format is not modelled.
struct RcpParameters final : RatedParameters {
  const char* discipline() const override { return "fair_rate"; }
};

/// An RCP flow requests its first rate in a separate packet; then every data packet is a request
/// and every acknowledgement an answer. The flow sends at the rate of the newest answer. A flow
/// whose next packet is not due within some round trips sends requests meanwhile at doubling
/// intervals, as in the authors' ns-2 code, since the rate may have risen. The NIC does not act as
/// a port of the path: flows whose rates exceed its link take turns there. After a pause, or when
/// nothing sent within a timeout has been answered, the flow requests a rate again before it sends.
class Rcp final : public RatedTransport {
 public:
  Rcp(const TransportContext& context, const RcpParameters& parameters);

 private:
  struct Sender {
    bool sending = false;
    PicoSeconds heard{};       // sending time of the packet with the newest answer
    PicoSeconds round_trip{};  // smoothed round-trip time of the flow
    PicoSeconds wait{};        // time from the flow's last data packet to its next separate request
    BitRate rate;
    void add_state(StateDigest& d) const { d(sending, heard, round_trip, wait, rate); }
  };

  void begin(Qpn qpn) override;
  void end(Qpn qpn) override;
  void add_own_state(StateDigest& d) const override;
  PicoSeconds asks_at(Qpn qpn) const override;
  void ask(Qpn qpn) override;
  bool may_send(Qpn qpn) const override { return senders_[qpn].sending; }
  BitRate rate_of(Qpn qpn) const override { return senders_[qpn].rate; }
  void goes(Qpn qpn, Packet& data) override;
  void leave(Qpn qpn) override;
  void on_answer(Qpn qpn, const Packet& answer) override;
  void on_timeout(Qpn qpn) override;

  void write(const Sender& sender, Packet& packet);

  const PicoSeconds timeout_;
  std::vector<Sender> senders_;  // senders indexed by queue pair
};

}  // namespace dcc
