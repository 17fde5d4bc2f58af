// The controller's RTL with 1024 slots.
#include <Vcontroller_1024.h>
#include <Vcontroller_1024___024root.h>

#include "controller_engine_rtl_impl.h"
#include "controller_engine_rtl_sizes.h"
#include "controller_rtl_dut_verilated.h"

#ifndef DCC_ONE_CLOCK
// Generated, but not in those headers.
void Vcontroller_1024___024root___eval_triggers__act(Vcontroller_1024___024root*);
void Vcontroller_1024___024root___eval_nba(Vcontroller_1024___024root*);
#endif

namespace dcc {

std::unique_ptr<RtlControllerEngine> make_rtl_controller_1024(Scheduler& scheduler,
                                                              const ControllerConfig& config,
                                                              std::uint32_t rank, RateSink& sink,
                                                              const RtlControllerOptions& options) {
#ifdef DCC_ONE_CLOCK
  using Clocks = OneClock;
#else
  using Clocks =
      PartClocks<Vcontroller_1024___024root, &Vcontroller_1024___024root___eval_triggers__act,
                 &Vcontroller_1024___024root___eval_nba>;
#endif
  using Dut = VerilatedController<Vcontroller_1024, Vcontroller_1024___024root, NoWatch, Clocks>;
  return std::make_unique<RtlController<Dut>>(scheduler, config, rank, sink, options,
                                              std::make_unique<Dut>(options.fault));
}

}  // namespace dcc
