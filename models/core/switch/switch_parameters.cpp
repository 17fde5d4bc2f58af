// Descriptions of the parameters of a switch.
#include "switch/switch_parameters.h"

#include <algorithm>

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

Bytes SwitchParameters::headroom_needed(const LinkParameters& link) const {
  // the headroom has room for twice the link delay, but only once for the response time
  LinkParameters slower = link;
  slower.delay += PicoSeconds(pfc.response.count / 2);
  const Bytes bytes = headroom_for(slower, largest_packet);
  if (cell == 1) return bytes;
  // The worst case is the packets that fill most memory for their time on the wire: the smallest
  // packets, or packets one byte longer than a cell. Both have a preamble and a gap.
  constexpr Bytes kLeastPacket = 64;
  const Bytes least = (kLeastPacket + cell - 1) / cell * cell * (cell + 1 + link.overhead);
  const Bytes two_cells = 2 * cell * (kLeastPacket + link.overhead);
  const Bytes wire = (kLeastPacket + link.overhead) * (cell + 1 + link.overhead);
  return bytes * std::max(least, two_cells) / wire + cell;
}

void SwitchParameters::describe(ParameterVisitor& v) {
  v.field("buffer", buffer, {"16KB", "64GiB"},
          {"packet memory shared by all ports; with credits every input has its own buffer"});
  v.choice("flow_control", flow_control,
           {"pause frames (pfc), or credits per priority as on InfiniBand's virtual lanes"});
  v.field("cell", cell, {"1B", "4KB"},
          {"the buffer is filled in whole cells of this size; queues and marking count bytes"});
  v.section("ecn", {"ECN marking", "RFC 3168; DCQCN, SIGCOMM'15, fig. 5"},
            [&] { ecn.describe(v); });
  v.section("pfc", {"priority flow control", "IEEE 802.1Qbb"}, [&] { pfc.describe(v); });
  describe_pools(v, pools);
  describe_egress_pools(v, egress_pools);
  describe_priorities(v, priorities);
  v.section("credits", {"flow control by free buffer at the far end"},
            [&] { credits.describe(v); });
  v.section("scheduler", {"choice among the priorities of a port"}, [&] { scheduler.describe(v); });
  v.section("discipline", {"how a port queues, serves and drops packets"},
            [&] { discipline.describe(v); });
  v.choice("arbitration", arbitration,
           {"order within a queue: by arrival, or input ports in turn"});
  v.choice(
      "ties", ties,
      {"order of packets that arrive at the same picosecond: by link number; or drawn anew for "
       "each instant, so that none of several synchronised senders is "
       "favoured"});
  v.field("jitter", jitter, {"0us", "1ms"},
          {"greatest random delay added to each packet that a switch sends"});
}

}  // namespace dcc
