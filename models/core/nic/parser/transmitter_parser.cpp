// The transmitter with a parser block: the algorithm gets the block's reports on CNPs and on sent
// packets.
#include <algorithm>

#include "nic/transmitter.h"

namespace dcc {

void Transmitter::on_cnp_by_parser(const Packet& cnp) {
  const ParsedCnp told = parser_->cnp(cnp, now());
  if (told.outcome == ParsedCnp::Outcome::kRefused) {
    ++counters_.cnps_refused;
    return;
  }
  ++counters_.cnps_received;
  if (told.outcome == ParsedCnp::Outcome::kUnbound || !exists(told.flow)) {
    ++counters_.cnps_ignored;
    ++counters_.unknown_qp;
    return;
  }
  if (needs_.cnp && pairs_[told.flow].config.governed) {
    algorithm_->on_cnp(told.flow, {told.marks, told.packets, told.dscp});
  } else {
    ++counters_.cnps_ignored;
  }
}

void Transmitter::on_sent_by_parser(Qpn qpn, const SentInfo& info) {
  // The block's overhead_i has eight bits; a greater overhead counts as length.
  const auto overhead = static_cast<std::uint8_t>(std::min<Bytes>(parameters_.link_overhead, 255));
  const ByteNotice told = parser_->sent({now(), qpn, info.wire_bytes - overhead, overhead});
  if (!told.bound || !exists(told.flow) || !pairs_[told.flow].config.governed) return;
  SentInfo counted = info;
  counted.wire_bytes = told.bytes;
  counted.dscp = told.dscp;
  algorithm_->on_sent(told.flow, counted);
}

}  // namespace dcc
