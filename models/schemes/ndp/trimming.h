// A port that cuts payloads off instead of dropping packets (NDP).
#pragma once

#include <cstdint>

#include "switch/discipline.h"
#include "switch/ecn_marker.h"

namespace dcc {

/// Handley et al., "Re-architecting datacenter networks and stacks for low latency and high
/// performance", SIGCOMM 2017, section 3.1.
struct TrimmingParameters final : DisciplineParameters {
  unsigned data_packets = 8;       // that may wait
  Bytes header_queue = 72'000;     // headers and control packets that may wait
  Bytes header = 64;               // what is left of a packet
  unsigned headers_a_packet = 10;  // served to one of data when both wait
  bool return_to_sender = true;    // headers that find no room, once
  // Ultra Ethernet marks as well, what leaves more than this behind it (uet-htsim).
  bool ecn = false;
  Bytes kmin = 80'000;   // never marked
  Bytes kmax = 320'000;  // always; in between by lot, in proportion

  void describe(ParameterVisitor& v) override;
  void check() const override;
};

/// A short queue of data and one of headers. Data that finds its queue full loses its payload, or
/// takes the place of the last in it, which loses its own: heads or tails, so that no sender is
/// always the unlucky one. Headers, and control packets with them, go first, but let one packet of
/// data pass for every so many. With `ecn` data is marked as it leaves, by the data behind it.
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
  // Data by arrival; the one before the last, so that the last can be taken back.
  PacketFifo data_;
  Packet* before_last_ = nullptr;
  unsigned data_count_ = 0;
  Bytes data_bytes_ = 0;
  PacketFifo headers_;
  Bytes header_bytes_ = 0;
  unsigned headers_in_turn_ = 0;  // sent since data was, while both waited
};

}  // namespace dcc
