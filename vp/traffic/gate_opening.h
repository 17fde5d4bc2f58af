// The event that opened a gate between flows and computations, and its time.
#pragma once

#include <cstdint>

#include "units.h"

namespace dcc::vp {

struct GateOpening {
  enum class Event : std::uint8_t { kReceived, kSent, kComputed, kGate };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// The last event that the gate awaited. The event belongs to the flow, computation or gate with
  /// number `source`. kNone: the awaited events did not happen within the run.
  Event event = Event::kReceived;
  std::uint32_t source = kNone;
  /// Time from which work behind the gate may begin, which can be after the end of the run.
  PicoSeconds at = PicoSeconds::max();

  bool is_told() const { return source != kNone; }
};

}  // namespace dcc::vp
