// The controller's RTL with 64 slots.
#include <Vcontroller_64.h>
#include <Vcontroller_64___024root.h>

#include "controller_engine_rtl_impl.h"
#include "controller_engine_rtl_sizes.h"
#include "controller_rtl_dut_verilated.h"

#ifndef DCC_ONE_CLOCK
// Generated, but not in those headers.
void Vcontroller_64___024root___eval_triggers__act(Vcontroller_64___024root*);
void Vcontroller_64___024root___eval_nba(Vcontroller_64___024root*);
#endif

namespace dcc {

std::unique_ptr<RtlControllerEngine> make_rtl_controller_64(Scheduler& scheduler,
                                                            const ControllerConfig& config,
                                                            std::uint32_t rank, RateSink& sink,
                                                            const RtlControllerOptions& options) {
#ifdef DCC_ONE_CLOCK
  using Clocks = OneClock;
#else
  using Clocks =
      PartClocks<Vcontroller_64___024root, &Vcontroller_64___024root___eval_triggers__act,
                 &Vcontroller_64___024root___eval_nba>;
#endif
  using Dut = VerilatedController<Vcontroller_64, Vcontroller_64___024root, NoWatch, Clocks>;
  return std::make_unique<RtlController<Dut>>(scheduler, config, rank, sink, options,
                                              std::make_unique<Dut>(options.fault));
}

}  // namespace dcc
