// Descriptions of the parameters of a switch.
#include "switch/switch_parameters.h"

#include "describe/visitor.h"

namespace dcc {

std::uint8_t SwitchParameters::lossless_priorities() const {
  if (!pauses()) return 0;
  unsigned lossless = pfc.priorities;
  for (const auto& [priority, own] : priorities) {
    if (!own.lossy) continue;
    lossless = *own.lossy ? lossless & ~(1u << priority) : lossless | 1u << priority;
  }
  return static_cast<std::uint8_t>(lossless);
}

void SwitchParameters::describe(ParameterVisitor& v) {
  v.field("buffer", buffer, {"16KB", "64GiB"},
          {"packet memory shared by all ports; with credits every input has its own buffer", ""});
  v.choice("flow_control", flow_control,
           {"pause frames (pfc), or credits per priority as on InfiniBand's virtual lanes", ""});
  v.section("ecn", {"ECN marking", "RFC 3168; DCQCN, SIGCOMM'15, fig. 5"},
            [&] { ecn.describe(v); });
  v.section("pfc", {"priority flow control", "IEEE 802.1Qbb"}, [&] { pfc.describe(v); });
  describe_pools(v, pools);
  describe_priorities(v, priorities);
  v.section("credits", {"flow control by free buffer at the far end", ""},
            [&] { credits.describe(v); });
  v.section("scheduler", {"choice among the priorities of a port", ""},
            [&] { scheduler.describe(v); });
  v.section("discipline", {"how a port queues, serves and drops packets", ""},
            [&] { discipline.describe(v); });
  v.choice("arbitration", arbitration,
           {"order within a queue: by arrival, or input ports in turn", ""});
  v.choice(
      "ties", ties,
      {"order of packets that arrive at the same picosecond: by link number; or drawn anew for "
       "each instant, so that none of several synchronised senders is "
       "favoured",
       ""});
  v.field("jitter", jitter, {"0us", "1ms"},
          {"greatest random delay added to each packet that a switch sends", ""});
}

}  // namespace dcc
