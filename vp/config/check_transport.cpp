#include <string>

#include "config/check_context.h"
#include "fabric/topology.h"
#include "nic/transport_registry.h"

namespace dcc::vp {
namespace {

class TransportCheck : private CheckContext {
 public:
  using CheckContext::CheckContext;

  /// Other transports than RoCE are models of a NIC that the platform itself drives.
  void check_transport() const {
    const NicConfig& nic = c_.nic;
    const TransportParameters* const transport = nic.transport.chosen();
    const std::string kind = "nic.transport.kind";
    const std::string& name = nic.transport.name();
    const std::string& discipline = c_.switch_.discipline.name();
    const DisciplineParameters* const ports = c_.switch_.discipline.chosen();
    require(
        discipline == "auto" || discipline == "fifo" ||
            (transport != nullptr && (discipline == transport->discipline() ||
                                      ports->replaces() == std::string(transport->discipline()))),
        given("switch.discipline.kind", kind),
        "transport " + name + " is not made for ports of discipline " + discipline);
    const std::string kept_by =
        discipline == "auto" && transport != nullptr ? transport->discipline() : discipline;
    const BalancerChoice& routing = c_.switch_.routing;
    require(!routing.detains_packets() || kept_by == "auto" || kept_by == "fifo",
            given("routing.kind", kind),
            routing.name() + " holds packets in the switch's buffer, which ports of discipline " +
                kept_by + " do not charge: discipline: {kind: fifo}, or another routing");
    if (ports != nullptr) check_together("switch.discipline", [&] { ports->check(); });
    if (transport == nullptr) return;
    check_together("nic.transport", [&] { transport->check(); });
    require(
        !c_.switch_.pauses() || transport->may_be_paused(), given("switch.pfc.enabled", kind),
        "transport " + name + " is made for networks without flow control: pfc: {enabled: false}");
    require(!c_.switch_.pauses() || discipline == "fifo" ||
                (discipline == "auto" && std::string("fifo") == transport->discipline()),
            given("switch.pfc.enabled", kind),
            "ports of discipline " + (discipline == "auto" ? transport->discipline() : discipline) +
                " pause nobody: pfc: {enabled: false}, or discipline: {kind: fifo}");
    require(!transport->strict_ports() ||
                c_.switch_.scheduler.kind == EgressSchedulerParameters::Kind::kStrict,
            given("switch.scheduler.kind", kind),
            "transport " + name +
                " needs ports that serve the highest priority first: scheduler: "
                "{kind: strict}");
    require(!transport->needs_source_routing() || routing.obeys_source(),
            given("routing.kind", kind),
            "transport " + name +
                " chooses ways for racks of hosts, which only `routing: {kind: source}` follows");
    check_together("nic.transport", [&] { transport->check_network(c_.topology); });
    require(!transport->needs_symmetric_paths() || routing.is_symmetric() || has_one_way(),
            given("routing.kind", kind),
            "transport " + name +
                " needs answers to come back by the way of the data: `routing: {kind: symmetric}`, "
                "or a network with one way only");
    if (transport->on_roce()) return;
    require(!c_.switch_.has_credits(), given("switch.flow_control", kind),
            "transport " + name + " is made for networks without flow control: flow_control: pfc");
    require(nic.congestion_control.chosen() == nullptr,
            given("nic.congestion_control.algorithm", kind),
            "transport " + name + " governs its flows itself: algorithm: none");
    require(nic.payload == NicParameters::Payload::kVirtual, given("nic.payload", kind),
            "transport " + name + " carries no bytes: payload: virtual");
    const bool omits = transport->may_omit_acks();
    require(nic.ack == AckMode::kPerPacket || (omits && nic.ack == AckMode::kNone),
            given("nic.ack", kind),
            "transport " + name + " acknowledges in its own way: ack: per_packet" +
                (omits ? ", or not at all: none" : ""));
    require(!c_.output.delays, given("output.delays", kind),
            "transport " + name + " does not tell delays by class: delays: false");
    require_platform_drives(given("host.driver", kind),
                            "transport " + name + " is driven by the platform: driver: none");
    for (std::size_t i = 0; i < c_.traffic.size(); ++i) {
      const std::string path = "traffic." + std::to_string(i);
      require(!c_.traffic[i].rate && !c_.traffic[i].initial_rate, path,
              "transport " + name + " has no rates: neither rate nor initial_rate");
      require(c_.traffic[i].operation == Operation::kWrite && c_.traffic[i].service == Service::kRc,
              path, "transport " + name + " carries messages, not RDMA's operations and services");
    }
  }

 private:
  /// From each host to each other.
  bool has_one_way() const {
    const Topology network = Topology::of(c_.topology);
    return network.cables().size() + 1 == network.nodes().size();
  }
};

}  // namespace

void check_transport(const LoadedConfig& loaded) { TransportCheck(loaded).check_transport(); }

}  // namespace dcc::vp
