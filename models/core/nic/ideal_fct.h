// The ideal flow completion time: duration of a flow that has the network to itself, for which the
// slowdown is 1.
#pragma once

#include <optional>
#include <vector>

#include "nic/nic_parameters.h"
#include "nic/transport.h"
#include "units.h"
#include "wire/link.h"

namespace dcc {

/// Work of one flow, all posted at the same time.
struct IdealFlow {
  Bytes bytes = 0;          // payload bytes of the flow, more than 0
  Bytes message_bytes = 0;  // payload bytes of a message; 0: the flow is one message
  bool with_immediate = false;
  Operation operation = Operation::kWrite;  // kWrite, kSend or kRead
  Service service = Service::kRc;
  Rate rate_cap;                   // the application's rate limit; zero: none
  std::optional<Framing> framing;  // packet sizes of the transport; empty: those of RoCE
};

/// Returns the ideal completion time of a flow: from posting to the last ACK; without ACKs, or for
/// a READ, to the last byte received. The flow sends at line rate, or at the application's limit if
/// that is lower, without a window. The result equals the time that otherwise idle devices take.
/// `there` are the links that data packets cross, `back` those of the ACKs, with store-and-forward
/// switches between them. Two cases may take devices a few packets longer: real payload, where the
/// limit of staged packets is ignored, and short READ messages, where
/// NicParameters::outstanding_reads is ignored. The computation takes constant time in `bytes`.
/// Empty: the result does not fit PicoSeconds.
std::optional<PicoSeconds> ideal_fct(const IdealFlow& flow, const NicParameters& nic,
                                     const std::vector<LinkParameters>& there,
                                     const std::vector<LinkParameters>& back);

}  // namespace dcc
