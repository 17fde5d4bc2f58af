#include "cli/preflight.h"

#include <set>
#include <stdexcept>
#include <vector>

#include "app/boot_block.h"
#include "build/port_exceptions.h"
#include "build/translate.h"
#include "config/controller_hosts.h"
#include "controller/dcc.h"
#include "debug/packet_capture.h"
#include "describe/quantity_text.h"
#include "disturb/dcbx_links.h"
#include "disturb/fault_plan.h"
#include "driver/dcc_driver.h"
#include "fabric/routing.h"
#include "riscv/elf_file.h"
#include "software/boot_image.h"
#include "traffic/dependencies.h"
#include "traffic/flow_plan.h"
#include "traffic/traffic_expander.h"
#include "traffic/waiting_for_acks.h"

namespace dcc::vp {
namespace {

/// Returns the configuration key that causes the driver's complaint about a controller's settings.
std::string blamed(dcc_error error, const std::string& algorithm) {
  if (error == static_cast<int>(DCC_ERROR_OUTSIDE_RANGE) + DCC_PARAMETER_TICK_DIV) {
    return "nic.controller.clock";
  }
  if (error == DCC_ERROR_RATES) return algorithm + ".r_min";
  if (error == DCC_ERROR_WEIGHT || error == DCC_ERROR_CLASS_RATES) return "dscp";
  return algorithm;
}

/// Throws SettingError if the driver refuses to program a controller of this network with the
/// configured settings. `doing`: the step in which the driver gets the settings.
void check_controller(const PlatformConfig& config, const Topology& topology, const char* doing) {
  const HostPorts& ports = topology.host_ports();
  // index of the algorithm: 0 for `nic`, i + 1 for entry i of `nics`
  std::vector<std::size_t> entry_of(static_cast<std::size_t>(topology.user_hosts()));
  for (std::size_t i = 0; i < config.nics.size(); ++i) {
    for (const HostId host : config.nics[i].hosts) entry_of[host] = i + 1;
  }
  const std::vector<const AlgorithmChoice*> algorithms = config.congestion_controls();
  std::set<std::pair<std::size_t, std::uint64_t>> seen;
  for (HostId host = 0; host < static_cast<HostId>(topology.hosts()); ++host) {
    const std::size_t entry = entry_of[ports.host_of(host)];
    if (algorithms[entry]->chosen<DccParameters>() == nullptr) continue;
    const BitRate rate = topology.link(topology.node_of(host), 0).rate;
    if (!seen.insert({entry, rate.bits_per_second}).second) continue;
    const dcc_config program = controller_program(config, ports.host_of(host), rate);
    const dcc_error error = dcc_check(&program);
    if (error == DCC_OK) continue;
    const std::string path =
        blamed(error, (entry == 0 ? "nic" : "nics." + std::to_string(entry - 1)) +
                          std::string(".congestion_control"));
    throw SettingError(path, std::string(doing) + ": " + dcc_error_text(error) + " (links of " +
                                 text_of(rate) + ")");
  }
}

/// Checks the traffic, and the flows and ports that traces and faults name.
void check_network(const LoadedConfig& loaded) {
  const PlatformConfig& config = loaded.config;
  const Topology topology = Topology::of(config.topology);
  const TrafficContext context = traffic_context(config, topology);
  try {
    std::size_t flows = 0;
    EntryCounts entries;
    const bool unlike = config.has_unlike_ends();
    if (const auto rounds = repeated_rounds(config, context, topology)) {
      check_faults(config, topology, rounds->flows());
      check_dcbx(config, topology);
      check_ports(config, topology);
      return;
    }
    FlowStream stream(config.traffic, context);
    std::vector<FlowSpec> held;
    const bool hold = holds_flows(config) || stream.waits();
    StartsAtOnce at_once;
    for (FlowSpec flow; stream.next(flow);) {
      ++flows;
      entries.add(flow.entry);
      if (!hold) at_once.add(flow);
      if (unlike) check_ends(config, flow);
      if (!stream.waits()) continue;
      held.push_back(flow);
      check_held(flows, entries);
    }
    if (hold) check_held(flows, entries);
    if (hold || config.output.flows == FlowOutput::kAll) check_memory(flows, hold, entries);
    if (stream.waits()) {
      check_waiting_traces(config, context);
      check_waiting_for_acks(config, resolve_dependencies(config.traffic, context, held));
    }
    check_faults(config, topology, flows);
    check_trace(config, topology, flows);
    check_dcbx(config, topology);
    check_ports(config, topology);
  } catch (const SettingError& error) {
    throw ConfigError(loaded.place_of(error.path()), error.what());
  } catch (const TrafficError& error) {
    refuse(loaded, error);
  }
}

void check_firmware(const HostConfig& host, const Place& place) {
  if (host.driver != DriverKind::kFirmware) return;
  try {
    const riscv::ElfFile elf = riscv::ElfFile::read(host.elf);
    elf.check_fits({BOOT_RAM_BASE, static_cast<std::uint32_t>(host.ram)},
                   {host.rom.base, static_cast<std::uint32_t>(host.rom.size)});
    // The traffic, which determines the size of the boot block, is not known yet.
    if (host.keeps_accounts) {
      elf.check_leaves_free({BOOT_BLOCK_ADDRESS, sizeof(boot_block)}, kBootBlockName);
    }
  } catch (const riscv::ElfError& error) {
    throw ConfigError(place, error.what());
  }
}

/// Checks that the memory of each host with software holds the rings and buffers of its flows.
void check_host_memory(const LoadedConfig& loaded) {
  const PlatformConfig& config = loaded.config;
  std::vector<HostId> with_software;
  for (HostId host = 0; host < static_cast<HostId>(config.topology.host_count()); ++host) {
    if (config.host_of(host).driver != DriverKind::kNone) with_software.push_back(host);
  }
  if (with_software.empty()) return;
  const Topology topology = Topology::of(config.topology);
  const Routing routing(topology);
  const FlowPlan plan = plan_flows(config, topology, routing);
  const BufferPlan buffers(config, plan);
  for (const HostId host : with_software) {
    try {
      buffers.check_fits(host, static_cast<std::uint64_t>(config.host_of(host).ram));
    } catch (const std::runtime_error& error) {
      const std::string own = "hosts." + std::to_string(host) + ".ram";
      throw ConfigError(loaded.place_of(loaded.places.count(own) != 0 ? own : "host.ram"),
                        error.what());
    }
  }
}

}  // namespace

void refuse(const LoadedConfig& loaded, const TrafficError& error) {
  const std::string text = error.what();
  const std::string entry = text.substr(0, text.find(": "));
  // rethrows an error whose message names the line of a file, not the entry of `traffic`
  if (entry.rfind("traffic.", 0) != 0) throw TrafficError(text);
  throw ConfigError(loaded.place_of(entry), text);
}

void check_controllers(const LoadedConfig& loaded) {
  if (controllers(loaded.config).empty()) return;
  const Topology topology = Topology::of(loaded.config.topology);
  try {
    check_controller(loaded.config, topology, "controller bring-up");
  } catch (const SettingError& error) {
    throw ConfigError(loaded.place_of(error.path()), error.what());
  }
  for (const ChangeConfig& change : loaded.config.changes) {
    try {
      check_controller(*change.config, topology, "controller change");
    } catch (const SettingError& error) {
      throw ConfigError(change.set.place, std::string(error.what()) +
                                              "; a change moves only what it sets, so all else "
                                              "stays at the values of the beginning");
    }
  }
}

void check_named_inputs(const LoadedConfig& loaded) {
  check_controllers(loaded);
  check_network(loaded);
  check_firmware(loaded.config.host, loaded.place_of("host.elf"));
  for (const auto& [id, host] : loaded.config.hosts) {
    const std::string path = "hosts." + std::to_string(id) + ".elf";
    check_firmware(host, loaded.place_of(path));
  }
  check_host_memory(loaded);
}

}  // namespace dcc::vp
