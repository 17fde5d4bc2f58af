#include "nic/flow_pacer.h"

#include <algorithm>

#include "wire/wire_size.h"

namespace dcc {

FlowPacer::FlowPacer(BitRate line, Bytes link_overhead)
    : line_(line),
      line_rate_(Rate::from(line)),
      link_overhead_(static_cast<std::uint32_t>(link_overhead)) {}

void FlowPacer::set_mtu(std::uint32_t mtu) {
  full_packet_ = roce::data_wire_bytes(mtu, false, false) + link_overhead_;
}

// Pacing gap at `rate`. At line rate the wire itself paces a flow. The rate format may round the
// line rate down, so the computed gap could be longer than the packet's time on the wire.
PicoSeconds FlowPacer::gap_at(Rate rate, std::uint32_t wire) const {
  const PicoSeconds gap = pacing_gap(wire, rate);
  if (rate != line_rate_) return gap;
  return std::min(gap, serialization_time(wire, line_));
}

PicoSeconds FlowPacer::next_start(const SendQueuePair& pair, PicoSeconds now) const {
  const PacingState& pacing = pair.pacing;
  if (pacing.last_wire == 0) return now;
  if (pair.burst_left > 0) return std::max(pair.burst_next, now);
  const PicoSeconds gap = gap_of(pacing, pacing.last_wire);
  // At a pacing rate of zero the flow waits until its rate changes.
  if (gap == PicoSeconds::max()) return gap;
  return std::max(pacing.paced_from + gap, now);
}

void FlowPacer::sent(SendQueuePair& pair, std::uint32_t wire, std::uint32_t payload, bool last,
                     PicoSeconds now) const {
  PacingState& pacing = pair.pacing;
  if (needs_.burst > 0) {
    pair.burst_next = now;
    if (needs_.burst_rate.raw != 0) pair.burst_next += pacing_gap(wire, needs_.burst_rate);
  }
  if (pair.burst_left > 0) {
    pair.burst_left = last ? 0 : std::max<Bytes>(0, pair.burst_left - payload);
    pacing.last_wire += wire;
    return;
  }
  PicoSeconds due = now;
  if (pacing.last_wire != 0) {
    const PicoSeconds gap = gap_of(pacing, pacing.last_wire);
    if (gap != PicoSeconds::max()) {
      const PicoSeconds planned = pacing.paced_from + gap;
      if (planned <= due && due - planned < gap_of(pacing, wire)) due = planned;
    }
  }
  pacing.paced_from = due;
  pacing.last_wire = wire;
  if (needs_.burst > 0 && pair.config.governed && !last) {
    pair.burst_left = std::max<Bytes>(0, needs_.burst - payload);
  }
}

void FlowPacer::keep_due(SendQueuePair& pair, PicoSeconds start) {
  if (pair.burst_left == 0) {
    pair.due = start;
  } else if (pair.burst_next < start) {  // the flow's window delayed the burst, not the NIC
    pair.due += start - pair.burst_next;
    pair.burst_next = start;
  }
}

PicoSeconds FlowPacer::due_of_next(const SendQueuePair& pair) const {
  if (pair.burst_left == 0) return pair.due;
  const std::uint32_t burst = pair.pacing.last_wire;
  return pair.due + (needs_.burst_rate.raw != 0 ? pacing_gap(burst, needs_.burst_rate)
                                                : serialization_time(burst, line_));
}

}  // namespace dcc
