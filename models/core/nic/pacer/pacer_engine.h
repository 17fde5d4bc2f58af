// The interface of a pacer block, with the inputs and outputs of one clock cycle. Implementations
// are the contract model, the verilated RTL, and both compared.
#pragma once

#include <cstdint>

#include "units.h"

namespace dcc {

/// The size of the pacer block that platforms use; rtl/pacer/doc/contract.md explains the
/// parameters.
struct PacerShape {
  std::uint32_t flows = 1024;
  std::uint32_t width = 32;  // number of flows in a row of the pacer block
  std::uint32_t depth = 4;   // number of packets that a flow can hold in the block
  std::uint32_t rows() const { return flows / width; }
};

/// Constants of a pacer block after reset.
struct PacerSettings {
  std::uint32_t scale = 0;  // number of cycles that a byte takes at 1/256 Mb/s
  std::uint32_t slack = 0;  // number of cycles behind its deadline after which a packet is late
};

/// Number of a flow within the pacer block.
using PacerFlow = std::uint16_t;

/// Inputs at the pins of the pacer block in one cycle. Fields of a post or rate have no meaning if
/// `post` or `rate` is false.
struct PacerInputs {
  PicoSeconds now{};        // time of the cycle's clock edge, for reports
  std::uint8_t paused = 0;  // bit p: the block must not decide a packet of priority p
  bool want = false;        // the user of the block can take a packet
  bool post = false;        // a packet is posted; precondition: post_ready in the cycle before
  bool rate = false;        // a rate is set; precondition: rate_ready in the cycle before
  PacerFlow post_flow = 0;
  PacerFlow rate_flow = 0;
  std::uint16_t post_bytes = 0;
  std::uint8_t priority = 0;
  Rate rate_value;
};

/// Values at the output pins of the pacer block after the edge of a cycle.
struct PacerAnswer {
  bool post_ready = true;
  bool rate_ready = true;
  // the post of this cycle is refused, because its flow already holds as many packets as fit
  bool refused = false;
  bool sent = false;    // the block decided on a packet in the cycle before
  bool strict = false;  // the line is over-subscribed, so packets leave in strict priority order
  PacerFlow flow = 0;   // flow of the block's decision; 0 without a decision
  std::uint16_t bytes = 0;
};

inline bool operator==(const PacerAnswer& a, const PacerAnswer& b) {
  return a.post_ready == b.post_ready && a.rate_ready == b.rate_ready && a.refused == b.refused &&
         a.sent == b.sent && a.strict == b.strict && a.flow == b.flow && a.bytes == b.bytes;
}

/// A pacer block after its reset and after the sweep of its memories.
class PacerEngine {
 public:
  virtual ~PacerEngine() = default;

  virtual PacerAnswer cycle(const PacerInputs& inputs) = 0;
  /// Runs `cycles` cycles without posts, rates and decisions. `inputs`: time of the first of these
  /// cycles, and the pauses. Returns the last answer. Precondition: cycles > 0.
  virtual PacerAnswer skip(std::uint64_t cycles, const PacerInputs& inputs) = 0;
  /// Names the network flow that a flow number of the block stands for from now on, for reports.
  virtual void named(PacerFlow, std::uint32_t /*flow*/) {}
};

}  // namespace dcc
