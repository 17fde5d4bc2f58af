// Computes when a paced flow may send its next packet.
#pragma once

#include <cstdint>

#include "nic/algorithm/algorithm.h"
#include "nic/nic_parameters.h"
#include "nic/send_queue_pair.h"
#include "units.h"

namespace dcc {

/// Computes the gaps between the packets of a flow from its rate. All packet sizes are wire bytes
/// with the link's overhead. With AlgorithmNeeds::burst several packets share one gap.
class FlowPacer {
 public:
  FlowPacer(BitRate line, Bytes link_overhead);

  /// Sets the payload size of a full packet, for packets made from now on.
  void set_mtu(std::uint32_t mtu);
  void set_needs(const AlgorithmNeeds& needs) { needs_ = needs; }

  /// Wire bytes of a full packet in the middle of a message.
  std::uint32_t full_packet() const { return full_packet_; }
  void set_rate(PacingState& pacing, Rate rate) const {
    pacing.rate = rate;
    pacing.full_gap = gap_at(rate, full_packet_);
  }

  /// Earliest start of the flow's next packet, not before `now`; max() at a pacing rate of zero.
  PicoSeconds next_start(const SendQueuePair& pair, PicoSeconds now) const;
  /// A packet of `wire` bytes leaves the queue at `now`. `last`: the packet ends its message, and
  /// so a burst. The next gap counts from when this packet was due, not from `now`, so a flow that
  /// other flows delay keeps its average rate. After a packet that is late by a whole gap, gaps
  /// count from `now`.
  void sent(SendQueuePair& pair, std::uint32_t wire, std::uint32_t payload, bool last,
            PicoSeconds now) const;

  /// True if the caller must report due times with keep_due().
  bool tracks_due() const { return needs_.burst > 0 || needs_.rtt_from_due; }
  /// Records that the next packet of `pair` may start at `start`.
  static void keep_due(SendQueuePair& pair, PicoSeconds start);
  /// Time at which the next packet of `pair` was due if no other flow had sent; within a burst, the
  /// time after the packet's predecessors.
  PicoSeconds due_of_next(const SendQueuePair& pair) const;

 private:
  PicoSeconds gap_of(const PacingState& pacing, std::uint32_t wire) const {
    return wire == full_packet_ ? pacing.full_gap : gap_at(pacing.rate, wire);
  }
  PicoSeconds gap_at(Rate rate, std::uint32_t wire) const;

  BitRate line_;
  Rate line_rate_;  // the line rate in the number format of algorithms' rates
  std::uint32_t link_overhead_;
  std::uint32_t full_packet_ = 0;
  AlgorithmNeeds needs_;
};

}  // namespace dcc
