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

/// A 64-bit counter of the RTL that a bench can set.
struct WideCounter {
  std::uint64_t Counts::*count;
  void (*set)(ControllerDut& dut, std::uint64_t value);
};

class ControllerDut {
 public:
  virtual ~ControllerDut() = default;
  virtual const Shape& shape() const = 0;
  /// Asserts the reset and clocks the controller until its memories are swept. Cycle 0 follows.
  virtual void reset() = 0;
  /// Drives the inputs of this cycle and returns the output pins.
  virtual Pins drive(const Inputs& inputs, const ApbPins& apb) = 0;
  /// Executes the clock edge at the end of this cycle. Returns false if an assertion of the RTL
  /// failed.
  virtual bool edge() = 0;
  /// Switches the RTL's assertions off while a bench writes to internal state.
  virtual void check_assertions(bool on) { static_cast<void>(on); }

  // Counters of 64 bits that a bench can set; empty if the class gives no access to them.
  std::vector<WideCounter> wide_counters;
  // Advances the controller's time by a number of ticks; null if the class gives no access to its
  // time.
  void (*add_time)(ControllerDut& dut, std::uint32_t ticks) = nullptr;
  void (*set_slot)(ControllerDut& dut, std::uint32_t index, const Slot& slot) = nullptr;
};

/// Makes the small controller: 64 slots, 8 bits of flow number, short FIFOs, latency 40.
std::unique_ptr<ControllerDut> make_small_controller(std::uint32_t random_seed);
/// Makes a controller of the small size with a hash table of flow numbers. The bench's 8-bit flow
/// numbers are scattered over 24 bits.
std::unique_ptr<ControllerDut> make_sparse_controller(std::uint32_t random_seed);
/// Makes the small controller with a hash table of flow numbers. The bench's flow numbers are not
/// scattered.
std::unique_ptr<ControllerDut> make_unmapped_sparse_controller(std::uint32_t random_seed);
/// Makes the controller with the shipped parameters.
std::unique_ptr<ControllerDut> make_shipped_controller(std::uint32_t random_seed);

}  // namespace dcc::page
