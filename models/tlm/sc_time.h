// Converts between SystemC time and device time; both count picoseconds.
#pragma once

#include <cstdint>
#include <systemc>

#include "units.h"

namespace dcc::model {

constexpr std::uint64_t kPicosecondsPerNanosecond = 1'000;

/// Converts device time to SystemC time. Precondition: SystemC's time resolution is 1 ps (its
/// default).
inline sc_core::sc_time to_sc_time(PicoSeconds t) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(t.count));
}
inline PicoSeconds from_sc_time(const sc_core::sc_time& t) {
  return PicoSeconds(static_cast<std::int64_t>(t.value()));
}

}  // namespace dcc::model
