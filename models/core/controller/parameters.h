// The controller's parameters in the format of its registers.
#pragma once

#include "registers/generated/dcc_parameters.h"

namespace dcc {

/// The controller's registers that the rate unit reads.
using RateRegisters = regs::dcc_map::RateParameters;

/// All registers that control the controller, as plain values (generated from rtl/regs/dcc.yaml).
/// Software may change the registers while the controller runs. The hardware accepts every value;
/// the driver refuses values that make no sense.
using ControllerParameters = regs::dcc_map::Parameters;

}  // namespace dcc
