#include <map>
#include <string>

#include "config/check/check_context.h"
#include "fabric/topology.h"
#include "nic/transport_registry.h"

namespace dcc::vp {
namespace {

class TransportCheck : private CheckContext {
 public:
  using CheckContext::CheckContext;

  void check_transports() const {
    check_transport("nic", c_.nic.transport, c_.nic.congestion_control);
    for (std::size_t i = 0; i < c_.nics.size(); ++i) {
      const OtherNics& group = c_.nics[i];
      check_transport("nics." + std::to_string(i), group.transport, group.congestion_control);
    }
    if (c_.mixes_transports()) check_mixture();
    if (c_.mixes_mtus()) check_mtus();
    check_reliability();
  }

 private:
  /// Checks the acknowledgement and retransmission settings of RoCE.
  void check_reliability() const {
    const NicConfig& nic = c_.nic;
    check_ack_every(nic.ack_every, "nic");
    for (std::size_t i = 0; i < c_.nics.size(); ++i) {
      check_ack_every(c_.nics[i].ack_every, "nics." + std::to_string(i));
    }
    check_recovery(nic.recovery, "nic.recovery");
    for (std::size_t i = 0; i < c_.nics.size(); ++i) {
      check_recovery(c_.nics[i].recovery, "nics." + std::to_string(i) + ".recovery");
    }
  }

  void check_recovery(const RecoveryParameters& recovery, const std::string& section) const {
    require(!recovery.adaptive || !recovery.least_timeout ||
                *recovery.least_timeout <= recovery.timeout,
            given(section + ".least_timeout", section + ".timeout"),
            "is longer than the timeout of " + QuantityText<PicoSeconds>::format(recovery.timeout) +
                ", which an adaptive timeout never exceeds");
    if (!recovery.is_selective()) return;
    require(recovery.reorder_window > 0, given(section + ".reorder_window", section + ".kind"),
            "selective_repeat keeps early packets: write at least 1, or kind: go_back_n");
    require(c_.nic.ack != AckMode::kNone, given("nic.ack", section + ".kind"),
            "selective_repeat goes by acknowledgements: write ack: per_packet");
  }

  void check_ack_every(unsigned packets, const std::string& section) const {
    require(packets == 1 || c_.nic.ack == AckMode::kPerPacket,
            given(section + ".ack_every", "nic.ack"),
            "one ACK for " + std::to_string(packets) + " packets needs ack: per_packet, not " +
                name_of(c_.nic.ack));
  }

  /// Checks a transport other than RoCE, which models a NIC that the platform itself drives.
  /// `section`: configuration section with the transport and its algorithm.
  void check_transport(const std::string& section, const TransportChoice& choice,
                       const AlgorithmChoice& algorithm) const {
    const NicConfig& nic = c_.nic;
    const TransportParameters* const transport = choice.chosen();
    const std::string kind = section + ".transport.kind";
    const std::string& name = choice.name();
    const std::string& discipline = c_.switch_.discipline.name();
    const DisciplineParameters* const ports = c_.switch_.discipline.chosen();
    require(discipline == "auto" || discipline == "fifo" || c_.mixes_transports() ||
                is_made_for(transport, *ports, discipline),
            given("switch.discipline.kind", kind),
            "transport " + name + " is not made for ports of discipline " + discipline);
    const std::string own = own_discipline(transport);
    const std::string kept_by = discipline == "auto" ? own : discipline;
    const BalancerChoice& routing = c_.switch_.routing;
    require(!routing.detains_packets() || kept_by == "auto" || kept_by == "fifo",
            given("routing.kind", kind),
            routing.name() + " holds packets in the switch's buffer, which ports of discipline " +
                kept_by + " do not charge: discipline: {kind: fifo}, or another routing");
    require(c_.switch_.ecn.draw == EcnParameters::Draw::kRandom || kept_by == "auto" ||
                kept_by == "fifo",
            given("switch.ecn.draw", kind),
            "ports of discipline " + kept_by +
                " draw anew for each mark: draw: random, or discipline: {kind: fifo}");
    if (ports != nullptr) check_together("switch.discipline", [&] { ports->check(); });
    const bool own_queues = kept_by == "fifo" || kept_by == "auto";
    require(transport != nullptr || own_queues || nic.pacer.engine == BlockImplementation::kNone,
            given("nic.pacer.engine", "switch.discipline.kind"),
            "ports of discipline " + kept_by +
                " stop single flows, of which a pacer block is not told");
    if (transport != nullptr) {
      check_together(section + ".transport", [&] { transport->check(); });
      require(!c_.switch_.pauses() || transport->may_be_paused(), given("switch.pfc.enabled", kind),
              "transport " + name +
                  " needs a network without flow control: write pfc: {enabled: false}");
    }
    require(!c_.switch_.pauses() || own_queues, given("switch.pfc.enabled", kind),
            "ports of discipline " + kept_by +
                " send no pauses: write pfc: {enabled: false}, or discipline: {kind: fifo}");
    if (transport == nullptr) return;
    require(!transport->strict_ports() ||
                c_.switch_.scheduler.kind == EgressSchedulerParameters::Kind::kStrict,
            given("switch.scheduler.kind", kind),
            "transport " + name +
                " needs ports that serve the highest priority first: scheduler: "
                "{kind: strict}");
    for (std::size_t i = 0; transport->strict_ports() && i < c_.switches.size(); ++i) {
      using Kind = SchedulerException::Kind;
      const Kind of_ports = c_.switches[i].scheduler.kind;
      require(of_ports == Kind::kAuto || of_ports == Kind::kStrict,
              given("switches." + std::to_string(i) + ".scheduler.kind", kind),
              "transport " + name +
                  " needs ports that serve the highest priority first: scheduler: "
                  "{kind: strict}");
    }
    require(!transport->needs_source_routing() || routing.obeys_source(),
            given("routing.kind", kind),
            "transport " + name + " chooses ways, which only `routing: {kind: source}` follows");
    check_together(section + ".transport", [&] { transport->check_network(c_.topology); });
    require(!transport->needs_symmetric_paths() || routing.is_symmetric() || has_one_way(),
            given("routing.kind", kind),
            "transport " + name +
                " needs answers to come back by the way of the data: `routing: {kind: symmetric}`, "
                "or a network with one way only");
    if (transport->on_roce()) return;
    require(!c_.switch_.has_credits(), given("switch.flow_control", kind),
            "transport " + name + " needs a network without flow control: write flow_control: pfc");
    require(algorithm.chosen() == nullptr, given(section + ".congestion_control.algorithm", kind),
            "transport " + name + " controls its own rates: write algorithm: none");
    require(nic.payload == NicParameters::Payload::kVirtual, given("nic.payload", kind),
            "transport " + name + " carries no real payload: write payload: virtual");
    const bool omits = transport->may_omit_acks();
    require(nic.ack == AckMode::kPerPacket || (omits && nic.ack == AckMode::kNone),
            given("nic.ack", kind),
            "transport " + name + " acknowledges in its own way: write ack: per_packet" +
                (omits ? ", or not at all: none" : ""));
    require(!c_.output.delays, given("output.delays", kind),
            "transport " + name + " does not tell delays by class: delays: false");
    require_platform_drives(given("host.driver", kind),
                            "transport " + name + " is driven by the platform: write driver: none");
    if (c_.mixes_transports()) return;  // check_ends() checks each flow of mixed transports instead
    for (std::size_t i = 0; i < c_.traffic.size(); ++i) {
      const std::string path = "traffic." + std::to_string(i);
      require(!c_.traffic[i].rate && !c_.traffic[i].initial_rate, path,
              "transport " + name + " controls rates itself: remove rate and initial_rate");
      require(c_.traffic[i].operation == Operation::kWrite && c_.traffic[i].service == Service::kRc,
              path, "transport " + name + " carries messages, not RDMA's operations and services");
    }
  }

  /// Checks mixed transports: their hosts share ports with first-in-first-out queues by priority.
  void check_mixture() const {
    const std::string& discipline = c_.switch_.discipline.name();
    require(
        discipline == "auto" || discipline == "fifo", given("switch.discipline.kind", "nics"),
        "hosts with different transports share ports: discipline: {kind: fifo}, not " + discipline);
    require(c_.output.delays == false, given("output.delays", "nics"),
            "hosts with different transports do not tell delays by class: delays: false");
    for (const TransportChoice* const choice : c_.transports()) {
      require(choice->chosen() == nullptr || choice->chosen()->may_share_network(), "nics",
              "transport " + choice->name() +
                  " needs ports or peers of its own, so all hosts of the network must have it");
    }
  }

  /// Checks that hosts with one transport have one MTU if the transport requires that, for example
  /// because its slots have the time of one full packet.
  void check_mtus() const {
    std::map<std::string, std::uint32_t> first;
    const auto check = [&](const TransportChoice& choice, std::uint32_t mtu,
                           const std::string& entry) {
      const char* const reason =
          choice.chosen() == nullptr ? nullptr : choice.chosen()->needs_one_mtu();
      if (reason == nullptr) return;
      const std::uint32_t other = first.emplace(choice.name(), mtu).first->second;
      require(other == mtu, given(entry + ".mtu", "nic.mtu"),
              "hosts with transport " + choice.name() + " need packets of one size, since " +
                  reason + ": mtu: " + text_of(Bytes{other}) + " as the others, not " +
                  text_of(Bytes{mtu}));
    };
    std::size_t named = 0;
    for (const OtherNics& group : c_.nics) named += group.hosts.size();
    if (named < c_.topology.port_count()) check(c_.nic.transport, c_.nic.mtu, "nic");
    for (std::size_t i = 0; i < c_.nics.size(); ++i) {
      check(c_.nics[i].transport, c_.nics[i].mtu, "nics." + std::to_string(i));
    }
  }

  /// True if hosts with this transport (null: RoCE) work with ports of a discipline that the user
  /// chose.
  static bool is_made_for(const TransportParameters* transport, const DisciplineParameters& ports,
                          const std::string& discipline) {
    const std::string replaced = ports.replaces();
    if (transport == nullptr) return replaced == "fifo";
    if (transport->on_roce() && replaced == "fifo") return true;
    return discipline == transport->discipline() ||
           (replaced != "fifo" && replaced == transport->discipline());
  }

  /// Returns the discipline of ports that `switch.discipline: auto` selects.
  std::string own_discipline(const TransportParameters* transport) const {
    if (c_.mixes_transports()) return "fifo";
    return transport != nullptr ? transport->discipline() : "auto";
  }

  /// Calls a function for every pair of hosts.
  bool has_one_way() const { return Topology::of(c_.topology).has_one_way(); }
};

}  // namespace

void check_transport(const LoadedConfig& loaded) { TransportCheck(loaded).check_transports(); }

}  // namespace dcc::vp
