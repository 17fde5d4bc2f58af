// How long a flow takes that has the network to itself: what a slowdown of 1 means.
#pragma once

#include <optional>
#include <vector>

#include "nic/nic_parameters.h"
#include "nic/transport.h"
#include "units.h"
#include "wire/link.h"

namespace dcc {

/// The work of a flow, posted at once.
struct IdealFlow {
  Bytes bytes = 0;          // > 0
  Bytes message_bytes = 0;  // 0: one message
  bool with_immediate = false;
  Operation operation = Operation::kWrite;  // or kSend, kRead
  Service service = Service::kRc;
  Rate rate_cap;                   // the application's own limit; zero: none
  std::optional<Framing> framing;  // empty: RoCE's
};

/// From posting to the last ACK (to the last byte received without ACKs, or of a read), at line
/// rate, or at the application's own where that is less, without a window: exactly what the devices
/// take that have nothing else to do. `there` are the links that its packets cross, `back` those of
/// its ACKs, each switch between them storing and forwarding. Bytes of real payload come through
/// the NIC's DMA as fast as it brings them, as if the NIC looked ahead without a limit: there the
/// devices may take up to a few packets longer; as they may where a read's answers are so short
/// that those outstanding do not cover the way. Constant time in `bytes`. Empty: beyond the axis of
/// time.
std::optional<PicoSeconds> ideal_fct(const IdealFlow& flow, const NicParameters& nic,
                                     const std::vector<LinkParameters>& there,
                                     const std::vector<LinkParameters>& back);

}  // namespace dcc
