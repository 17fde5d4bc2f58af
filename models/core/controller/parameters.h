// The controller's parameters as its registers hold them.
#pragma once

#include <cstdint>

#include "controller/formats.h"

namespace dcc {

/// What the rate unit reads besides its tables. Reset values are those of the register map.
struct RateRegisters {
  std::uint16_t g = 256;       // 0.16, gain of α
  std::uint16_t mi = 0;        // 0.16, multiplicative increase outside recovery
  RateBits r_ai = 40u << 8;    // additive step
  RateBits r_hai = 400u << 8;  // hyper step
  RateBits r_min = 10u << 8;
  RateBits r_max = 100'000u << 8;  // the line rate
  std::uint32_t alpha_recip = alpha_reciprocal(55);
  Fraction16 first_cut = 0;     // multiplier of a new slot's first cut; 0 = by the table
  std::uint8_t mark_shift = 0;  // 0 … 10
  bool cut_by_marks = false;    // the cut's argument is marks, not α
  bool averaging = true;        // an increase moves Rc half way to Rt; else to it, and cuts return
};

/// All registers that steer the controller. Plain values, changed while it runs (firmware retunes);
/// no value makes it misbehave in memory or time, the driver says which make no sense.
struct ControllerParameters {
  RateRegisters rate;
  bool enable = false;                        // takes notifications; bound slots recover either way
  bool timer_restart = true;                  // a cut restarts the slot's timer event
  bool byte_counter = true;                   // byte notifications lead to increases
  std::uint8_t fast_recovery = 5;             // F
  std::uint32_t tick_div = 250;               // clock cycles a tick, 4 … 65535
  Ticks timer_interval = 55;                  // ticks, 1 … 65535
  Ticks decrease_period = 50;                 // ticks, 0 … 2^20 − 1
  std::uint32_t byte_threshold = 10'000'000;  // bytes, at least 64 and at least one packet
  RateBits initial_rate = 100'000u << 8;      // of a slot before its first cut
  Fraction16 initial_alpha = kOne16;
};

constexpr std::uint32_t kMinTickDiv = 4;
constexpr std::uint32_t kMaxMarkShift = 10;

}  // namespace dcc
