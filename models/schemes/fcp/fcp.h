// FCP: every flow has a budget and every link a price; a flow sends what its budget buys on its
// path.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "schemes/common/rated_transport.h"
#include "schemes/fcp/priced.h"
#include "sim/state_digest.h"

namespace dcc {

/// Han, Grandl, Akella, Seshan, "FCP: A Flexible Transport Framework for Accommodating Diversity",
/// SIGCOMM 2013. The wire format is not modelled.
struct FcpParameters final : RatedParameters {
  /// Owner of a budget: each flow, or the host, whose flows divide the host's budget by their
  /// weights.
  enum class Budget : std::uint8_t { kFlow, kHost };
  Budget budget = Budget::kFlow;
  Ratio host_budget{1};

  void describe(ParameterVisitor& v) override;
  const char* discipline() const override { return "priced"; }
};

DCC_ENUM_NAMES(FcpParameters::Budget, {FcpParameters::Budget::kFlow, "flow"},
               {FcpParameters::Budget::kHost, "host"});

/// The sender of FCP announces its flow by a probe. The probe announces the flow's budget (the
/// weight of its class) to the ports of the path and brings back the price per bit of each port.
/// The flow's rate is its budget divided by the sum of the prices. Every packet pays the ports the
/// prices at which it was sent, and brings back new prices. A flow that cannot send as fast as its
/// budget allows pays more per bit, so budgets are always spent.
///
/// With `budget: host` the host's flows with data to send divide `host_budget` by their weights, so
/// a host that opens more flows does not get more. Ports see the changed budget of a flow with the
/// flow's next packet.
///
/// The NIC knows the flows that it sends: the price of its link is the sum of what these flows
/// spend on it, updated with every packet; a flow that is alone there pays nothing.
///
/// Every data packet is acknowledged, and sent again if no acknowledgement arrives within the
/// timeout. After a timeout, or after a pause, the flow probes again.
class Fcp final : public RatedTransport {
 public:
  Fcp(const TransportContext& context, const FcpParameters& parameters);

  void on_weight(std::uint8_t dscp, const Ratio& weight) override;

 private:
  struct Sender {
    bool sending = false;  // true if the price of the flow's path is known
    bool begun = false;  // true if the flow has data to send and its weight is counted in weights_
    double weight = 1;   // weight of the flow's class
    // sending time of the packet with the newest response; responses to older packets are ignored
    PicoSeconds heard{};
    PicoSeconds round_trip{};
    std::array<double, kMaxIntHops> prices{};  // last known prices of the ports on the path
    double way = 0;                            // sum of the prices of the ports on the path
    std::uint64_t spends = 0;  // part of the flow's budget spent on the NIC's link, in kUnit
    void add_state(StateDigest& d) const {
      d(sending, begun, weight, heard, round_trip, prices, way, spends);
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

  double budget(const Sender& sender) const;
  void counted(Sender& sender, bool begun);
  double own_price() const;
  double bought(const Sender& sender) const;
  void pay(const Sender& sender, Packet& packet);
  void spend(Sender& sender);
  void rest(Qpn qpn);

  const FcpParameters::Budget owner_;
  const double host_budget_;        // budget of the host per second, which its flows divide
  double line_;                     // rate of the NIC's link in bits per second
  std::uint64_t weights_ = 0;       // sum of the weights of flows with data to send, in kUnit
  std::array<double, 64> budgets_;  // budget of a flow per second, by DSCP
  std::uint64_t spent_ = 0;  // sum of the budgets that all flows spend on the NIC's link, in kUnit
  std::uint32_t sending_ = 0;    // number of flows that are sending
  std::vector<Sender> senders_;  // senders indexed by queue pair
};

}  // namespace dcc
