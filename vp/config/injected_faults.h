// Checks faults that environment variables inject into verilated hardware.
#pragma once

namespace dcc::vp {

/// DCCVP_WHEEL_FAULT, DCCVP_RATE_FAULT, DCCVP_CONTROLLER_FAULT and DCCVP_NP_FAULT corrupt verilated
/// hardware. Throws std::runtime_error that names the variable if one is set but there is no such
/// hardware
/// (`rtl` false), because the fault would have no effect.
void check_injected_faults(bool rtl);

}  // namespace dcc::vp
