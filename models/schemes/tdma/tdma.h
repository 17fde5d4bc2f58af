// TDMA: each host sends to one other host at a time, by the clock.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "nic/deadline_table.h"
#include "schemes/common/message_transport.h"
#include "schemes/common/outstanding.h"

namespace dcc {

/// Vattikonda, Porter, Vahdat and Snoeren, "Practical TDMA for Datacenter Ethernet", EuroSys 2012.
struct TdmaParameters final : TransportParameters {
  std::optional<PicoSeconds> slot;   // empty: the guard and 20 full packets
  std::optional<PicoSeconds> guard;  // empty: the longest base RTT
  PicoSeconds timeout = kMilliSecond;

  void describe(ParameterVisitor& v) override;
};

/// In slot s host h sends to host (h + 1 + s mod (hosts − 1)) mod hosts, so no two hosts send to
/// one, and nobody needs to learn what is to be sent. A packet leaves only if it can end `guard`
/// before its slot does; the first packet of a slot always may. So what one slot left in switches
/// is gone when the next begins. Queue pairs to one host take turns, a packet each.
///
/// The paper's controller, which holds hosts back by pause frames, gives slots on demand; here the
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
    bool waits = false;  // true if in waiting_
    template <class Digest>
    void add_state(Digest& d) const {
      d(packets, waits);
    }
  };

  void begin(Qpn qpn) override;
  void work_changed(Qpn qpn) override;
  void end(Qpn qpn) override;
  void arrived(Qpn qpn, Packet& packet) override;
  void add_own_state(StateDigest& d) const override;

  std::int64_t slot_now() const { return now().count / slot_.count; }
  PicoSeconds begin_of(std::int64_t slot) const { return slot_ * slot; }
  /// The host to which this host sends in a slot.
  HostId peer_in(std::int64_t slot) const;
  /// True if packets for the peer of this slot wait.
  bool has_work_in(std::int64_t slot) const;
  void set_waiting(Qpn qpn, bool waits);
  void settle(Qpn qpn);
  void set_turn();
  void begin_slot();
  void ring_timeouts();

  const HostId hosts_;  // of the rotation: all hosts of the network
  const PicoSeconds slot_;
  const PicoSeconds last_start_;  // within a slot
  const PicoSeconds timeout_;
  std::vector<Sender> senders_;           // by queue pair
  std::vector<std::deque<Qpn>> waiting_;  // by host: queue pairs with packets, round robin
  Event turn_;                            // the next slot with a packet
  DeadlineTable timeouts_;                // by queue pair
};

}  // namespace dcc
