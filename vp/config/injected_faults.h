// Faults that the environment asks for, and whether this build has hardware to put them into.
#pragma once

namespace dcc::vp {

/// DCCVP_WHEEL_FAULT, DCCVP_RATE_FAULT and DCCVP_CONTROLLER_FAULT spoil verilated hardware. Throws
/// std::runtime_error naming the variable if one is set where there is none (`rtl` false): a run
/// that was to show a fault would show none.
void check_injected_faults(bool rtl);

}  // namespace dcc::vp
