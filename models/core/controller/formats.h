// The controller's fixed-point formats and its rounding multiplication (docs/formats.md).
#pragma once

#include <cstdint>

#include "driver/dcc_regs.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// Unsigned 1.16 fixed point, for α, decrease multiplier and decay: 0 … 65536 (= 1.0).
using Fraction16 = std::uint32_t;
/// A rate in unsigned 24.8 fixed point in Mb/s, as in Rate::raw.
using RateBits = std::uint32_t;
/// The controller's internal address of a flow, 0 … slots − 1.
using SlotIndex = std::uint32_t;
/// A number of ticks: a delay or an interval.
using Ticks = std::uint32_t;

constexpr Fraction16 kOne16 = 65536;
// upper limit of flow numbers, which are queue pair numbers
constexpr std::uint32_t kFlowNumberLimit = 1u << 24;
constexpr std::uint32_t kMaxSlots = 16384;
/// The longest delay of a timer event in ticks.
constexpr Ticks kMaxDelay = DCC_TIMER_INTERVAL_VALUE_MAX;
/// The number of ticks since the last cut, Δ = now − t_latest, saturates at this value.
constexpr std::uint32_t kMaxDelta = DCC_DECREASE_PERIOD_VALUE_MASK;
constexpr Ticks kMaxAlphaInterval = 4096;  // maximum number of ticks between two updates of α
constexpr std::uint32_t kMaxAlphaIntervals =
    4095;  // maximum number of α intervals since the last cut; the count saturates
constexpr std::uint32_t kNeutralIncrease = 256;  // increase factor f_inc of 1.0, in 8.8 fixed point
// decrease factor f_dec of 1.0, in 4.12 fixed point
constexpr std::uint32_t kNeutralDecrease = 4096;

/// (a·b + 2^15) >> 16: the product of a number and a 16-bit fraction, rounded half up.
constexpr std::uint64_t mul16(std::uint64_t a, std::uint64_t b) {
  return (a * b + (std::uint64_t{1} << 15)) >> 16;
}

/// Adds one to an 8-bit event count, which saturates at 255.
constexpr std::uint8_t count_event(std::uint8_t count) {
  return count == 255 ? count : static_cast<std::uint8_t>(count + 1);
}

/// Value of the ALPHA_RECIP register for an α interval of `ticks` (1 … 4096): ⌈2^32 / ticks⌉, so
/// that (Δ · recip) >> 32 = ⌊Δ / ticks⌋ for every Δ < 2^20. For an interval of one tick the
/// reciprocal would need 33 bits, so the value is 2^32 − 1, with which the quotient can be one too
/// small.
constexpr std::uint32_t alpha_reciprocal(std::uint32_t ticks) {
  return ticks <= 1 ? 0xFFFFFFFFu
                    : static_cast<std::uint32_t>(((std::uint64_t{1} << 32) + ticks - 1) / ticks);
}

}  // namespace dcc
