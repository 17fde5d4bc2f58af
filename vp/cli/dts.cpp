// dccvp dts: writes the device tree of a host.
#include <fmt/format.h>

#include <cstdio>

#include "cli/command.h"
#include "cli/machine_option.h"
#include "config/yaml_reader.h"
#include "controller/dcc.h"
#include "software/device_tree.h"
#include "software/elf_run.h"

namespace dcc::vp {
namespace {

constexpr unsigned kMostHarts = 4;  // greatest number of harts of a host

struct DtsArguments {
  ConfigArguments config;
  unsigned host = 0;
  MachineKind machine = MachineKind::kDcc;
  unsigned harts = 1;
};

/// The machine of run-elf with this number of harts, without further options.
DeviceTreeHost describe_run_elf(MachineKind machine, unsigned harts) {
  const RunElfOptions defaults;
  DeviceTreeHost tree;
  tree.machine = machine;
  tree.harts = harts;
  tree.model = "dccvp run-elf, machine " + machine_map(machine).name;
  tree.clock_hz = defaults.clock_hz;
  tree.ram_bytes = defaults.ram_bytes;
  return tree;
}

DeviceTreeHost describe(const LoadedConfig& loaded, unsigned id) {
  const PlatformConfig& config = loaded.config;
  if (id >= config.topology.host_count()) {
    throw ConfigError(
        loaded.place_of("topology.hosts"),
        fmt::format("--host {}: the last host is {}", id, config.topology.host_count() - 1));
  }
  const HostConfig& host = config.host_of(id);
  if (host.driver != DriverKind::kFirmware) {
    throw ConfigError(loaded.place_of("host.driver"),
                      fmt::format("host {} has no modelled processor; write driver: firmware and "
                                  "its elf, or choose another host with --host",
                                  id));
  }
  DeviceTreeHost tree;
  tree.machine = host.machine;
  tree.model = fmt::format("dccvp host {}, machine {}", id, machine_map(host.machine).name);
  tree.harts = host.harts;
  tree.hart_id = host.machine == MachineKind::kVirt || host.harts > 1 ? 0 : id;
  tree.clock_hz = host.clock.hertz;
  tree.ram_bytes = static_cast<std::uint64_t>(host.ram);
  tree.rom_base = host.rom.base;
  tree.rom_bytes = static_cast<std::uint64_t>(host.rom.size);
  tree.has_nic = true;
  tree.has_controller = config.congestion_control_of(id).chosen<DccParameters>() != nullptr;
  return tree;
}

}  // namespace

void add_dts_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("dts", "device tree of a host that runs firmware, as source for dtc");
  const auto a = std::make_shared<DtsArguments>();
  a->config.add_to(*command, false);
  CLI::Option* const host = command->add_option("--host", a->host, "number of CONFIG's host")
                                ->type_name("N")
                                ->capture_default_str();
  CLI::Option* const machine = add_machine_option(
      *command, a->machine, "without CONFIG: the machine of run-elf to describe");
  CLI::Option* const harts =
      command->add_option("--harts", a->harts, "without CONFIG: number of harts of that machine")
          ->check(CLI::Range(1U, kMostHarts))
          ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  dccvp dts --machine virt --harts 2\n"
      "  dccvp dts my.yaml -c host.machine=virt | dtc -I dts -O dtb -o host.dtb");
  command->callback([a, host, machine, harts, &status] {
    if (a->config.file.empty() && host->count() != 0) {
      throw CLI::ValidationError("--host", "names a host of CONFIG, and none is given");
    }
    if (!a->config.file.empty() && machine->count() != 0) {
      throw CLI::ValidationError("--machine", "CONFIG says which machine its hosts are");
    }
    if (!a->config.file.empty() && harts->count() != 0) {
      throw CLI::ValidationError("--harts", "CONFIG says how many harts its hosts have");
    }
    const DeviceTreeHost tree =
        a->config.file.empty()
            ? describe_run_elf(a->machine, a->harts)
            : describe(load_config(a->config.file, a->config.overrides), a->host);
    std::printf("%s", device_tree(tree).c_str());
    status = kExitOk;
  });
}

}  // namespace dcc::vp
