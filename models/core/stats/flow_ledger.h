// What happened to each traffic flow: one record a flow, written by the NICs at either end.
#pragma once

#include <cstdint>
#include <vector>

#include "units.h"

namespace dcc {

struct FlowRecord {
  PicoSeconds posted = PicoSeconds::max();  // first work posted
  PicoSeconds last_ack{};
  PicoSeconds last_received{};
  Bytes posted_bytes = 0;
  Bytes acked_bytes = 0;
  Bytes received_bytes = 0;       // payload, in order, without repeats
  std::uint64_t sent_wire_bits = 0;  // link overhead and repeats included
  std::uint64_t packets = 0;
  std::uint64_t retransmits = 0;
  std::uint64_t ce_received = 0;
  std::uint64_t cnps_sent = 0;
};

/// Indexed by Packet::flow.
using FlowLedger = std::vector<FlowRecord>;

}  // namespace dcc
