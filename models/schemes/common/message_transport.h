// Base of the message transports: manages queue pairs, cuts posted messages into packets, and
// records which packets have arrived.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "nic/transport_registry.h"
#include "schemes/common/outstanding.h"
#include "schemes/common/send_buffer.h"
#include "schemes/common/sequence_set.h"
#include "sim/state_digest.h"

namespace dcc {

class MessageTransport : public Transport {
 public:
  void create_queue_pair(Qpn qpn, const QueuePairConfig& config) final;
  void connect_queue_pair(Qpn qpn) final;
  void destroy_queue_pair(Qpn qpn) final;
  void post(Qpn qpn, const WorkItem& item) final;
  void stop(Qpn qpn) final;
  void receive(Packet* packet) final;
  TransportCounters counters() const final { return totals_; }
  void add_state(StateDigest& d) const final;

 protected:
  MessageTransport(const TransportContext& context, const Framing& framing)
      : context_(context), framing_(framing) {}

  /// The state of one queue pair: the packets that it sends and has received.
  struct Connection {
    explicit Connection(std::uint32_t mtu) : out(mtu) {}
    bool created = false;
    bool connected = false;
    QueuePairConfig config;
    SendBuffer out;
    Psn next = 0;  // one above the highest number of a packet that the queue pair ever sent
    std::deque<Psn> not_sent;  // packets below `next` that were skipped and not sent, ascending
    SequenceSet in;            // numbers of the packets that the queue pair has received
    FurthestArrival furthest;  // received packet with the highest number; for statistics only
    void add_state(StateDigest& d) const { d(created, connected, config, out, next, not_sent, in); }
  };

  // Functions that each transport implements:
  /// Resets the state of a new queue pair.
  virtual void begin(Qpn qpn) = 0;
  /// Called when the amount of data to send has changed on a connected queue pair.
  virtual void work_changed(Qpn qpn) = 0;
  /// Called when a queue pair ends: the transport must send and request nothing more for it.
  virtual void end(Qpn qpn) = 0;
  /// Handles a packet for an existing queue pair. The caller frees the packet afterwards.
  virtual void arrived(Qpn qpn, Packet& packet) = 0;
  /// Handles a packet that another host's transport made with make_for_host(). The caller frees the
  /// packet afterwards.
  virtual void arrived_for_host(Packet&) {}
  /// Adds every value besides the connections that future actions depend on
  /// (sim/state_digest.h).
  virtual void add_own_state(StateDigest& d) const = 0;

  PicoSeconds now() const { return context_.scheduler.now(); }
  Connection& at(Qpn qpn) { return connections_[qpn]; }
  const Connection& at(Qpn qpn) const { return connections_[qpn]; }
  bool exists(Qpn qpn) const { return qpn < connections_.size() && connections_[qpn].created; }
  /// Payload bytes of a full packet of a queue pair: the smaller MTU of its two hosts.
  std::uint32_t mtu(Qpn qpn) const { return at(qpn).out.mtu(); }
  /// Headers and payload, in bytes, of a data packet with mtu(qpn) bytes of payload. Preamble and
  /// gap of the link are not included.
  Bytes full_packet(Qpn qpn) const { return framing_.data(mtu(qpn)); }

  /// Makes data packet `psn` of a queue pair; counts a retransmission if the packet was sent
  /// before.
  Packet* make_data(Qpn qpn, Psn psn);
  /// Makes a control packet for the remote end of a queue pair, at the highest priority.
  Packet* make_control(Qpn qpn, PacketKind kind, std::uint32_t flow);
  /// Makes the acknowledgement of one data packet, and counts it.
  Packet* make_ack(Qpn qpn, const Packet& data);
  /// Tells a receiver where the data ends, because the flow was stopped.
  void say_end(Qpn qpn);
  /// Makes a control packet between two hosts, shared by all their queue pairs, at the highest
  /// priority.
  Packet* make_for_host(HostId host, PacketKind kind);
  void send_control(Packet* packet) { context_.port.send_control(packet); }
  /// Sends a control packet to the remote end of a queue pair. The control packet carries back the
  /// values that ports wrote into `packet`.
  void answer(Qpn qpn, Packet& packet, PacketKind kind);
  /// Number of packets to send: new packets, and packets that `packets` has marked for
  /// retransmission.
  std::uint64_t packets_left(Qpn qpn, const Outstanding& packets) const;
  /// Wire bytes of packets_left(), overhead included; a retransmission counts as a full packet.
  Bytes bytes_left(Qpn qpn, const Outstanding& packets) const;
  /// Records a data packet as received; false if it is a duplicate.
  bool accept(Qpn qpn, const Packet& data);
  /// Counts the CE mark of a data packet; false if the packet has none.
  bool count_mark(const Packet& data);
  /// Removes the data that was never sent. A message is complete if all its remaining packets are
  /// delivered.
  void remove_unsent(Qpn qpn);
  /// Handles the acknowledgement of one packet, sent at `sent`. Returns the packet's payload bytes;
  /// 0 if the packet was acknowledged before.
  Bytes acknowledged(Qpn qpn, Psn psn, PicoSeconds sent);
  /// Sends a cumulative acknowledgement of all packets before the first gap. `sent`: sending time
  /// of the data packet that caused the acknowledgement; 0: no packet caused it, and the sender
  /// measures no round trip.
  void acknowledge_whole(Qpn qpn, std::uint32_t flow, PicoSeconds sent);
  /// Handles a cumulative acknowledgement from the receiver.
  void on_whole(Qpn qpn, const Packet& ack);
  /// True if a packet need not be sent again, because it has arrived or its message was given up.
  bool is_over(Qpn qpn, Psn psn) const {
    const SendBuffer& out = at(qpn).out;
    return psn >= out.end() || out.delivered(psn);
  }
  /// Records that a packet has arrived. Returns its payload bytes; 0 if the arrival was known
  /// already.
  Bytes delivered(Qpn qpn, Psn psn);
  /// Records that every packet before `end` has arrived.
  void delivered_before(Qpn qpn, Psn end);
  /// Starts the state of a queue pair anew, in a list with one state for each queue pair.
  template <class State>
  static State& renew(std::vector<State>& states, Qpn qpn) {
    if (states.size() <= qpn) states.resize(qpn + 1);
    return states[qpn] = State{};
  }

  TransportContext context_;
  TransportCounters totals_;

 private:
  Framing framing_;
  std::vector<Connection> connections_;
};

/// Queue pair number of packets that are addressed to the host as a whole.
constexpr Qpn kHostItself = 0xFFFFFF;

/// Priority of control packets, which leave before all data.
constexpr std::uint8_t kControlPriority = kPriorities - 1;

}  // namespace dcc
