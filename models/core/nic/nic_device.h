// The NIC: one port, a transmitter, a receiver, and the congestion control that governs them.
#pragma once

#include <cstdint>
#include <memory>

#include "nic/algorithm/algorithm.h"
#include "nic/nic_parameters.h"
#include "nic/receiver.h"
#include "nic/transmitter.h"
#include "switch/dcbx.h"
#include "wire/link.h"

namespace dcc {

/// Everything between the wire and the work queues. How work gets in (descriptor rings, or the
/// platform directly) and where payload goes is decided by the sinks and by who calls post().
class NicDevice final : public PacketSink {
 public:
  NicDevice(Scheduler& scheduler, PacketPool& pool, FlowLedger& ledger,
            const NicParameters& parameters, std::uint32_t rank);
  NicDevice(const NicDevice&) = delete;
  NicDevice& operator=(const NicDevice&) = delete;

  void connect(PacketOut& out) { transmitter_.connect(out); }
  /// Not owned; before the first queue pair. Null: flows send at line rate.
  void set_algorithm(Algorithm* algorithm);
  /// What the algorithm is to give the flows of a class, in proportion.
  void set_weight(std::uint8_t dscp, const Ratio& weight);
  /// Not owned; before the first queue pair. Null: RoCE.
  void set_transport(Transport* transport);
  /// May change while running (the CNP registers); the line's and DMA's figures may not.
  NicParameters& parameters() { return parameters_; }

  /// Creates both directions; see Transmitter::create_queue_pair.
  void create_queue_pair(Qpn qpn, const QueuePairConfig& config);
  void connect_queue_pair(Qpn qpn);
  void destroy_queue_pair(Qpn qpn);
  /// Whether nothing is left to do for it that packets in the network do not bring. If there are
  /// none, nobody sees a difference when it is forgotten: that only gives its memory back. Other
  /// transports than RoCE keep their queue pairs.
  bool is_quiescent(Qpn qpn) const {
    return transport_ == nullptr && transmitter_.is_quiescent(qpn) && receiver_.is_quiescent(qpn);
  }
  void release(Qpn qpn) {
    transmitter_.release(qpn);
    receiver_.release(qpn);
  }
  /// Payload bytes of a full packet, for queue pairs created from now on.
  void set_mtu(std::uint32_t mtu);
  /// A NIC that is not enabled drops what arrives, but for PFC frames.
  void set_enabled(bool enabled) { enabled_ = enabled; }

  Transmitter& transmitter() { return transmitter_; }
  const Transmitter& transmitter() const { return transmitter_; }
  Receiver& receiver() { return receiver_; }
  const NicCounters& counters() const { return counters_; }
  NicCounters& counters() { return counters_; }

  /// How long packets take, by class, from now on; null: not of interest. Not owned.
  void observe_delays(DelaysByClass* delays) {
    transmitter_.observe_delays(delays);
    receiver_.observe_delays(delays);
  }
  /// Data that came late, whatever brings it, since reset_reordering().
  Reordering& reordering() { return reordering_; }
  const Reordering& reordering() const { return reordering_; }
  void reset_reordering() { reordering_ = Reordering(); }

  /// The wire carries nothing any more, or does again.
  void set_carrier(bool up);
  /// From the next time the link comes up it speaks DCBX, as `rank` among the events of an instant.
  void enable_dcbx(const DcbxSettings& settings, PicoSeconds interval, std::uint32_t rank);
  /// Null: it does not.
  const DcbxEnd* dcbx() const { return dcbx_.get(); }

  void receive(Packet* packet, int port) override;
  void prefetch(const Packet& packet, int port) const override;
  template <class Digest>
  void add_state(Digest& d) const {
    d(enabled_, transmitter_, receiver_, counters_.packets_sent, counters_.packets_received,
      counters_.bytes_sent, counters_.bytes_received, counters_.retransmits, counters_.ce_received);
    if (dcbx_ != nullptr) d(*dcbx_);
    if (transport_ != nullptr) d(*transport_);
  }

 private:
  NicParameters parameters_;
  Algorithm* algorithm_ = nullptr;
  bool enabled_ = true;
  NicCounters counters_;
  Scheduler& scheduler_;
  PacketPool& pool_;
  Transmitter transmitter_;
  Receiver receiver_;
  Transport* transport_ = nullptr;
  Reordering reordering_;
  std::unique_ptr<DcbxEnd> dcbx_;  // null: none
};

}  // namespace dcc
