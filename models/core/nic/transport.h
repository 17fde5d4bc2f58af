// Interface of transports other than RoCE. Implementations are in models/schemes, registered
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
  Bytes header = 64;   // bytes added to the payload of a data packet
  Bytes control = 64;  // size of a packet without payload

  Bytes data(Bytes payload) const { return std::max<Bytes>(64, payload + header); }
};

/// Credits over the whole run, in packets.
struct TransportCounters {
  std::uint64_t credits_sent = 0;     // credits granted by receivers
  std::uint64_t credits_used = 0;     // credits received and used for a packet
  std::uint64_t credits_unused = 0;   // credits received with nothing left to send
  std::uint64_t credits_dropped = 0;  // credits dropped in the NIC that granted them
};

/// Sender and receiver of one NIC. The Transmitter owns the wire, pauses and totals: it calls
/// next_packet() when the wire is free and no control packet waits. The transport passes control
/// packets to Transmitter::send_control() and reports new data with Transmitter::data_ready(). The
/// work items of a queue pair are its messages.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Queue pair numbers are small and dense. Creating an existing queue pair resets it.
  virtual void create_queue_pair(Qpn qpn, const QueuePairConfig& config) = 0;
  /// The remote end exists, so the queue pair may send.
  virtual void connect_queue_pair(Qpn qpn) = 0;
  virtual void destroy_queue_pair(Qpn qpn) = 0;
  /// Adds work. Precondition: the queue pair is created, item.bytes > 0.
  virtual void post(Qpn qpn, const WorkItem& item) = 0;
  /// Drops posted work that has not been sent.
  virtual void stop(Qpn qpn) = 0;

  /// Sets the weight of flows of this class that start from now on; not zero. Shares are
  /// proportional to weights. Transports without weights ignore it.
  virtual void on_weight(std::uint8_t /*dscp*/, const Ratio& /*weight*/) {}

  /// Handles an arriving packet of any kind but a pause. Takes ownership.
  virtual void receive(Packet* packet) = 0;

  /// True if a data packet may be sent now.
  virtual bool has_packet() const = 0;
  /// True if the transport itself respects the allowed priorities. Otherwise a pause of any
  /// priority stops all its data.
  virtual bool respects_priority_pauses() const { return false; }
  /// The data packet to send. Precondition: has_packet().
  virtual Packet* next_packet() = 0;

  virtual TransportCounters counters() const = 0;
  /// Number of packets that the transport has made and not yet sent.
  virtual std::size_t buffered() const { return 0; }
  /// Adds the state that determines future behaviour (sim/state_digest.h).
  virtual void add_state(StateDigest& d) const = 0;

 protected:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
};

}  // namespace dcc
