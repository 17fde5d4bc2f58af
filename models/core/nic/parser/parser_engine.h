// The interface of a parser that stands between the wire and the congestion-control algorithm:
// verilated RTL, alone or compared with the model.
#pragma once

#include <cstdint>
#include <string>

#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// State of a queue pair in a packet parser.
struct ParserContext {
  std::uint8_t dscp = 0;
  Qpn peer = 0;            // queue pair at the remote end
  std::uint32_t flow = 0;  // number of the flow in the network, for reports
};

/// Result of parsing a received CNP.
struct ParsedCnp {
  enum class Outcome : std::uint8_t { kCnp, kUnbound, kRefused };
  Outcome outcome = Outcome::kUnbound;  // kUnbound: no flow is bound to the queue pair
  std::uint8_t reason = 0;              // reason of a refusal (kRefused), as in dc_parser_pkg
  // Fields that are valid with kCnp only:
  Qpn flow = 0;
  std::uint8_t dscp = 0;  // DSCP from the flow's context
  Qpn peer = 0;
  std::uint8_t marks = 0;
  std::uint8_t packets = 0;
};

/// A data packet that the NIC sent, as the parser counts it.
struct SentPacket {
  PicoSeconds now{};
  Qpn qpn = 0;                // queue pair that sent the packet
  std::uint32_t length = 0;   // bytes of the packet from the Ethernet header to the FCS
  std::uint8_t overhead = 0;  // bytes of preamble and inter-packet gap
};

/// A byte notification for the controller.
struct ByteNotice {
  bool bound = false;  // false: no flow is bound to the queue pair, and there is no notification
  Qpn flow = 0;
  std::uint8_t dscp = 0;
  std::uint32_t bytes = 0;  // bytes of the packet, the sum of length and overhead
};

/// A parser of the CNPs that a NIC received, which also makes byte notifications of the packets
/// that it sent. Calls must come in the order of time.
class ParserEngine {
 public:
  virtual ~ParserEngine() = default;

  /// Binds a queue pair, or binds it anew. Throws std::runtime_error if the parser has no room for
  /// it.
  virtual void begin(Qpn qpn, const ParserContext& context) = 0;
  /// Unbinds a queue pair; does nothing if the queue pair is not bound.
  virtual void end(Qpn qpn) = 0;
  /// Parses a CNP that arrived at time `now`.
  virtual ParsedCnp cnp(const Packet& cnp, PicoSeconds now) = 0;
  virtual ByteNotice sent(const SentPacket& packet) = 0;
};

}  // namespace dcc
