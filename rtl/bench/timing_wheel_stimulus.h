// Stimulus of the wheel's bench: profiles of commands, ticks and back-pressure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "timing_wheel_dut.h"
#include "timing_wheel_oracle.h"

namespace dcc {

/// A small deterministic random generator (splitmix64), with the same results on every machine.
class WheelRandom {
 public:
  explicit WheelRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// Random number from 0 to n−1.
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>((next() >> 32) * n >> 32);
  }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

/// State of the timing wheel that a stimulus profile sees before it drives a cycle.
struct WheelView {
  std::uint64_t cycle = 0;
  std::uint64_t now = 0;      // present tick of the wheel
  std::uint64_t pointer = 0;  // tick of the wheel's pointer: `now` minus the lag
  bool offered = false;       // true if an expiry was on offer in the previous cycle
  std::uint16_t offered_slot = 0;
  bool command_waits = false;  // true if the last command is not accepted yet and must stay
  const WheelOracle* oracle = nullptr;
};

/// Behaviour of the wheel's environment for some cycles.
struct WheelPace {
  std::uint32_t tick_cycles = 250;  // number of cycles in a tick; 0: time moves by skips only
  std::uint32_t take_gap =
      // minimum number of cycles between two taken expiries; 0: an expiry can be taken in every
      // cycle
      4;
  // the consumer takes an offered expiry with the probability 1 / take_one_in; 0: never
  std::uint32_t take_one_in = 1;
  std::uint32_t command_one_in = 16;  // one command in this number of cycles on average; 0: none
  std::uint32_t skip_span = 0;        // longest requested skip of idle time; 0: none
  std::uint32_t rest_one_in = 0;      // one tick in this number has no commands; 0: none
  std::uint32_t most_lag = 0;         // no tick begins at this lag or above; 0: at any lag
  bool far_skips = false;             // skips of 1 to 2^31 ticks are requested, often near 2^n
};

class WheelStimulus {
 public:
  WheelStimulus(std::uint32_t slots, std::uint64_t seed) : slots_(slots), random_(seed) {}
  virtual ~WheelStimulus() = default;
  void drive(const WheelView& view, WheelInputs& in);
  const WheelPace& pace() const { return pace_; }

 protected:
  /// Chooses a new pace. Returns the number of cycles for which the pace holds.
  virtual std::uint32_t choose_pace(const WheelView& view) = 0;
  /// Chooses a command for this cycle; returns false without a command.
  virtual bool choose_command(const WheelView& view, WheelInputs& in) = 0;

  std::uint16_t any_slot() { return static_cast<std::uint16_t>(random_.below(slots_)); }
  std::uint16_t delay_of_level(std::uint32_t level);
  std::uint16_t any_delay() { return delay_of_level(random_.below(3)); }
  WheelPace any_pace();

  std::uint32_t slots_;
  WheelRandom random_;
  std::uint64_t jump_to_ = 0;  // tick to skip to as soon as possible; 0: none
  WheelPace pace_;

 private:
  std::uint64_t pace_until_ = 0;
  std::uint64_t next_tick_ = 0;
  std::uint32_t ticks_ = 0;
  std::uint64_t next_take_ = 0;
};

/// Makes a stimulus by its name (see cosim_profiles()). Throws std::invalid_argument for an unknown
/// name.
std::unique_ptr<WheelStimulus> make_wheel_stimulus(const std::string& profile, std::uint32_t slots,
                                                   std::uint64_t seed);

}  // namespace dcc
