// Describes the positions of the NIC's and the controller's parameters in a configuration.
#include "config/schema.h"
#include "controller/dcc.h"

namespace dcc::vp {

namespace {

/// Value of nic.engine for a part whose choice is an Implementation.
Implementation part_of(BlockImplementation all) {
  switch (all) {
    case BlockImplementation::kRtl:
      return Implementation::kRtl;
    case BlockImplementation::kLockstep:
      return Implementation::kLockstep;
    default:
      return Implementation::kModel;
  }
}

/// True if nic.engine applies to the whole controller: the controller has a law, and no part of it
/// is chosen separately.
bool has_whole_controller(const NicConfig& c) {
  const auto* const dcc = c.congestion_control.chosen<DccParameters>();
  return dcc != nullptr && dcc->rules().law() != nullptr &&
         c.controller.timer == Implementation::kModel &&
         c.controller.rate_lut == Implementation::kModel;
}

void describe_port_failover(ParameterVisitor& v, PortFailoverParameters& p) {
  v.field("detection", p.detection, "off", {"1us", "10s"},
          {"time after the failure of a port's link (link_failure, link_flap) at which flows under "
           "way there, at either end, go on between other ports of their hosts, from the first "
           "byte that has not arrived; off: they wait for the repair",
           "Linux bonding: miimon 100ms"});
  v.field("comes_back", p.comes_back, {},
          {"flows return to their first ports when those work again and routes have converged",
           "Linux bonding: primary_reselect"});
}

}  // namespace

void describe_nic(ParameterVisitor& v, NicConfig& c) {
  c.describe(v);
  v.choice("engine", c.engine,
           {"implementation of controller, pacer, notification point and parser together: the "
            "default of nic.controller.engine, nic.pacer.engine, nic.np.engine and "
            "nic.parser.engine; none: each has its own"});
  const bool together = c.engine != BlockImplementation::kNone;
  v.choice("telemetry", c.telemetry,
           {"in-band telemetry; auto: on if the algorithm reads it", "HPCC, SIGCOMM'19"});
  v.section("transport", {"transport protocol"}, [&] { c.transport.describe(v); });
  v.section("congestion_control", {"algorithm and its parameters"},
            [&] { c.congestion_control.describe(v, c.cnp); });
  v.section("cnp", {"notification packets that receivers send", "DCQCN, SIGCOMM'15"},
            [&] { c.cnp.describe(v); });
  v.section("controller", {"the hardware block"}, [&] {
    c.controller.describe(v);
    v.choice("engine", c.controller.engine,
             {"implementation of the whole block; rtl and lockstep: its Verilog, cycle by cycle"});
    v.follows(together && has_whole_controller(c), "nic.engine",
              [&](const NetworkScale&) { c.controller.engine = part_of(c.engine); });
    v.choice("timer", c.controller.timer, {"implementation of the timing wheel"});
    v.choice("rate_lut", c.controller.rate_lut, {"implementation of the rate unit"});
  });
  v.section("port_failover", {"flows at a failed port of a host with several"},
            [&] { describe_port_failover(v, c.port_failover); });
  v.section("np", {"the notification point, which sends CNPs"}, [&] {
    v.choice("engine", c.np.engine,
             {"implementation; rtl and lockstep: its Verilog decides on each CNP and writes it"});
    v.follows(together, "nic.engine",
              [&](const NetworkScale&) { c.np.engine = part_of(c.engine); });
  });
  v.section("parser", {"the block that parses CNPs and counts sent packets"}, [&] {
    v.choice("engine", c.parser.engine,
             {"implementation; rtl and lockstep: its Verilog says which flow, DSCP, marks and "
              "bytes the algorithm gets",
              "rtl/packet/doc/contract.md"});
    v.follows(together, "nic.engine",
              [&](const NetworkScale&) { c.parser.engine = part_of(c.engine); });
  });
  v.section("pacer", {"the block that schedules data packets"}, [&] {
    v.choice("engine", c.pacer.engine,
             {"none: the transmitter paces with exact times; model, rtl, lockstep: the pacer of "
              "rtl/pacer decides each packet on the controller's clock",
              "rtl/pacer/doc/contract.md"});
    v.follows(together, "nic.engine", [&](const NetworkScale&) { c.pacer.engine = c.engine; });
  });
}

}  // namespace dcc::vp
