// Describes where the parameters of NIC and controller stand in a configuration.
#include "config/schema.h"

namespace dcc::vp {

void describe_nic(ParameterVisitor& v, NicConfig& c) {
  c.describe(v);
  v.choice("telemetry", c.telemetry,
           {"in-band telemetry; auto: on if the algorithm reads it", "HPCC, SIGCOMM'19"});
  v.section("transport", {"transport protocol", ""}, [&] { c.transport.describe(v); });
  v.section("congestion_control", {"algorithm and its parameters", ""},
            [&] { c.congestion_control.describe(v, c.cnp); });
  v.section("cnp", {"notification packets that receivers send", "DCQCN, SIGCOMM'15"},
            [&] { c.cnp.describe(v); });
  v.section("controller", {"the hardware block", ""}, [&] {
    c.controller.describe(v);
    v.choice(
        "engine", c.controller.engine,
        {"implementation of the whole block; rtl and lockstep: its Verilog, cycle by cycle", ""});
    v.choice("timer", c.controller.timer, {"implementation of the timing wheel", ""});
    v.choice("rate_lut", c.controller.rate_lut, {"implementation of the rate unit", ""});
  });
  v.section("np", {"the notification point, which sends CNPs", ""}, [&] {
    v.choice(
        "engine", c.np.engine,
        {"implementation; rtl and lockstep: its Verilog decides on each CNP and writes it", ""});
  });
}

}  // namespace dcc::vp
