// The controller's parameters as its registers hold them.
#pragma once

#include "registers/generated/dcc_parameters.h"

namespace dcc {

/// The registers that the rate unit reads.
using RateRegisters = regs::dcc_map::RateParameters;

/// All registers that control the controller, as plain values (generated from rtl/regs/dcc.yaml).
/// Software may change them while the controller runs. Every value is safe; the driver refuses
/// values that make no sense.
using ControllerParameters = regs::dcc_map::Parameters;

}  // namespace dcc
