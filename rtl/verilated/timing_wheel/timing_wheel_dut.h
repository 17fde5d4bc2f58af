// A timing wheel, one clock cycle at a time, implemented by RTL, gates or the model.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace dcc {

/// Number of slots for which the wheel in this build was verilated.
constexpr std::uint32_t kVerilatedTimers = 1024;

enum class WheelCommand : std::uint8_t { kStart = 0, kCancel = 1, kRead = 2 };

/// The wheel's input pins during one cycle; names and meaning as in timing_wheel.sv.
struct WheelInputs {
  bool tick = false;
  bool cmd_valid = false;
  WheelCommand cmd_op = WheelCommand::kStart;
  std::uint16_t cmd_slot = 0;
  std::uint16_t cmd_delay = 0;
  bool expire_ready = false;
  bool advance = false;
  std::uint32_t advance_to = 0;
  bool clear = false;
  bool overrun_clear = false;
};

/// The wheel's output pins in a cycle, before the clock edge that ends the cycle.
struct WheelOutputs {
  bool init_done = false;
  bool cmd_ready = false;
  bool cmd_done = false;
  bool cmd_hit = false;
  std::uint32_t cmd_due = 0;
  bool expire_valid = false;
  std::uint16_t expire_slot = 0;
  std::uint32_t expire_due = 0;
  std::uint32_t now = 0;
  std::uint32_t lag = 0;
  bool overrun = false;
  bool idle = false;
  bool next_due_valid = false;
  std::uint32_t next_due = 0;
  bool busy = false;
  bool move = false;
};

/// Faults that the verilated wheel's wrapper can inject at the pins, to show that lock-step finds
/// them. The RTL itself is unchanged.
enum class WheelFault : std::uint8_t {
  kNone = 0,
  kDelayBit = 1,    // every 64th start has bit 6 of its delay inverted
  kLostCancel = 2,  // every 16th cancel is lost
  kLostExpiry = 3,  // every 256th expiry is taken and not reported
};

class WheelDut {
 public:
  virtual ~WheelDut() = default;
  /// Runs one clock cycle.
  virtual WheelOutputs cycle(const WheelInputs& in) = 0;
  /// Asserts the reset for a few cycles; afterwards the wheel sweeps its records.
  virtual void reset() = 0;
  virtual std::string name() const = 0;
};

/// The wheel for networks, without the RTL's assertions. `random_seed` other than 0 fills every
/// register and memory that has no reset with random bits.
std::unique_ptr<WheelDut> make_rtl_wheel(WheelFault fault = WheelFault::kNone,
                                         std::uint32_t random_seed = 0);
/// A slower variant with assertions (library dcc_cosim): a failed assertion of the RTL throws
/// std::runtime_error from cycle().
std::unique_ptr<WheelDut> make_checked_wheel(WheelFault fault = WheelFault::kNone,
                                             std::uint32_t random_seed = 0);
/// Makes the wheel as a netlist of gates; null in a build without yosys.
std::unique_ptr<WheelDut> make_netlist_wheel(std::uint32_t random_seed = 0);
/// Makes the core's reference model behind the same pins. Its commands and expiries take one cycle.
std::unique_ptr<WheelDut> make_model_wheel();

}  // namespace dcc
