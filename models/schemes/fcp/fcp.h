// FCP: every flow has a budget, every link a price, and a flow sends what its budget buys of its
// way.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "schemes/common/rated_transport.h"
#include "schemes/fcp/priced.h"

namespace dcc {

/// Han, Grandl, Akella, Seshan, "FCP: A Flexible Transport Framework for Accommodating Diversity",
/// SIGCOMM 2013. No form on the wire is modelled.
struct FcpParameters final : RatedParameters {
  const char* discipline() const override { return "priced"; }
};

/// Sender: a probe tells the ports on the way of the flow's budget, the weight of its class, and
/// brings back what each asks for a bit. The flow's rate is its budget over the sum. Every packet
/// pays the ports at the prices that it was sent at, and brings back new ones. One that may not
/// send as fast as its budget would buy pays the more for each bit: budgets are spent whole.
///
/// The NIC knows the flows it sends: its link's price is the sum of what they spend on it, of
/// packet to packet; a flow that is alone there pays nothing.
///
/// Every packet is acknowledged, and sent again when nothing is heard of it for the timeout, after
/// which the flow probes anew; so it does whenever it had nothing to send.
class Fcp final : public RatedTransport {
 public:
  Fcp(const TransportContext& context, const FcpParameters& parameters);

  void on_weight(std::uint8_t dscp, const Ratio& weight) override;

 private:
  struct Sender {
    bool sending = false;  // it knows what its way costs
    double budget = 1;     // a second
    PicoSeconds heard{};   // when the packet of the newest answer was sent; none before counts
    PicoSeconds round_trip{};
    std::array<double, kMaxIntHops> prices{};  // of the ports
    double way = 0;                            // their sum
    std::uint64_t spends = 0;                  // on the NIC's link, of its budget, in kUnit
    template <class Digest>
    void add_state(Digest& d) const {
      d(sending, budget, heard, round_trip, prices, way, spends);
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

  double own_price() const;
  double bought(const Sender& sender) const;
  void pay(const Sender& sender, Packet& packet);
  void spend(Sender& sender);
  void rest(Qpn qpn);

  double line_;                     // bits a second
  std::array<double, 64> budgets_;  // by DSCP
  std::uint64_t spent_ = 0;         // on the NIC's link, by all
  std::uint32_t sending_ = 0;       // flows
  std::vector<Sender> senders_;     // by queue pair
};

}  // namespace dcc
