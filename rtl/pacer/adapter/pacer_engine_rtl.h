// The platform's pacer made of verilated hardware.
#pragma once

#include <cstdint>
#include <memory>

#include "nic/pacer/pacer_engine.h"

namespace dcc {

/// Faults between adapter and hardware, to show that lock-step finds them. 1: rates that are
/// written have bit 20 inverted (4096 Mb/s). 2: every 64th post has bit 6 of its length inverted.
constexpr unsigned kPacerFaults = 2;

struct RtlPacerOptions {
  HostId host = 0;  // for messages
  unsigned fault = 0;
};

/// A pacer of dc_pacer with the default shape. Throws std::runtime_error if an assertion fails.
std::unique_ptr<PacerEngine> make_rtl_pacer(const PacerSettings& settings,
                                            const RtlPacerOptions& options);

}  // namespace dcc
