// An egress port whose packets are queued by a discipline instead of the switch's own queues.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>

#include "sim/state_digest.h"
#include "switch/discipline.h"
#include "switch/egress_port.h"
#include "switch/switch_parameters.h"

namespace dcc {

/// Hands arriving packets to a PortDiscipline and sends what the discipline selects. The
/// discipline's memory is not taken from the switch's shared buffer but is counted in the buffer's
/// statistics.
class DisciplinePort final : public EgressPort {
 public:
  DisciplinePort(PortContext& context, int number, const SwitchParameters& parameters,
                 std::unique_ptr<PortDiscipline> discipline, std::uint32_t rank);

  /// Tells the discipline the link of its port. Precondition: set_link() was called.
  void attach_discipline() { discipline_->attach(link_); }
  /// Sets the ECN parameters, which a discipline ignores since it marks by its own rule. With
  /// marking at departure no packet passes through without being queued. Throws
  /// std::invalid_argument as EcnMarker does.
  void set_ecn(const EcnParameters& ecn);

  // --- Packets --------------------------------------------------------------------------------
  /// Sends, queues or drops a packet.
  void enqueue(Packet* packet) {
    is_idle_for(*packet) && fits_buffer(*packet) ? pass_through(packet) : join_queue(packet);
  }
  /// Gives a packet to the discipline, and sends packets that may leave. First the discipline of
  /// the input port sees the packet and may hold the packet back.
  void join_queue(Packet* packet);
  /// Sends the port's next packet or frame now, or when the wire is free. Does nothing while this
  /// port releases held packets, because the port sends afterwards.
  void try_send() {
    if (!releasing_ && may_send_now()) send_next();
  }
  /// Removes all packets from the port and appends the packets to `to`.
  void evict_all(PacketFifo& to);
  /// Chooses a new port for each held packet that was to leave through `port`: `choose(packet)`
  /// returns the new port, or -1 if there is none. Packets without a port are appended to `lost`.
  template <class Choose>
  void choose_again(int port, Choose choose, PacketFifo& lost) {
    for (std::size_t left = held_ports_.size(); left != 0; --left) {
      Packet* const packet = held_.pop();
      int next = held_ports_.front();
      held_ports_.pop_front();
      if (next == port) next = choose(*packet);
      if (next < 0) {
        context_->ingress.buffer().change_private(-Bytes{packet->wire_bytes});
        lost.push(packet);
        continue;
      }
      held_.push(packet);
      held_ports_.push_back(static_cast<std::uint16_t>(next));
    }
  }
  /// The far end of the link stops the packets to one host, or lets these packets leave again. The
  /// caller keeps the frame, and calls try_send() next.
  void receive_flow_pause(const Packet& frame);
  /// The link of port `port` lost its carrier or has the carrier again.
  void carrier_changed(int port);
  /// Number of packets from the far end of the link that this port holds back.
  std::size_t held() const { return held_ports_.size(); }
  /// Prefetches the cache lines that queueing or sending a packet touches.
  void prefetch() const { prefetch_common(); }

  void add_state(StateDigest& d) const {
    d(pfc_, free_at_, bytes_, tx_bytes_, waiting_, wire_free_, dequeued_, enqueued_, scheduler_,
      rare().counters.ecn_marks, rare().counters.dropped, rare().counters.trimmed,
      rare().counters.returned, discipline_, credits_);
    if (!held_.empty()) d(held_, held_ports_);
    d(link_stops_, this->link_frames());
  }

 private:
  bool fits_buffer(const Packet& packet) const;
  /// Hands the discipline a packet that no other port holds back.
  void accept(Packet* packet);
  void hold(Packet* packet, int port);
  /// Passes one held packet on to its egress port, which may then release a packet that the egress
  /// port holds for this port.
  void release_one();
  void send_next();
  void transmit(Packet* packet);
  /// Sends the discipline's pause messages to the neighbours.
  void tell_neighbours();
  /// Drops the flow pauses that this port has not sent yet.
  void drop_flow_pauses();
  /// Another port of the switch pauses a priority of this port's link, or ends its own pause.
  void stop_link(int priority, bool stop);
  /// Counts and frees the packets that the discipline dropped.
  void drop_all(PacketFifo& dropped);
  void update_bytes();

  std::unique_ptr<PortDiscipline> discipline_;
  // packets from the far end of the link that the port holds back, in order of arrival
  PacketFifo held_;
  std::deque<std::uint16_t> held_ports_;  // egress port of each packet in held_
  bool releasing_ = false;                // true while release_one() runs
  // number of ports of this switch that pause each priority of this port's link
  std::array<std::uint16_t, kPriorities> link_stops_{};
};

}  // namespace dcc
