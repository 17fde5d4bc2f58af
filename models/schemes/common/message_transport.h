// What transports of messages have in common: queue pairs, packets made from what was posted, and
// the accounts of what has arrived.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "nic/transport_registry.h"
#include "schemes/common/outstanding.h"
#include "schemes/common/send_buffer.h"
#include "schemes/common/sequence_set.h"

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

  /// Both directions of a queue pair.
  struct Connection {
    explicit Connection(std::uint32_t mtu) : out(mtu) {}
    bool created = false;
    bool connected = false;
    QueuePairConfig config;
    SendBuffer out;
    Psn next = 0;              // no packet of `out` from it on was ever sent
    std::deque<Psn> not_sent;  // of those before it, in order
    SequenceSet in;            // what has come
    FurthestArrival furthest;  // the same: for statistics alone
    template <class Digest>
    void add_state(Digest& d) const {
      d(created, connected, config, out, next, not_sent, in);
    }
  };

  // A transport's own part:
  /// The queue pair is as new.
  virtual void begin(Qpn qpn) = 0;
  /// There is more to send, or less, on a queue pair that may send.
  virtual void work_changed(Qpn qpn) = 0;
  /// Nothing more is to be sent or asked for on this queue pair.
  virtual void end(Qpn qpn) = 0;
  /// A packet for a queue pair that exists; it goes back to the pool afterwards.
  virtual void arrived(Qpn qpn, Packet& packet) = 0;
  /// A packet that another host's transport made with make_for_host(); it goes back to the pool,
  /// too.
  virtual void arrived_for_host(Packet&) {}
  /// What decides what it will do, besides its connections.
  virtual void add_own_state(StateDigest& d) const = 0;

  PicoSeconds now() const { return context_.scheduler.now(); }
  Connection& at(Qpn qpn) { return connections_[qpn]; }
  const Connection& at(Qpn qpn) const { return connections_[qpn]; }
  bool exists(Qpn qpn) const { return qpn < connections_.size() && connections_[qpn].created; }
  std::uint32_t mtu() const { return context_.nic.mtu; }

  /// Packet `psn` of what the queue pair has to send. Counts what is sent again.
  Packet* make_data(Qpn qpn, Psn psn);
  /// Of one end for the other, at the highest priority.
  Packet* make_control(Qpn qpn, PacketKind kind, std::uint32_t flow);
  /// Of one host for another, whatever queue pairs they have; at the highest priority.
  Packet* make_for_host(HostId host, PacketKind kind);
  void send_control(Packet* packet) { context_.port.send_control(packet); }
  /// Answers a packet of the other end with what the ports on the way wrote on it.
  void answer(Qpn qpn, Packet& packet, PacketKind kind);
  /// Packets that are to be sent, `packets` knows which again.
  std::uint64_t packets_left(Qpn qpn, const Outstanding& packets) const;
  /// The same in bytes, overhead included; each that is sent again counts as full.
  Bytes bytes_left(Qpn qpn, const Outstanding& packets) const;
  /// Takes data into account: false if it had come before.
  bool accept(Qpn qpn, const Packet& data);
  /// Counts the mark that data came with; false: it has none.
  bool count_mark(const Packet& data);
  /// An acknowledgement of one packet: its payload, 0 if it was known. `sent`: of the data.
  Bytes acknowledged(Qpn qpn, Psn psn, PicoSeconds sent);
  /// Says that everything before the first gap has arrived. `sent`: of the data that is answered;
  /// 0, it answers none, and tells no round trip.
  void acknowledge_whole(Qpn qpn, std::uint32_t flow, PicoSeconds sent);
  /// Hears it.
  void on_whole(Qpn qpn, const Packet& ack);
  /// A packet that was to be sent again, and need not be: it has arrived, or was given up.
  bool is_over(Qpn qpn, Psn psn) const {
    const SendBuffer& out = at(qpn).out;
    return psn >= out.end() || out.delivered(psn);
  }
  /// A packet is known to have arrived: its payload, 0 if it was known.
  Bytes delivered(Qpn qpn, Psn psn);
  /// Everything before `end` has arrived, or need not be remembered.
  void delivered_before(Qpn qpn, Psn end);

  TransportContext context_;
  TransportCounters totals_;

 private:
  Framing framing_;
  std::vector<Connection> connections_;
};

/// In the place of a queue pair's number: the packet is for the host.
constexpr Qpn kHostItself = 0xFFFFFF;

/// Control packets go before all data.
constexpr std::uint8_t kControlPriority = kPriorities - 1;

}  // namespace dcc
