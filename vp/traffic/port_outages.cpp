#include "traffic/port_outages.h"

#include <algorithm>
#include <string>

#include "build/wire_selection.h"

namespace dcc::vp {

PortOutages::PortOutages(const PlatformConfig& config, const Topology& topology) {
  const HostPorts& ports = topology.host_ports();
  if (!ports.several()) return;
  for (std::size_t f = 0; f < config.faults.size(); ++f) {
    const FaultParameters& fault = config.faults[f];
    const bool flaps = fault.kind == FaultKind::kLinkFlap;
    if (!flaps && fault.kind != FaultKind::kLinkFailure) continue;
    // Switches lead packets to a repaired port when routes have converged.
    const auto later = [&fault](PicoSeconds time) {
      return fault.convergence < PicoSeconds::max() - time ? time + fault.convergence
                                                           : PicoSeconds::max();
    };
    const Outage outage{fault.start, later(fault.stop.value_or(PicoSeconds::max())),
                        later(fault.down), flaps ? fault.down + fault.up : PicoSeconds(0)};
    for (const std::size_t wire :
         select_wires(topology, {fault.link}, "faults." + std::to_string(f) + ".link")) {
      for (const CableEnd& end : topology.cables()[wire / 2].end) {
        const TopologyNode& node = topology.node(end.node);
        if (!node.is_host || ports.ports_of(ports.host_of(node.host)) == 1) continue;
        of_port_.resize(static_cast<std::size_t>(topology.hosts()));
        of_port_[node.host].push_back(outage);
      }
    }
  }
}

bool PortOutages::Outage::meets(PicoSeconds from, PicoSeconds to) const {
  if (to < start || !(from < stop)) return false;
  if (period.count == 0 || from < start) return true;
  const PicoSeconds since((from - start).count % period.count);
  if (since < down) return true;
  const PicoSeconds next = from + (period - since);
  return !(to < next) && next < stop;
}

PicoSeconds PortOutages::Outage::begin_above(PicoSeconds after) const {
  if (after < start) return start;
  if (period.count == 0) return PicoSeconds::max();
  const PicoSeconds next = start + period * ((after - start).count / period.count + 1);
  return next < stop ? next : PicoSeconds::max();
}

PicoSeconds PortOutages::Outage::end_above(PicoSeconds after) const {
  // A flap that recurs before routes have converged lasts to its end.
  if (period.count == 0 || !(down < period)) return after < stop ? stop : PicoSeconds::max();
  PicoSeconds next = start + down;
  if (!(after < next)) next += period * ((after - next).count / period.count + 1);
  if (next < stop) return next;
  return after < stop ? stop : PicoSeconds::max();
}

PicoSeconds PortOutages::next_change(PicoSeconds after, PicoSeconds delay) const {
  PicoSeconds first = PicoSeconds::max();
  for (const std::vector<Outage>& list : of_port_) {
    for (const Outage& one : list) {
      const PicoSeconds begin = one.begin_above(after - delay);
      if (begin < PicoSeconds::max() - delay) first = std::min(first, begin + delay);
      first = std::min(first, one.end_above(after));
    }
  }
  return first;
}

bool PortOutages::meets(HostId port, PicoSeconds from, PicoSeconds to) const {
  if (of_port_.empty()) return false;
  const std::vector<Outage>& list = of_port_[port];
  return std::any_of(list.begin(), list.end(),
                     [from, to](const Outage& one) { return one.meets(from, to); });
}

}  // namespace dcc::vp
