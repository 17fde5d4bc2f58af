// The shape (slots, counters, formats) for which the RTL was verilated, whether this build contains
// RTL or not.
#pragma once

#include <array>

#include "config/platform_config.h"
#include "registers/generated/dcc_map.h"

namespace dcc::vp {

/// The shape of the parts (timer, rate_lut), and the properties in register CAPS that blocks of
/// every size share.
constexpr unsigned kRtlSlots = 1u << regs::dcc_map::kCapsSlotsLog2Reset;
constexpr unsigned kRtlLatency = regs::dcc_map::kCapsLatencyReset;
constexpr std::array<unsigned, 3> kRtlSplit{regs::dcc_map::kCapsWheelTopReset,
                                            regs::dcc_map::kCapsWheelMiddleReset,
                                            regs::dcc_map::kCapsWheelLastReset};
// Asserts that the RTL can run the default configuration.
static_assert(dcc::ControllerConfig{}.slots == kRtlSlots);
static_assert(dcc::ControllerConfig{}.latency_cycles == kRtlLatency);
static_assert(dcc::ControllerConfig{}.split[0] == kRtlSplit[0] &&
              dcc::ControllerConfig{}.split[1] == kRtlSplit[1] &&
              dcc::ControllerConfig{}.split[2] == kRtlSplit[2]);

}  // namespace dcc::vp
