// dccvp check: validates a configuration without running it.
#include <cstdio>

#include "cli/command.h"
#include "cli/preflight.h"
#include "cli/summary.h"
#include "config/yaml_reader.h"
#include "describe/quantity_text.h"
#include "diagnose/diagnosis.h"

namespace dcc::vp {
namespace {

void print_summary(const LoadedConfig& loaded) {
  const PlatformConfig& c = loaded.config;
  std::printf("%s: ok (%s, %u hosts, %s, %zu traffic entr%s, %s)\n", loaded.file.c_str(),
              name_of(c.topology.kind), c.topology.host_count(),
              c.nic.congestion_control.name().c_str(), c.traffic.size(),
              c.traffic.size() == 1 ? "y" : "ies",
              QuantityText<PicoSeconds>::format(c.duration).c_str());
}

}  // namespace

void add_check_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand("check", "validate a configuration, run nothing");
  const auto arguments = std::make_shared<ConfigArguments>();
  arguments->add_to(*command, true);
  command->footer(
      "Examples:\n"
      "  dccvp check configs/demo.yaml\n"
      "  dccvp check configs/demo.yaml -c nic.mtu=4096B");
  command->callback([arguments, &status] {
    const LoadedConfig loaded = load_config(arguments->file, arguments->overrides);
    check_named_inputs(loaded);
    print_summary(loaded);
    for (const Finding& finding : foresee(loaded)) {
      std::printf("%s", note_text(finding).c_str());
    }
    status = kExitOk;
  });
}

}  // namespace dcc::vp
