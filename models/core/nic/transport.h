// How a NIC brings what is posted to its receiver: the seam for transports beside RoCE's
// go-back-N. What stands behind it is in transport/, registered by nic/transport_registry.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "nic/nic_parameters.h"
#include "nic/work_queue.h"
#include "wire/packet.h"

namespace dcc {

class StateDigest;

/// Bytes on the wire, Ethernet header to FCS, of transports other than RoCE.
struct Framing {
  Bytes header = 64;   // around the payload of data
  Bytes control = 64;  // of a packet without payload

  Bytes data(Bytes payload) const { return std::max<Bytes>(64, payload + header); }
};

/// Over the whole run.
struct TransportCounters {
  std::uint64_t credits_sent = 0;     // packets' worth that receivers let senders send
  std::uint64_t credits_used = 0;     // of those that came: a packet was sent for it, or will be
  std::uint64_t credits_unused = 0;   // … or there was nothing left to send
  std::uint64_t credits_dropped = 0;  // never left the NIC of their receiver
};

/// Both halves of one NIC. Data leaves when the NIC asks for it: its wire is free and no control
/// packet waits. Control packets, and word that there is data, go to the NIC's Transmitter, which
/// keeps wire, pauses and totals. A queue pair's work items are its messages.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Queue pair numbers are small and dense; creating one again resets it.
  virtual void create_queue_pair(Qpn qpn, const QueuePairConfig& config) = 0;
  /// The other end exists: may send.
  virtual void connect_queue_pair(Qpn qpn) = 0;
  virtual void destroy_queue_pair(Qpn qpn) = 0;
  /// Precondition: created, item.bytes > 0.
  virtual void post(Qpn qpn, const WorkItem& item) = 0;
  /// Sends nothing more of what was posted and has not left.
  virtual void stop(Qpn qpn) = 0;

  /// Flows of this class that begin from now on are to get so much, in proportion to the weights of
  /// others; not zero. For those that can.
  virtual void on_weight(std::uint8_t /*dscp*/, const Ratio& /*weight*/) {}

  /// Every packet that arrives, but for pauses. Takes ownership.
  virtual void receive(Packet* packet) = 0;

  /// There is data that may leave now.
  virtual bool has_packet() const = 0;
  /// It goes by the priorities that the port allows. Otherwise any pause holds all of its data.
  virtual bool heeds_pauses() const { return false; }
  /// Precondition: has_packet().
  virtual Packet* next_packet() = 0;

  virtual TransportCounters counters() const = 0;
  /// Packets that are made and that it keeps for later.
  virtual std::size_t buffered() const { return 0; }
  /// What decides what it will do (sim/state_digest.h).
  virtual void add_state(StateDigest& d) const = 0;

 protected:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
};

}  // namespace dcc
