// Checks faults that environment variables inject into verilated hardware.
#pragma once

namespace dcc::vp {

/// Checks that an injected fault has an effect. DCCVP_WHEEL_FAULT, DCCVP_RATE_FAULT,
/// DCCVP_CONTROLLER_FAULT and DCCVP_NP_FAULT corrupt verilated hardware. Throws std::runtime_error
/// that names the variable if one is set but the run has no such hardware (`rtl` false).
void check_injected_faults(bool rtl);

}  // namespace dcc::vp
