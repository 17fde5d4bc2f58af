#include "cli/preflight.h"

#include <algorithm>

#include "app/boot_block.h"
#include "driver/memory_map.h"
#include "platform/fault_plan.h"
#include "platform/packet_capture.h"
#include "platform/translate.h"
#include "riscv/elf_file.h"
#include "traffic/traffic_expander.h"

namespace dcc::vp {
namespace {

/// Traffic, and what traces and faults name of its flows and of the topology's ports.
void check_traffic(const LoadedConfig& loaded) {
  const PlatformConfig& config = loaded.config;
  const Topology topology = make_topology(config.topology);
  TrafficContext context;
  context.hosts = config.topology.host_count();
  context.seed = config.seed;
  context.link_rate = [&](HostId host) { return topology.link(topology.node_of(host), 0).rate; };
  try {
    const std::size_t flows = expand_traffic(traffic_specs(config), context).size();
    check_faults(config, topology, flows);
    check_trace(config, topology, flows);
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
    // Behind the image lies the boot block.
    const std::uint32_t room = DCC_IMAGE_BYTES;
    elf.check_fits({BOOT_RAM_BASE, std::min(room, static_cast<std::uint32_t>(host.ram))});
  } catch (const riscv::ElfError& error) {
    throw ConfigError(place, error.what());
  }
}

}  // namespace

void refuse(const LoadedConfig& loaded, const TrafficError& error) {
  const std::string text = error.what();
  const std::string entry = text.substr(0, text.find(':'));
  if (entry.rfind("traffic.", 0) != 0) throw TrafficError(text);  // a file's line names itself
  throw ConfigError(loaded.place_of(entry), text);
}

void check_named_inputs(const LoadedConfig& loaded) {
  check_traffic(loaded);
  check_firmware(loaded.config.host, loaded.place_of("host.elf"));
  for (const auto& [id, host] : loaded.config.hosts) {
    const std::string path = "hosts." + std::to_string(id) + ".elf";
    check_firmware(host, loaded.place_of(path));
  }
}

}  // namespace dcc::vp
