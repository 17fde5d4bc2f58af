// The counters of measure/field_counters.h, read from the devices.
#include "build/platform.h"
#include "measure/measurement.h"

namespace dcc::vp {

namespace {
/// Calls `visit(wire, opposite)` for each wire that begins at a switch.
template <class Visit>
void each_switch_port(const Network& network, Visit visit) {
  const std::vector<Wire>& wires = network.wires();
  for (std::size_t i = 0; i < wires.size(); ++i) {
    if (!network.topology().node(wires[i].from).is_host) visit(wires[i], wires[i ^ 1]);
  }
}
}  // namespace

void Measurement::read_by_name(std::vector<std::uint64_t>& to) const {
  const std::vector<Wire>& wires = network_.wires();
  std::vector<std::size_t> first_wire(hosts_.size());  // number of the wire that leaves each host
  for (std::size_t i = 0; i < wires.size(); ++i) {
    const TopologyNode& from = network_.topology().node(wires[i].from);
    if (from.is_host) first_wire[from.host] = i;
  }
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    const std::size_t out = first_wire[host];
    read_counters(HostPort{hosts_[host]->nic().device(), wires[out].link().counters(),
                           wires[out ^ 1].link().counters()},
                  to);
  }
  each_switch_port(network_, [&](const Wire& out, const Wire& in) {
    const SwitchPort port{network_.switch_of(out.from)->device(), out.from_port,
                          out.link().counters(), in.link().counters()};
    read_counters(port, to);
    for (int priority = 0; priority < kPriorities; ++priority) read_counters(port, priority, to);
  });
}

/// Reads peak values, which are not counts: the peaks of the window replace their differences.
void Measurement::read_peaks() {
  if (!report_by_name_) return;
  std::vector<std::uint64_t> now;
  read_by_name(now);
  std::size_t at = hosts_.size() * host_counters().size();
  each_switch_port(network_, [&](const Wire&, const Wire&) {
    at += port_counters().size();
    for (int priority = 0; priority < kPriorities; ++priority) {
      for (const FieldCounter& one : queue_counters()) {
        if (one.peak) window_.by_name[at] = now[at];
        ++at;
      }
    }
  });
}

void Measurement::collect_by_name(RunResults& results) const {
  if (!report_by_name_) return;
  FieldCounts& counts = results.field_counters.emplace();
  auto value = window_.by_name.begin();
  const auto take = [&](const std::vector<FieldCounter>& table) {
    std::vector<std::uint64_t> values;
    for (const FieldCounter& one : table) values.push_back(*value++ / one.divide);
    return values;
  };
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    counts.hosts.push_back(take(host_counters()));
  }
  each_switch_port(network_, [&](const Wire& out, const Wire&) {
    FieldCounts::Port& port = counts.ports.emplace_back();
    port.device = network_.topology().node(out.from).name;
    port.port = network_.name_of(out);
    port.values = take(port_counters());
    for (int priority = 0; priority < kPriorities; ++priority) {
      port.queues.push_back(take(queue_counters()));
    }
  });
}

}  // namespace dcc::vp
