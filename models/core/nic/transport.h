// Interface of transports other than RoCE. Implementations are in models/schemes, and register
// through nic/transport_registry.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "nic/nic_parameters.h"
#include "nic/work_queue.h"
#include "wire/packet.h"

namespace dcc {

class StateDigest;

/// Packet sizes on the wire, from Ethernet header to FCS, of transports other than RoCE.
struct Framing {
  Bytes header = 64;   // header bytes added to the payload of a data packet
  Bytes control = 64;  // size of a packet without payload

  Bytes data(Bytes payload) const { return std::max<Bytes>(64, payload + header); }
};

/// Credits of a credit-based transport over the whole run, in packets.
struct TransportCounters {
  std::uint64_t credits_sent = 0;     // credits granted by receivers
  std::uint64_t credits_used = 0;     // credits received and used for a packet
  std::uint64_t credits_unused = 0;   // credits received with nothing left to send
  std::uint64_t credits_dropped = 0;  // credits dropped in the NIC that granted them
};

/// A transport other than RoCE: sender and receiver of one NIC. The Transmitter owns the wire,
/// pauses and totals: it calls next_packet() when the wire is free and no control packet waits. The
/// transport passes control packets to Transmitter::send_control() and reports new data with
/// Transmitter::data_ready(). The work items of a queue pair are its messages.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Queue pair numbers are small and dense. Creating an existing queue pair resets it.
  virtual void create_queue_pair(Qpn qpn, const QueuePairConfig& config) = 0;
  /// The remote end of the queue pair exists, so the queue pair may send.
  virtual void connect_queue_pair(Qpn qpn) = 0;
  virtual void destroy_queue_pair(Qpn qpn) = 0;
  /// Adds a work item. Precondition: the queue pair is created, item.bytes > 0.
  virtual void post(Qpn qpn, const WorkItem& item) = 0;
  /// Drops posted work of the queue pair that has not been sent.
  virtual void stop(Qpn qpn) = 0;

  /// Sets the weight, not zero, of flows of a traffic class that start from now on. Shares of
  /// bandwidth are proportional to weights. Transports without weights ignore it.
  virtual void on_weight(std::uint8_t /*dscp*/, const Ratio& /*weight*/) {}

  /// Handles an arriving packet of any kind but a pause. Takes ownership of the packet.
  virtual void receive(Packet* packet) = 0;

  /// True if the transport may send a data packet now.
  virtual bool has_packet() const = 0;
  /// True if the transport itself respects the allowed priorities. Otherwise a pause of any
  /// priority stops all data of the transport.
  virtual bool respects_priority_pauses() const { return false; }
  /// The next data packet of the transport. Precondition: has_packet().
  virtual Packet* next_packet() = 0;

  virtual TransportCounters counters() const = 0;
  /// Number of packets that the transport has made and not yet sent.
  virtual std::size_t buffered() const { return 0; }
  /// Adds the transport state that determines future behaviour to a digest (sim/state_digest.h).
  virtual void add_state(StateDigest& d) const = 0;

 protected:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
};

}  // namespace dcc
