// TDMA: each host sends to one other host at a time, determined by the clock.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "nic/deadline_table.h"
#include "schemes/common/message_transport.h"
#include "schemes/common/outstanding.h"
#include "sim/state_digest.h"

namespace dcc {

/// Vattikonda, Porter, Vahdat and Snoeren, "Practical TDMA for Datacenter Ethernet", EuroSys 2012.
struct TdmaParameters final : TransportParameters {
  // length of a TDMA slot; empty: the guard time and the time of 20 full packets
  std::optional<PicoSeconds> slot;
  // time before a slot's end by which a packet must have left; empty: the longest base RTT
  std::optional<PicoSeconds> guard;
  PicoSeconds timeout = kMilliSecond;

  void describe(ParameterVisitor& v) override;
  const char* needs_one_mtu() const override {
    return "all hosts have slots of one length, which is that of 20 packets";
  }
};

/// In TDMA slot s host h sends to host (h + 1 + s mod (hosts − 1)) mod hosts, so no two hosts send
/// to one host, and no host needs to know the demand of another. A packet leaves only if its
/// transmission ends `guard` before the slot does; the first packet of a slot always leaves. So
/// switches have sent the packets of one slot when the next slot begins. Queue pairs to one host
/// take turns, a packet each.
///
/// The paper's controller holds hosts back by pause frames and gives slots on demand. This model's
/// rotation is fixed and follows exact clocks. Acknowledgements have no slot and leave at once.
/// Every data packet is acknowledged, and sent again if no acknowledgement arrives within the
/// timeout.
class Tdma final : public MessageTransport {
 public:
  Tdma(const TransportContext& context, const TdmaParameters& parameters);

  bool has_packet() const override;
  Packet* next_packet() override;

 private:
  struct Sender {
    Outstanding packets;
    // true if the queue pair is in the list of queue pairs with packets (waiting_)
    bool waits = false;
    void add_state(StateDigest& d) const { d(packets, waits); }
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void add_own_state(StateDigest& d) const override;

  std::int64_t slot_now() const { return now().count / slot_.count; }
  PicoSeconds begin_of(std::int64_t slot) const { return slot_ * slot; }
  /// The host to which this host sends in slot `slot`.
  HostId peer_in(std::int64_t slot) const;
  /// True if packets wait for the host to which this host sends in slot `slot`.
  bool has_work_in(std::int64_t slot) const;
  void set_waiting(Qpn qpn, bool waits);
  void settle(Qpn qpn);
  void set_turn();
  void begin_slot();
  void ring_timeouts();

  const HostId hosts_;  // number of hosts in the rotation: all hosts of the network
  const PicoSeconds slot_;
  const PicoSeconds last_start_;  // latest time within a slot at which a full packet may start
  const PicoSeconds timeout_;
  std::vector<Sender> senders_;  // senders indexed by queue pair
  // queue pairs with packets to each host, in round robin order
  std::vector<std::deque<Qpn>> waiting_;
  Event turn_;              // event at the start of the next slot for which a packet waits
  DeadlineTable timeouts_;  // timeouts for retransmission, by queue pair
};

}  // namespace dcc
