// The verilated controller behind a plain interface: pins in, pins out, one clock edge at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <vector>

#include "page_oracle.h"

namespace dcc::page {

struct ApbPins {
  bool psel = false, penable = false, pwrite = false;
  std::uint32_t paddr = 0, pwdata = 0;
};

struct Pins {
  bool ready, bytes_ready, command_ready, irq;
  bool pready, pslverr;
  std::uint32_t prdata;
  bool rate_valid;
  Answer rate;
};

class ControllerDut {
 public:
  virtual ~ControllerDut() = default;
  virtual const Shape& shape() const = 0;
  /// Asserts the reset and runs until the memories are swept: cycle 0.
  virtual void reset() = 0;
  /// What the pins say in this cycle, with these inputs.
  virtual Pins drive(const Inputs& inputs, const ApbPins& apb) = 0;
  /// The edge at its end. False when an assertion of the RTL failed.
  virtual bool edge() = 0;
};

/// 64 slots, 8 bits of flow, short FIFOs, latency 40.
std::unique_ptr<ControllerDut> make_small_controller(std::uint32_t random_seed);
/// Memories of the small controller that have parity.
struct GuardedMemory {
  const char* name;
  std::uint32_t cause;  // bit of MEMORY_ERROR
  unsigned bits;        // of a word, with its check bits
  void (*flip)(ControllerDut& small, unsigned bit);
};
inline void PrintTo(const GuardedMemory& memory, std::ostream* out) { *out << memory.name; }
const std::vector<GuardedMemory>& guarded_memories();
/// Turns one bit of every word round.
inline void flip_bit(ControllerDut& small, const GuardedMemory& memory, unsigned bit) {
  memory.flip(small, bit);
}
/// The size that is shipped.
std::unique_ptr<ControllerDut> make_shipped_controller(std::uint32_t random_seed);

}  // namespace dcc::page
