#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "app/qos_manager.h"
#include "config/check/check_context.h"
#include "controller/dcc.h"
#include "describe/quantity_text.h"
#include "fabric/topology.h"

namespace dcc::vp {
namespace {

/// Checks the configuration of drivers, firmware and the QoS manager's closed loop.
class HostsCheck : private CheckContext {
 public:
  using CheckContext::CheckContext;

  void check_classes() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < c_.tenants.size(); ++i) {
      const std::string path = "tenants." + std::to_string(i);
      const std::string& name = c_.tenants[i].name;
      require(!name.empty(), path, "a tenant without a name");
      require(std::count(names.begin(), names.end(), name) == 0, path + ".name",
              "the name " + in_quotes(name) + " is taken");
      names.push_back(name);
    }
    for (const auto& [dscp, entry] : c_.dscp) {
      const std::string path = "dscp." + std::to_string(dscp);
      require(entry.tenant.empty() ||
                  std::find(names.begin(), names.end(), entry.tenant) != names.end(),
              path + ".tenant", "no tenant " + in_quotes(entry.tenant) + hint(entry.tenant, names));
      require(!entry.min_rate || !entry.max_rate || !(*entry.max_rate < *entry.min_rate),
              path + ".min_rate", "min_rate is above max_rate");
    }
  }

  /// Checks the QoS manager's closed loop: a DSCP identifies each tenant, the loop's messages have
  /// real payload, and software carries them.
  void check_qos() const {
    if (!c_.qos.manager) return;
    const auto* const dcc = c_.nic.congestion_control.chosen<DccParameters>();
    require(c_.nics.empty(), "nics",
            "does not go with qos.manager: its meters are the algorithm's");
    require_host(*c_.qos.manager, "qos.manager");
    require(c_.topology.host_count() <= unsigned{QOS_METERS_MAX}, "qos.manager",
            "a manager serves at most " + std::to_string(QOS_METERS_MAX) +
                " hosts, the topology has " + std::to_string(c_.topology.host_count()));
    const bool proportional = dcc != nullptr && dcc->shares_by_weight();
    require(proportional || c_.nic.congestion_control.name() == "ibcc", "qos.manager",
            "the closed loop needs algorithm: dcc with policy: proportional, or ibcc");
    require(c_.nic.payload == NicParameters::Payload::kReal, given("nic.payload", "qos.manager"),
            "the closed loop's messages are data: it needs payload: real");
    require(c_.nic.ack != AckMode::kNone, given("nic.ack", "qos.manager"),
            "the closed loop needs ACKs");
    require(c_.host.driver != DriverKind::kNone || c_.hosts.size() == c_.topology.host_count(),
            given("host.driver", "qos.manager"), "the closed loop needs a driver on every host");
    for (const auto& [id, host] : c_.hosts) {
      require(host.driver != DriverKind::kNone, "hosts." + std::to_string(id) + ".driver",
              "the closed loop needs a driver on every host");
    }
    const PicoSeconds report = c_.qos.report_interval;
    const PicoSeconds update = c_.qos.update_interval;
    require(report <= update && update.count % report.count == 0,
            given("qos.update_interval", "qos.report_interval"),
            text_of(update) + " is not a multiple of report_interval " + text_of(report));
    require(!c_.tenants.empty(), "qos.manager", "there are no `tenants` to hold at their weights");
    require(c_.tenants.size() <= std::size_t{QOS_TENANTS_MAX}, "tenants",
            "the manager knows at most " + std::to_string(QOS_TENANTS_MAX) + " tenants, not " +
                std::to_string(c_.tenants.size()));
    for (std::size_t i = 0; i < c_.tenants.size(); ++i) {
      std::string dscps;
      unsigned count = 0;
      for (const auto& [dscp, entry] : c_.dscp) {
        if (entry.tenant != c_.tenants[i].name) continue;
        dscps += (count++ == 0 ? "" : ", ") + std::to_string(dscp);
      }
      require(count == 1, "tenants." + std::to_string(i),
              "to the closed loop a tenant is one DSCP; " + in_quotes(c_.tenants[i].name) +
                  (count == 0 ? " has none" : " has " + dscps));
    }
  }

  /// Checks that hosts with several ports run no software: the platform itself drives each port as
  /// a NIC.
  void check_ports() const {
    const TopologyParameters& topology = c_.topology;
    require(topology.kind != TopologyKind::kCustom || topology.ports == 1, "nic.ports",
            "the links of a host in a custom topology are its ports: remove nic.ports");
    const HostPorts ports = topology.host_ports();
    if (!ports.several()) return;
    std::string place = "nic.ports";
    std::string who = "hosts";
    if (topology.kind == TopologyKind::kCustom) {
      HostId host = 0;
      std::size_t node = 0;
      for (;; ++node) {
        if (topology.nodes[node].kind != NodeKind::kHost) continue;
        if (ports.ports_of(host) > 1) break;
        ++host;
      }
      place = "topology.nodes." + std::to_string(node);
      who = "host " + in_quotes(topology.nodes[node].name);
    }
    require_platform_drives(given("host.driver", place),
                            who +
                                " with several ports: software drives one port alone, so the "
                                "platform must drive all hosts; write host: {driver: none}");
    if (!c_.nic.port_failover.detection) return;
    const std::string moved = "flows cannot leave a failed port ";
    for (const TransportChoice* const transport : c_.transports()) {
      require(transport->chosen() == nullptr || transport->chosen()->on_roce(),
              "nic.port_failover.detection",
              moved + "with transport " + transport->name() + ", only with roce: detection: off");
    }
    require(!c_.fast_forward.enabled && !c_.fast_forward.memo, "nic.port_failover.detection",
            moved + "while time is skipped: detection: off, or no fast_forward");
  }

  /// Checks that the host whose NIC shall wait for a debugger exists.
  void check_debugged(const AlgorithmChoice& algorithm, const std::string& path) const {
    const AlgorithmParameters* const chosen = algorithm.chosen();
    if (chosen == nullptr) return;
    if (const auto host = chosen->debugged_host()) {
      const std::string place = given(path + ".gdb_host", path + ".gdb");
      require_host(*host, place);
      require(&c_.congestion_control_of(*host) == &algorithm, place,
              "host " + std::to_string(*host) + " runs another algorithm");
    }
  }

  void check_hosts() const {
    const unsigned count = c_.topology.host_count();
    check_debugged(c_.nic.congestion_control, "nic.congestion_control");
    for (std::size_t i = 0; i < c_.nics.size(); ++i) {
      check_debugged(c_.nics[i].congestion_control,
                     "nics." + std::to_string(i) + ".congestion_control");
    }
    check_host(c_.host, "host");
    std::set<unsigned> ports;
    for (const auto& [id, host] : c_.hosts) {
      const std::string path = "hosts." + std::to_string(id);
      require(id < count, path, no_host(id));
      check_host(host, path);
      require(!host.gdb || ports.insert(*host.gdb).second, path + ".gdb",
              "two hosts with the same debugger port");
    }
    require(!c_.host.gdb || count - c_.hosts.size() <= 1, "host.gdb",
            "one port for " + std::to_string(count) + " hosts; give it to one under `hosts`");
  }

  /// Checks the management plane: every address of a host has one path, and the platform starts the
  /// flows that ask for a rate.
  void check_subnet() const {
    for (std::size_t i = 0; i < c_.traffic.size(); ++i) {
      const TrafficSpec& t = c_.traffic[i];
      if (!t.guarantee) continue;
      const std::string path = "traffic." + std::to_string(i) + ".guarantee";
      require(c_.subnet.manager.has_value(), path,
              "the subnet manager grants rates: write subnet: {manager: HOST}");
      require(!expects_response(t.operation), path,
              "the data of a read or atomic comes from the host that answers: write or send");
      require(!t.waits(), path, "when a flow that waits begins is not known before");
      require_platform_drives(path, "the platform asks for flows: driver: none");
    }
    if (!c_.subnet.manager) return;
    require_host(*c_.subnet.manager, "subnet.manager");
    require(!c_.fast_forward.memo, given("fast_forward.memo", "subnet.manager"),
            "the subnet manager's answers are not remembered");
    const BalancerParameters* const routing = c_.switch_.routing.chosen();
    const unsigned addresses = routing == nullptr ? 0 : routing->addresses();
    const Topology topology = Topology::of(c_.topology);
    require(addresses != 0 || topology.has_one_way(), given("routing.kind", "subnet.manager"),
            "the network has several paths, and a forwarding table has one for an address: write "
            "routing: {kind: lmc, move_period: TIME}");
    // Unicast LIDs are those below 0xC000, in groups of `addresses` for a host.
    const std::uint64_t lids =
        std::uint64_t{topology.nodes().size()} * std::max(1u, addresses) + addresses;
    require(lids < 0xC000, "subnet.manager",
            "the network needs more than the 49151 unicast addresses of a subnet");
    for (const TopologyNode& node : topology.nodes()) {
      require(node.ports < 255, "subnet.manager", "a switch of a subnet has at most 254 ports");
    }
  }

  /// Checks that only hosts with software have real payload, because real payload lies in memory.
  void check_payload() const {
    if (c_.nic.payload != NicParameters::Payload::kReal) return;
    const std::string wanting = "no memory for payload: real without a driver (payload: virtual)";
    require(c_.host.driver != DriverKind::kNone || c_.hosts.size() == c_.topology.host_count(),
            given("host.driver", "nic.payload"), wanting);
    for (const auto& [id, host] : c_.hosts) {
      require(host.driver != DriverKind::kNone, "hosts." + std::to_string(id) + ".driver", wanting);
    }
  }

 private:
  static std::string overlap(const HostConfig& host, const MachineDevice& device,
                             std::uint64_t size) {
    std::ostringstream text;
    text << std::hex << "ROM at 0x" << host.rom.base << "-0x"
         << host.rom.base + static_cast<std::uint64_t>(host.rom.size) - 1 << " lies on "
         << device.name << " at 0x" << device.base << "-0x" << device.base + size - 1
         << "; write a base where nothing lies, such as 0x20000000";
    return text.str();
  }

  void check_host(const HostConfig& host, const std::string& path) const {
    require(host.driver != DriverKind::kFirmware || !host.elf.empty(), path + ".driver",
            "driver: firmware needs an elf");
    constexpr std::uint64_t kPage = 4096;
    const auto rom = static_cast<std::uint64_t>(host.rom.size);
    if (rom == 0) return;
    require(host.rom.base % kPage == 0 && host.rom.base + rom <= std::uint64_t{1} << 32,
            path + ".rom.base",
            std::to_string(host.rom.base) +
                " is not a multiple of 4096, or ROM leaves the address "
                "space of 32 bits");
    require(rom % kPage == 0, path + ".rom.size",
            text_of(host.rom.size) + " is not a multiple of 4 KiB");
    for (const MachineDevice& device : machine_map(host.machine).devices) {
      const std::uint64_t size =
          device.size != 0 ? device.size : static_cast<std::uint64_t>(host.ram);
      require(host.rom.base >= device.base + size || host.rom.base + rom <= device.base,
              path + ".rom.base", overlap(host, device, size));
    }
  }
};

}  // namespace

void check_hosts(const LoadedConfig& loaded) {
  const HostsCheck check(loaded);
  check.check_classes();
  check.check_ports();
  check.check_qos();
  check.check_subnet();
  check.check_hosts();
  check.check_payload();
}

}  // namespace dcc::vp
