// The controller's parameters as its registers hold them.
#pragma once

#include "registers/generated/dcc_parameters.h"

namespace dcc {

/// What the rate unit reads besides its tables.
using RateRegisters = regs::dcc_map::RateParameters;

/// All registers that steer the controller, generated from rtl/regs/dcc.yaml. Plain values, changed
/// while it runs (firmware retunes); no value makes it misbehave in memory or time, the driver says
/// which make no sense.
using ControllerParameters = regs::dcc_map::Parameters;

}  // namespace dcc
