// The platform's pacer made of verilated hardware.
#pragma once

#include <cstdint>
#include <memory>

#include "nic/pacer/pacer_engine.h"

namespace dcc {

/// Faults between adapter and hardware that lock-step must find. 1: bit 20 of written rates is
/// inverted (4096 Mb/s). 2: bit 6 of the length of every 64th post is inverted.
constexpr unsigned kPacerFaults = 2;

struct RtlPacerOptions {
  HostId host = 0;  // number of the host, for messages
  unsigned fault = 0;
  bool skip_idle = true;  // leave out cycles in which nothing happens; the answers are the same
};

class RtlPacerEngine : public PacerEngine {
 public:
  /// Number of clock edges that were simulated.
  virtual std::uint64_t edges_made() const = 0;
};

/// Makes a pacer engine from dc_pacer with the default parameters. The engine throws
/// std::runtime_error if an assertion fails.
std::unique_ptr<RtlPacerEngine> make_rtl_pacer(const PacerSettings& settings,
                                               const RtlPacerOptions& options);

}  // namespace dcc
