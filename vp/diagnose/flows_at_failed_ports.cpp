// Diagnosis `flows_at_failed_ports`: flows waited at a failed port although their host had a
// working port.
#include <fmt/format.h>

#include <string>

#include "describe/quantity_text.h"
#include "diagnose/diagnosis.h"
#include "traffic/port_outages.h"

namespace dcc::vp {
namespace {

class FlowsAtFailedPorts final : public Diagnosis {
  bool needs_flows() const override { return true; }

  Found after(const Evidence& evidence, const RunResults& results) const override {
    const PortOutages outages(evidence.config(), evidence.topology());
    if (outages.empty()) return std::nullopt;
    const HostPorts& ports = evidence.topology().host_ports();
    const FlowResult* first = nullptr;
    HostId of_first = 0;
    std::size_t flows = 0;
    for (const FlowResult& flow : results.flows) {
      if (!flow.begun) continue;
      const PicoSeconds end = flow.end_rx.value_or(results.sim_time);
      for (const auto& [host, number] :
           {std::pair(flow.from, flow.from_port), std::pair(flow.to, flow.to_port)}) {
        const HostId port = ports.first_port(host) + number;
        if (!outages.meets(port, flow.start, end)) continue;
        ++flows;
        if (first == nullptr) of_first = port;
        if (first == nullptr) first = &flow;
        break;
      }
    }
    if (first == nullptr) return std::nullopt;
    return Observation{
        fmt::format(
            "{} of {} flows waited at ports whose link had failed, flow {} at {} for one: {}",
            flows, results.flows.size(), first->id,
            evidence.topology().node(evidence.topology().node_of(of_first)).name,
            why(evidence.config().nic.port_failover)),
        {{"flows", flows}, {"flow", first->id}}};
  }

  static std::string why(const PortFailoverParameters& failover) {
    if (!failover.detection) {
      return "a flow keeps its ports, and only flows that begin during the failure take others";
    }
    return "flows leave a port " + text_of(*failover.detection) +
           " after its failure (nic.port_failover.detection)";
  }
};

const RegisteredDiagnosis<FlowsAtFailedPorts> kFlowsAtFailedPorts{
    "flows_at_failed_ports",
    "Flows waited for the repair of a port's link although their host had another port",
    "Set `nic.port_failover.detection`, or send the data in flows of limited `bytes`, so that "
    "later "
    "ones take the other port"};

}  // namespace
}  // namespace dcc::vp
