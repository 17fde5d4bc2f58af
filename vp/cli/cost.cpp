// dccvp cost: estimates the silicon cost of a configuration's controller, by the Python tool of
// that name.
#include <memory>

#include "cli/command.h"
#include "cli/script.h"

namespace dcc::vp {
namespace {

struct CostArguments {
  std::string file;
  std::vector<std::string> overrides;
  std::string format = "text";
};

int cost(const CostArguments& arguments) {
  std::vector<std::string> words{arguments.file, "--format", arguments.format};
  for (const std::string& one : arguments.overrides) words.insert(words.end(), {"-c", one});
  return become_tool("cost", words);
}

}  // namespace

void add_cost_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("cost", "memories, gates, rates of a configuration's controller");
  const auto arguments = std::make_shared<CostArguments>();
  command->add_option("config", arguments->file, "the platform")
      ->required()
      ->type_name("CONFIG.yaml");
  command->add_option("-c", arguments->overrides, "set a parameter")
      ->type_name("key.path=value")
      ->allow_extra_args(false);
  command->add_option("--format", arguments->format, "text or json (default text)")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  command->footer(
      "Examples:\n"
      "  dccvp cost configs/incast_8x25g.yaml -c nic.controller.slots=4096\n"
      "Memories are counted; gates and cells were measured by synthesis at some\n"
      "numbers of slots and are interpolated between them.\n"
      "Exit status: 0, or 2 for unusable input.");
  command->callback([arguments, &status] { status = cost(*arguments); });
}

}  // namespace dcc::vp
