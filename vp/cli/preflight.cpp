#include "cli/preflight.h"

#include "app/boot_block.h"
#include "platform/translate.h"
#include "riscv/elf_file.h"
#include "traffic/traffic_expander.h"

namespace dcc::vp {
namespace {

void check_traffic(const PlatformConfig& config) {
  const Topology topology = make_topology(config.topology);
  TrafficContext context;
  context.hosts = config.topology.host_count();
  context.seed = config.seed;
  context.link_rate = [&](HostId host) { return topology.link(topology.node_of(host), 0).rate; };
  expand_traffic(traffic_specs(config), context);
}

void check_firmware(const HostConfig& host, const Place& place) {
  if (host.driver != DriverKind::kFirmware) return;
  try {
    const riscv::ElfFile elf = riscv::ElfFile::read(host.elf);
    elf.check_fits({BOOT_RAM_BASE, static_cast<std::uint32_t>(host.ram)});
  } catch (const riscv::ElfError& error) {
    throw ConfigError(place, error.what());
  }
}

Place place_of(const LoadedConfig& loaded, const std::string& path) {
  const auto known = loaded.places.find(path);
  return known == loaded.places.end() ? Place{loaded.file, 1, 1} : known->second;
}

}  // namespace

void check_named_inputs(const LoadedConfig& loaded) {
  check_traffic(loaded.config);
  check_firmware(loaded.config.host, place_of(loaded, "host.elf"));
  for (const auto& [id, host] : loaded.config.hosts) {
    const std::string path = "hosts." + std::to_string(id) + ".elf";
    check_firmware(host, place_of(loaded, path));
  }
}

}  // namespace dcc::vp
