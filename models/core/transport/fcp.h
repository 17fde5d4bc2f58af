// FCP: every flow has a budget, every link a price, and a flow sends what its budget buys of its
// way.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "net/discipline/priced.h"
#include "transport/alarms.h"
#include "transport/message_transport.h"
#include "transport/outstanding.h"
#include "transport/pacing.h"

namespace dcc {

/// Han, Grandl, Akella, Seshan, "FCP: A Flexible Transport Framework for Accommodating Diversity",
/// SIGCOMM 2013. No form on the wire is modelled.
struct FcpParameters final : TransportParameters {
  std::optional<PicoSeconds> ask_again;  // empty: three base RTTs
  PicoSeconds timeout = kMilliSecond;

  void describe(ParameterVisitor& v) override;
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
class Fcp final : public MessageTransport {
 public:
  Fcp(const TransportContext& context, const FcpParameters& parameters);

  void on_weight(std::uint8_t dscp, const Ratio& weight) override;
  bool has_packet() const override { return !turns_.empty(); }
  Packet* next_packet() override;

 private:
  struct Sender {
    bool asking = false;     // a probe is under way
    bool sending = false;    // it knows what its way costs
    double budget = 1;       // a second
    PicoSeconds heard{};     // when the packet of the newest answer was sent; none before counts
    PicoSeconds asked{};     // when it last probed
    PicoSeconds patience{};  // until it asks again
    PicoSeconds round_trip{};
    std::array<double, kMaxIntHops> prices{};  // of the ports
    double way = 0;                            // their sum
    std::uint64_t spends = 0;                  // on the NIC's link, of its budget, in kUnit
    Outstanding packets;
    Pacer pacer;
    template <class Digest>
    void add_state(Digest& d) const {
      d(asking, sending, budget, heard, asked, patience, round_trip, prices, way, spends, packets,
        pacer);
    }
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void add_own_state(StateDigest& d) const override;

  // Paying
  double own_price() const;
  double bought(const Sender& sender) const;
  BitRate rate_of(const Sender& sender) const;
  void attach_places(Packet& packet);
  void pay(const Sender& sender, Packet& packet);
  void spend(Sender& sender);
  void rest(Sender& sender);

  // Asking
  void ask_if_time(Qpn qpn);
  void ask(Qpn qpn);
  void on_answer(Qpn qpn, const Packet& answer);

  // Sending
  void settle(Qpn qpn);
  void take_turn(Qpn qpn);
  void set_alarm(Qpn qpn);
  void look_at(Qpn qpn);
  void ring_alarms();
  void ring_turns();

  FcpParameters parameters_;
  double line_;  // bits a second
  PicoSeconds ask_again_;
  std::array<double, 64> budgets_;  // by DSCP
  std::uint64_t spent_ = 0;         // on the NIC's link, by all
  std::uint32_t sending_ = 0;       // flows
  std::vector<Sender> senders_;     // by queue pair
  Alarms alarms_;                   // to ask, and to send again
  PacedTurns turns_;                // to send
};

}  // namespace dcc
