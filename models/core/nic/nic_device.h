// A NIC with one port: transmitter, receiver and congestion control.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "nic/algorithm/algorithm.h"
#include "nic/nic_parameters.h"
#include "nic/receiver.h"
#include "nic/transmitter.h"
#include "sim/state_digest.h"
#include "switch/dcbx/dcbx.h"
#include "switch/pause_times.h"
#include "wire/link.h"

namespace dcc {

/// A NIC with one port: everything between the wire and the work queues. Callers of
/// Transmitter::post() supply work: descriptor rings or the platform. The sinks receive completions
/// and payload.
class NicDevice final : public PacketSink {
 public:
  NicDevice(Scheduler& scheduler, PacketPool& pool, FlowLedger& ledger,
            const NicParameters& parameters, std::uint32_t rank);
  NicDevice(const NicDevice&) = delete;
  NicDevice& operator=(const NicDevice&) = delete;

  void connect(PacketOut& out) { transmitter_.connect(out); }
  /// Sets the congestion-control algorithm; null: flows send at line rate. The NIC does not own it.
  /// Call before the first queue pair is created.
  void set_algorithm(Algorithm* algorithm);
  /// Sets the weight of a traffic class for the algorithm and the transport. Shares of bandwidth
  /// are proportional to weights.
  void set_weight(std::uint8_t dscp, const Ratio& weight);
  /// Sets the transport; null: RoCE. The NIC does not own it. Call before the first queue pair is
  /// created.
  void set_transport(Transport* transport);
  /// Sets the properties of the other hosts' NICs; null: equal to this NIC's. The NIC does not own
  /// them. Call before the first queue pair is created.
  void set_peers(const PeerNics* peers) {
    transmitter_.set_peers(peers);
    receiver_.set_peers(peers);
  }
  /// Parameters of the NIC. The caller may change them during a run, except those of line and DMA.
  NicParameters& parameters() { return parameters_; }

  /// Creates both halves of a queue pair, sending and receiving. See
  /// Transmitter::create_queue_pair().
  void create_queue_pair(Qpn qpn, const QueuePairConfig& config);
  void connect_queue_pair(Qpn qpn);
  void destroy_queue_pair(Qpn qpn);
  /// Changes the traffic class of a RoCE queue pair that is in use; see
  /// Transmitter::change_class(). Returns false with a transport other than RoCE, since the
  /// transport keeps the class itself.
  bool change_class(Qpn qpn, std::uint8_t dscp) {
    return transport_ == nullptr && transmitter_.change_class(qpn, dscp);
  }
  /// True if the queue pair has nothing left to do except for packets in the network. If no packets
  /// are in the network either, release() has no visible effect but to free memory. Always false
  /// for transports other than RoCE.
  bool is_quiescent(Qpn qpn) const {
    return transport_ == nullptr && transmitter_.is_quiescent(qpn) && receiver_.is_quiescent(qpn);
  }
  void release(Qpn qpn) {
    transmitter_.release(qpn);
    receiver_.release(qpn);
  }
  /// Sends a PFC frame to the switch that stops the priorities in the mask and resumes the others.
  void send_pause(unsigned priorities);
  /// For fault injection: pauses the priorities in the mask at the switch until the next call, in
  /// addition to those of send_pause().
  void storm(unsigned priorities);
  /// Number of PFC frames sent that paused this priority.
  std::uint64_t pause_frames_sent(int priority) const {
    return pause_frames_sent_[static_cast<std::size_t>(priority)];
  }
  /// Sets the payload bytes of a full packet, for queue pairs created from now on.
  void set_mtu(std::uint32_t mtu);
  /// A disabled NIC drops all arriving packets except PFC and LLDP frames.
  void set_enabled(bool enabled) { enabled_ = enabled; }

  Transmitter& transmitter() { return transmitter_; }
  const Transmitter& transmitter() const { return transmitter_; }
  Receiver& receiver() { return receiver_; }
  const NicCounters& counters() const { return counters_; }
  NicCounters& counters() { return counters_; }

  /// Records packet delays by traffic class from now on; null: records none. The NIC does not own
  /// the record.
  void observe_delays(DelaysByClass* delays) {
    transmitter_.requester().observe_delays(delays);
    receiver_.observe_delays(delays);
  }
  /// Record of the data that arrived out of order since reset_reordering(), for RoCE and
  /// transports.
  Reordering& reordering() { return reordering_; }
  const Reordering& reordering() const { return reordering_; }
  void reset_reordering() { reordering_ = Reordering(); }

  /// The link lost its carrier (false) or has it again (true).
  void set_carrier(bool up);
  /// Starts DCBX the next time the link comes up. `rank` orders DCBX events within an instant.
  void enable_dcbx(const DcbxSettings& settings, PicoSeconds interval, std::uint32_t rank);
  /// DCBX state of the port; null if DCBX is not enabled.
  const DcbxEnd* dcbx() const { return dcbx_.get(); }

  void receive(Packet* packet, int port) override;
  void prefetch(const Packet& packet, int port) const override;
  void add_state(StateDigest& d) const {
    d(enabled_, transmitter_, receiver_, counters_.packets_sent, counters_.packets_received,
      counters_.bytes_sent, counters_.bytes_received, counters_.retransmits, counters_.ce_received);
    if (dcbx_ != nullptr) d(*dcbx_);
    if (pause_times_ != nullptr) d(pause_times_->theirs, pause_times_->renewal);
    if (transport_ != nullptr) d(*transport_);
  }

 private:
  /// PFC pauses that last for a limited time (switch/pause_times.h).
  struct PauseTimes {
    TimedPauses theirs;  // timed pauses that the switch asked for
    Event renewal;       // timer that renews the pauses that this NIC requested
  };
  PauseTimes& pause_times();
  void send_pause_frame();
  void end_pauses();

  NicParameters parameters_;
  Algorithm* algorithm_ = nullptr;
  bool enabled_ = true;
  NicCounters counters_;
  Scheduler& scheduler_;
  PacketPool& pool_;
  std::uint32_t rank_;
  Transmitter transmitter_;
  Receiver receiver_;
  Transport* transport_ = nullptr;
  Reordering reordering_;
  std::unique_ptr<DcbxEnd> dcbx_;  // DCBX state of the port; null: not enabled
  std::array<std::uint64_t, kPriorities> pause_frames_sent_{};
  std::unique_ptr<PauseTimes> pause_times_;  // times of timed pauses; null: no timed pause yet
  unsigned stopped_ = 0;                     // mask of priorities stopped by send_pause()
  unsigned storm_ = 0;                       // mask of priorities stopped by storm()
};

}  // namespace dcc
