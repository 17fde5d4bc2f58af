// dccvp cost: estimates the silicon cost of a configuration's controller, by the Python tool of
// that name.
#include "cli/command.h"
#include "cli/script.h"

namespace dcc::vp {

void add_cost_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("cost", "memories, gates, rates of a configuration's controller");
  command->add_option("config", "the platform")->required()->type_name("CONFIG.yaml");
  command->add_option("-c", "set a parameter")
      ->expected(1, -1)
      ->type_name("key.path=value")
      ->allow_extra_args(false);
  command->add_option("--format", "text or json (default text)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  command->footer(
      "Examples:\n"
      "  dccvp cost configs/incast_8x25g.yaml -c nic.controller.slots=4096\n"
      "Memories are counted; gates and cells were measured by synthesis at some\n"
      "numbers of slots and are interpolated between them.\n"
      "Exit status: 0, or 2 for unusable input.");
  hand_to_tool(*command, status);
}

}  // namespace dcc::vp
