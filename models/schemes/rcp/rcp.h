// RCP: every packet brings back the rate that the ports of its path give to each flow.
#pragma once

#include <vector>

#include "schemes/common/rated_transport.h"

namespace dcc {

/// Dukkipati, Kobayashi, Zhang-Shen and McKeown, "Processor Sharing Flows in the Internet", IWQoS
/// 2005. The wire format is not modelled.
struct RcpParameters final : RatedParameters {
  const char* discipline() const override { return "fair_rate"; }
};

/// A flow requests its first rate in a packet of its own; then every data packet is a request and
/// every acknowledgement an answer. The flow sends at the rate of the newest answer. The NIC is no
/// port of the path: flows that together have more than its link take turns there. After a timeout,
/// or after a pause, the flow requests a rate again.
class Rcp final : public RatedTransport {
 public:
  Rcp(const TransportContext& context, const RcpParameters& parameters);

 private:
  struct Sender {
    bool sending = false;
    PicoSeconds heard{};       // sending time of the packet whose answer is the newest
    PicoSeconds round_trip{};  // smoothed
    BitRate rate;
    template <class Digest>
    void add_state(Digest& d) const {
      d(sending, heard, round_trip, rate);
    }
  };

  void begin(Qpn qpn) override;
  void end(Qpn qpn) override;
  void add_own_state(StateDigest& d) const override;
  PicoSeconds asks_at(Qpn qpn) const override;
  void ask(Qpn qpn) override;
  bool may_send(Qpn qpn) const override { return senders_[qpn].sending; }
  BitRate rate_of(Qpn qpn) const override { return senders_[qpn].rate; }
  void goes(Qpn qpn, Packet& data) override { write(senders_[qpn], data); }
  void leave(Qpn qpn) override;
  void on_answer(Qpn qpn, const Packet& answer) override;
  void on_timeout(Qpn qpn) override { leave(qpn); }

  void write(const Sender& sender, Packet& packet);

  std::vector<Sender> senders_;  // senders indexed by queue pair
};

}  // namespace dcc
