// The controller's RTL, checked, with 64 slots.
#include <Vcontroller_checked_64.h>
#include <Vcontroller_checked_64___024root.h>

#include "controller_engine_rtl_impl.h"
#include "controller_engine_rtl_sizes.h"
#include "controller_rtl_dut_verilated.h"

namespace dcc {

std::unique_ptr<RtlControllerEngine> make_checked_controller_64(
    Scheduler& scheduler, const ControllerConfig& config, std::uint32_t rank, RateSink& sink,
    const RtlControllerOptions& options) {
  using Dut = VerilatedController<Vcontroller_checked_64, Vcontroller_checked_64___024root>;
  return std::make_unique<RtlController<Dut>>(scheduler, config, rank, sink, options,
                                              std::make_unique<Dut>(options.fault));
}

}  // namespace dcc
