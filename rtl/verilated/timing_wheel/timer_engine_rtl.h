// The platform's timing engine implemented by the verilated timing wheel.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "controller/timer_engine.h"
#include "timing_wheel_dut.h"

namespace dcc {

struct RtlWheelOptions {
  std::uint32_t slots = kVerilatedTimers;  // number of timers, 1 … kVerilatedTimers
  WheelFault fault = WheelFault::kNone;    // fault to inject, as a demonstration; see WheelFault
  std::uint32_t random_seed = 0;           // seed of random contents after power-up; 0: none
};

/// Clock cycles of the wheel that the hardware needed to keep up with the calls.
struct RtlWheelFigures {
  std::uint64_t cycles = 0;  // simulated cycles; idle cycles were skipped
  std::uint32_t longest_command_stall =
      0;  // greatest number of cycles until a command was accepted
  std::uint32_t longest_expiry_wait =
      0;  // number of cycles until the wheel offered the present tick's expiry
};

/// A timing engine whose answers all come from the verilated wheel. Ticks without work are skipped
/// through advance_i, so the number of simulated cycles depends on the work, not on the time.
class RtlTimerEngine : public TimerEngine {
 public:
  virtual const RtlWheelFigures& figures() const = 0;
  /// Describes the wheel's time outputs, for reports.
  virtual std::string describe() const = 0;
};

/// Makes the engine. Throws std::invalid_argument for more slots than the wheel was built for. The
/// engine's calls throw std::runtime_error if the hardware hangs or an assertion in it fails.
std::unique_ptr<RtlTimerEngine> make_rtl_timer_engine(const RtlWheelOptions& options = {});
/// Makes the same engine with a wheel that the caller made, for example one with a waveform.
std::unique_ptr<RtlTimerEngine> make_rtl_timer_engine(std::unique_ptr<WheelDut> wheel,
                                                      std::uint32_t slots);

}  // namespace dcc
