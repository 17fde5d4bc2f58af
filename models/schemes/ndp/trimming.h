// A port that trims packets to their headers instead of dropping them (NDP).
#pragma once

#include <cstdint>

#include "switch/discipline.h"
#include "switch/ecn_marker.h"

namespace dcc {

/// Handley et al., "Re-architecting datacenter networks and stacks for low latency and high
/// performance", SIGCOMM 2017, section 3.1.
struct TrimmingParameters final : DisciplineParameters {
  unsigned data_packets = 8;    // limit of the data queue in packets
  Bytes header_queue = 72'000;  // limit of the header queue in bytes, control packets included
  Bytes header = 64;            // wire bytes of a trimmed packet's header
  // number of headers sent per data packet when both queues hold packets
  unsigned headers_a_packet = 10;
  // true: a header that finds no room in the header queue goes back to its sender, once
  bool return_to_sender = true;
  // true: the port marks data packets by the length of the data queue behind them, as Ultra
  // Ethernet does (uet-htsim)
  bool ecn = false;
  Bytes kmin = 80'000;  // length of the data queue up to which no packet is marked
  // length of the data queue above which every packet is marked; the probability rises linearly
  // between kmin and kmax
  Bytes kmax = 320'000;

  void describe(ParameterVisitor& v) override;
  void check() const override;
};

/// A short data queue and a header queue. When data finds its queue full, either the arriving
/// packet or the last packet of the queue is trimmed, at random with equal probability, so that no
/// sender is always trimmed. Headers and control packets go first, with one data packet after every
/// `headers_a_packet`. With `ecn`, data is marked as it leaves, by the length of the data queue.
class TrimmingPort final : public PortDiscipline {
 public:
  TrimmingPort(const TrimmingParameters& parameters, RandomStream& random)
      : parameters_(parameters), random_(random) {}

  void attach(const LinkParameters& link) override;
  EnqueueResult enqueue(Packet* packet) override;
  Packet* dequeue() override;
  bool empty() const override { return data_count_ == 0 && headers_.empty(); }
  Bytes bytes() const override { return data_bytes_ + header_bytes_; }
  void add_state(StateDigest& d) const override;

 private:
  void keep_header(Packet* packet, EnqueueResult& result);
  Packet* replace_last(Packet* packet);

  const TrimmingParameters parameters_;
  RandomStream& random_;
  EcnMarker marker_;
  // Data packets in order of arrival; the second-last packet is kept so that the last one can be
  // replaced.
  PacketFifo data_;
  Packet* before_last_ = nullptr;
  unsigned data_count_ = 0;
  Bytes data_bytes_ = 0;
  PacketFifo headers_;
  Bytes header_bytes_ = 0;
  // number of headers sent since the last data packet while both queues held packets
  unsigned headers_in_turn_ = 0;
};

}  // namespace dcc
