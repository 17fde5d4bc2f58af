// The interface of a pacer block: inputs and outputs of one clock cycle. Implementations are the
// contract model, the verilated RTL, and both compared.
#pragma once

#include <cstdint>

#include "units.h"

namespace dcc {

/// The size of the block that platforms use; rtl/pacer/doc/contract.md explains the parameters.
struct PacerShape {
  std::uint32_t flows = 1024;
  std::uint32_t width = 32;  // number of flows in a row
  std::uint32_t depth = 4;   // packets that a flow can hold
  std::uint32_t rows() const { return flows / width; }
};

/// Constants of the block after reset.
struct PacerSettings {
  std::uint32_t scale = 0;  // cycles that a byte takes at 1/256 Mb/s
  std::uint32_t slack = 0;  // cycles behind its deadline after which a packet is late
};

/// Number of a flow within the block.
using PacerFlow = std::uint16_t;

/// Inputs at the pins of the block in one cycle. Fields of a post or rate have no meaning if `post`
/// or `rate` is false.
struct PacerInputs {
  PicoSeconds now{};        // time of the cycle's clock edge, for reports
  std::uint8_t paused = 0;  // bit p: no packet of priority p may be decided
  bool want = false;        // the user can take a packet
  bool post = false;        // a post; precondition: post_ready in the cycle before
  bool rate = false;        // a rate; precondition: rate_ready in the cycle before
  PacerFlow post_flow = 0;
  PacerFlow rate_flow = 0;
  std::uint16_t post_bytes = 0;
  std::uint8_t priority = 0;
  Rate rate_value;
};

/// Values at the output pins after the edge of a cycle.
struct PacerAnswer {
  bool post_ready = true;
  bool rate_ready = true;
  bool refused = false;  // the post of this cycle is refused: its flow holds as many packets as fit
  bool sent = false;     // the block decided in the cycle before
  bool strict = false;   // the line is over-subscribed: strict priority order
  PacerFlow flow = 0;    // flow of the decision; 0 without one
  std::uint16_t bytes = 0;
};

inline bool operator==(const PacerAnswer& a, const PacerAnswer& b) {
  return a.post_ready == b.post_ready && a.rate_ready == b.rate_ready && a.refused == b.refused &&
         a.sent == b.sent && a.strict == b.strict && a.flow == b.flow && a.bytes == b.bytes;
}

/// A pacer after its reset and after the sweep of its memories.
class PacerEngine {
 public:
  virtual ~PacerEngine() = default;

  virtual PacerAnswer cycle(const PacerInputs& inputs) = 0;
  /// Runs `cycles` cycles without posts, rates and decisions. `inputs`: time of the first of these
  /// cycles, and the pauses. Returns the last answer. Precondition: cycles > 0.
  virtual PacerAnswer skip(std::uint64_t cycles, const PacerInputs& inputs) = 0;
  /// From now on flow `flow` of the block stands for this flow of the network, in reports.
  virtual void named(PacerFlow, std::uint32_t /*flow*/) {}
};

}  // namespace dcc
