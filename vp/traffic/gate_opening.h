// What opened a gate between flows and computations, and when.
#pragma once

#include <cstdint>

#include "units.h"

namespace dcc::vp {

struct GateOpening {
  enum class Event : std::uint8_t { kReceived, kSent, kComputed, kGate };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Of a flow, a computation or a gate by number: the last event that the gate needed. kNone: what
  /// the gate awaits did not end within the run.
  Event event = Event::kReceived;
  std::uint32_t source = kNone;
  /// When what is behind the gate may begin, which can be after the end of the run.
  PicoSeconds at = PicoSeconds::max();

  bool is_told() const { return source != kNone; }
};

}  // namespace dcc::vp
