// Latency of a host's bus, equal for the native driver, firmware and run-elf.
#pragma once

#include <systemc>

namespace dcc::vp {

/// Time of one transfer on the host's bus.
inline const sc_core::sc_time kBusLatency(10, sc_core::SC_NS);

}  // namespace dcc::vp
