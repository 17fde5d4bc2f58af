// The verilated controller behind a plain interface: pins in, pins out, one clock edge at a time.
#pragma once

#include <cstdint>
#include <memory>
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

class ControllerDut;

/// A counter of 64 bits that a bench can set.
struct WideCounter {
  std::uint64_t Counts::*count;
  void (*set)(ControllerDut& dut, std::uint64_t value);
};

class ControllerDut {
 public:
  virtual ~ControllerDut() = default;
  virtual const Shape& shape() const = 0;
  /// Asserts the reset and runs until the memories are swept: cycle 0.
  virtual void reset() = 0;
  /// Returns the output pins of this cycle under these inputs.
  virtual Pins drive(const Inputs& inputs, const ApbPins& apb) = 0;
  /// Executes the clock edge at the end of this cycle. False if an assertion of the RTL failed.
  virtual bool edge() = 0;
  /// Switches the RTL's assertions off while a bench writes to internal state.
  virtual void check_assertions(bool on) { static_cast<void>(on); }

  // wide counters of the device; empty if they are out of reach
  std::vector<WideCounter> wide_counters;
  // adds ticks to the time of the device
  void (*add_time)(ControllerDut& dut, std::uint32_t ticks) = nullptr;
  void (*set_slot)(ControllerDut& dut, std::uint32_t index, const Slot& slot) = nullptr;
};

/// Makes the small controller: 64 slots, 8 bits of flow number, short FIFOs, latency 40.
std::unique_ptr<ControllerDut> make_small_controller(std::uint32_t random_seed);
/// A controller of the same size with a hash table of flow numbers that are scattered over 24 bits.
/// The bench sees 8 bits of them.
std::unique_ptr<ControllerDut> make_sparse_controller(std::uint32_t random_seed);
/// Makes the same controller with flow numbers that are not scattered.
std::unique_ptr<ControllerDut> make_unmapped_sparse_controller(std::uint32_t random_seed);
/// Makes the controller in the shipped size.
std::unique_ptr<ControllerDut> make_shipped_controller(std::uint32_t random_seed);

}  // namespace dcc::page
