// What the parameters of a switch mean.
#include "describe/visitor.h"
#include "switch/switch_parameters.h"

namespace dcc {

void SwitchParameters::describe(ParameterVisitor& v) {
  v.field("buffer", buffer, {"16KB", "64GiB"},
          {"shared by all ports; with credits every input has its own", ""});
  v.choice("flow_control", flow_control,
           {"pauses (pfc), or credits for each priority as on InfiniBand's virtual lanes", ""});
  v.section("ecn", {"marking of congested packets", "RFC 3168; DCQCN, SIGCOMM'15, fig. 5"},
            [&] { ecn.describe(v); });
  v.section("pfc", {"pause by priority", "IEEE 802.1Qbb"}, [&] { pfc.describe(v); });
  v.section("credits", {"flow control by what the far end has room for", ""},
            [&] { credits.describe(v); });
  v.section("scheduler", {"choice among the priorities of a port", ""},
            [&] { scheduler.describe(v); });
  v.section("discipline", {"how a port keeps, serves and drops packets", ""},
            [&] { discipline.describe(v); });
  v.choice("arbitration", arbitration,
           {"order within a queue: arrival, or input ports in turn", ""});
  v.choice("ties", ties,
           {"order of packets that arrive at the same picosecond: by their wire's number, always "
            "the same; or drawn for each instant, so that none of several senders in step is "
            "favoured",
            ""});
  v.field("jitter", jitter, {"0us", "1ms"},
          {"a packet from a switch arrives up to so much later, drawn for each", ""});
}

}  // namespace dcc
