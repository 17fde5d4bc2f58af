// Latency of a host's bus, the same for a driver that runs natively, for firmware and for run-elf.
#pragma once

#include <systemc>

namespace dcc::vp {

/// Time that one transfer spends on the host's bus.
inline const sc_core::sc_time kBusLatency(10, sc_core::SC_NS);

}  // namespace dcc::vp
