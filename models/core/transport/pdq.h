// PDQ: the most critical flows send at the rates that every port on their way allows; the others
// pause, and ask again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "net/discipline/preemptive_allocator.h"
#include "transport/alarms.h"
#include "transport/message_transport.h"
#include "transport/outstanding.h"
#include "transport/pacing.h"

namespace dcc {

/// Hong, Caesar, Godfrey, "Finishing Flows Quickly with Preemptive Scheduling", SIGCOMM 2012. No
/// form on the wire is modelled.
struct PdqParameters final : TransportParameters {
  std::optional<PicoSeconds> ask_again;  // empty: three base RTTs
  PicoSeconds timeout = kMilliSecond;

  void describe(ParameterVisitor& v) override;
  const char* discipline() const override { return "preemptive_rate"; }
};

/// Sender: asks the ports on its way, the NIC the first, with a probe and then with every packet;
/// the answer is the rate that it sends at, or that it pauses and when it is to ask again. What the
/// NIC itself pauses asks only there. With its last packet a flow gives its rate back, and whatever
/// is to be sent after that is asked for anew. Ports must see the answers of what they were asked
/// (`routing: symmetric`).
///
/// A flow that cannot meet its deadline any more has none (the paper ends it). Every packet is
/// acknowledged, and sent again when nothing is heard of it for the timeout, which also takes the
/// flow's rate.
class Pdq final : public MessageTransport {
 public:
  Pdq(const TransportContext& context, const PdqParameters& parameters);

  bool has_packet() const override { return !turns_.empty(); }
  Packet* next_packet() override;

 private:
  struct Sender {
    bool late = false;         // its deadline cannot be met
    bool asking = false;       // a probe is under way
    bool known = false;        // ports on the way may have it in their lists
    PicoSeconds heard{};       // when the packet of the newest answer was sent; none before counts
    PicoSeconds told{};        // when it last probed, or would have
    PicoSeconds patience{};    // until it asks again, unanswered
    PicoSeconds round_trip{};  // the shortest of data so far
    PicoSeconds probe_after{};
    BitRate rate;
    std::uint64_t paused_by = 0;
    Outstanding packets;
    Pacer pacer;
    template <class Digest>
    void add_state(Digest& d) const {
      d(late, asking, known, heard, told, patience, round_trip, probe_after, rate, paused_by,
        packets, pacer);
    }
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void add_own_state(StateDigest& d) const override;

  // Asking
  std::uint64_t work_left(Qpn qpn) const;
  PicoSeconds time_left(Qpn qpn) const;
  void look_at_deadline(Qpn qpn);
  SchedulingHeader header_of(Qpn qpn) const;
  PicoSeconds next_probe(const Sender& sender) const;
  void ask_if_time(Qpn qpn);
  void ask(Qpn qpn);
  SchedulingHeader told_the_nic(Qpn qpn);
  void tell_ports(Qpn qpn, const SchedulingHeader& header, bool leaves);
  void leave(Qpn qpn);
  static void rest(Sender& sender);
  void attach(Packet& packet, const SchedulingHeader& header);
  void on_answer(Qpn qpn, const Packet& answer);

  // Sending
  void settle(Qpn qpn);
  void take_turn(Qpn qpn);
  void set_alarm(Qpn qpn);
  void look_at(Qpn qpn);
  void ring_alarms();
  void ring_turns();

  PdqParameters parameters_;
  PicoSeconds ask_again_;
  PreemptiveAllocator nic_;      // of the NIC's link, by queue pair
  std::vector<Sender> senders_;  // by queue pair
  Alarms alarms_;                // to ask, and to send again
  PacedTurns turns_;             // to send
};

}  // namespace dcc
