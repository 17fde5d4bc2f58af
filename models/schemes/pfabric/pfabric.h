// pFabric: what is left of a flow stands in every packet, and the ports decide; senders only keep a
// window and a short timeout.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "schemes/common/message_transport.h"

namespace dcc {

/// Alizadeh et al., SIGCOMM 2013, section 4.2; constants of the pHost authors' simulator.
struct PfabricParameters final : TransportParameters {
  unsigned initial_window = 12;  // packets, about a bandwidth-delay product
  unsigned max_window = 15;
  PicoSeconds timeout = kMicroSecond * 45;
  unsigned probe_after = 5;  // timeouts in a row; from then on a header asks whether there is room

  void describe(ParameterVisitor& v) override;
  void check() const override;
  const char* discipline() const override { return "pfabric"; }
};

/// Of the flows of a host that may send, the one with least left goes first. Every packet is
/// acknowledged by itself; the window grows by one packet with each up to its bound. A timeout
/// halves the bound of that growth, leaves a window of one, and sends what is not acknowledged from
/// the first on. After some timeouts in a row only probes go out, until one is answered.
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
    unsigned timeouts = 0;   // in a row
    double window = 0;       // packets
    double threshold = 0;    // growth is slow above it
    Psn cursor = 0;          // the next to send, if it is not known to have arrived
    unsigned in_flight = 0;  // sent before the cursor, since it was last put back
    PicoSeconds deadline = PicoSeconds::max();  // of its timeout
    template <class Digest>
    void add_state(Digest& d) const {
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
  std::vector<Qpn> ready_;        // may send now
  std::deque<Timeout> timeouts_;  // by time
  Event timing_;
};

}  // namespace dcc
