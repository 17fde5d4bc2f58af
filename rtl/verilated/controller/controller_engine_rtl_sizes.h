// The verilated sizes of the controller's RTL, each in a file of its own. The checked variants have
// assertions, waveforms and faults.
#pragma once

#include <memory>

#include "controller_engine_rtl.h"

namespace dcc {

using MakeRtlController = std::unique_ptr<RtlControllerEngine>(Scheduler&, const ControllerConfig&,
                                                               std::uint32_t rank, RateSink&,
                                                               const RtlControllerOptions&);
MakeRtlController make_rtl_controller_64;
MakeRtlController make_checked_controller_64;
MakeRtlController make_checked_controller_1024;
MakeRtlController make_rtl_controller_1024;

}  // namespace dcc
