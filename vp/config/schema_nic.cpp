// Describes where the parameters of NIC and controller stand in a configuration.
#include "config/schema.h"

namespace dcc::vp {

void describe_nic(ParameterVisitor& v, NicConfig& c) {
  c.describe(v);
  v.choice("telemetry", c.telemetry,
           {"in-band telemetry; auto: when the algorithm asks for it", "HPCC, SIGCOMM'19"});
  v.section("transport", {"how data gets to its receiver", ""}, [&] { c.transport.describe(v); });
  v.section("congestion_control", {"algorithm and its parameters", ""},
            [&] { c.congestion_control.describe(v, c.cnp); });
  v.section("cnp", {"notification packets, made by receivers", "DCQCN, SIGCOMM'15"},
            [&] { c.cnp.describe(v); });
  v.section("controller", {"the hardware block", ""}, [&] {
    c.controller.describe(v);
    v.choice("engine", c.controller.engine,
             {"what computes the whole block; rtl and lockstep: its Verilog, cycle by cycle", ""});
    v.choice("timer", c.controller.timer, {"what drives the timing wheel", ""});
    v.choice("rate_lut", c.controller.rate_lut, {"what computes the rates", ""});
  });
}

}  // namespace dcc::vp
