// pFabric: every packet carries the number of bytes left of its flow, and ports schedule and drop
// by it; senders only have a window and a short timeout.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "schemes/common/message_transport.h"
#include "sim/state_digest.h"

namespace dcc {

/// Parameters of pFabric (Alizadeh et al., SIGCOMM 2013, section 4.2); constants of the pHost
/// authors' simulator.
struct PfabricParameters final : TransportParameters {
  unsigned initial_window = 12;  // first window in packets, about a bandwidth-delay product
  unsigned max_window = 15;
  PicoSeconds timeout = kMicroSecond * 45;
  // number of consecutive timeouts after which the sender sends only probes
  unsigned probe_after = 5;

  void describe(ParameterVisitor& v) override;
  void check() const override;
  const char* discipline() const override { return "pfabric"; }
};

/// The sender of pFabric. Among the flows of a host that may send, the flow with the fewest bytes
/// left goes first. Every packet has its own ACK, and each ACK lets the window grow by one packet
/// up to a threshold. A timeout halves the threshold, sets the window to one packet, and restarts
/// sending from the first packet that is not acknowledged. After several consecutive timeouts the
/// sender sends only probes until a probe is answered.
class Pfabric final : public MessageTransport {
 public:
  Pfabric(const TransportContext& context, const PfabricParameters& parameters);

  bool has_packet() const override { return !ready_.empty(); }
  Packet* next_packet() override;

 private:
  struct Sender {
    std::uint32_t life = 0;
    bool ready = false;
    bool probing = false;
    unsigned timeouts = 0;  // number of the flow's consecutive timeouts
    double window = 0;      // window of the flow in packets
    // window in packets above which the window grows by one packet per window sent
    double threshold = 0;
    Psn cursor = 0;  // number of the next packet to send, unless it is acknowledged
    // number of the flow's packets in flight since the cursor was last reset
    unsigned in_flight = 0;
    PicoSeconds deadline = PicoSeconds::max();  // deadline of the retransmission timeout
    void add_state(StateDigest& d) const {
      d(probing, timeouts, window, threshold, cursor, in_flight, deadline);
    }
  };
  struct Timeout {
    Qpn qpn = 0;
    std::uint32_t life = 0;
    PicoSeconds when{};
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void add_own_state(StateDigest& d) const override;
  void on_ack(Qpn qpn, const Packet& ack);
  void go_back(Qpn qpn);
  void settle(Qpn qpn);
  void arm(Qpn qpn);
  bool is_current(const Timeout& timeout) const;
  void check_timeouts();

  PfabricParameters parameters_;
  std::vector<Sender> senders_;
  std::vector<Qpn> ready_;        // queue pairs whose flow may send a packet
  std::deque<Timeout> timeouts_;  // running timeouts of queue pairs, sorted by time
  Event timing_;
};

}  // namespace dcc
