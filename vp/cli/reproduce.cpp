// dccvp reproduce: runs published experiments and compares them with the published figures, by the
// Python tool of that name.
#include <memory>

#include "cli/command.h"
#include "cli/script.h"

namespace dcc::vp {
namespace {

struct ReproduceArguments {
  std::vector<std::string> names;
  std::string experiments;
  std::string out;
  unsigned seeds = 1;
  unsigned jobs = 2;
  bool list = false;
};

int reproduce(const ReproduceArguments& arguments) {
  std::vector<std::string> words = arguments.names;
  words.push_back("--seeds=" + std::to_string(arguments.seeds));
  words.push_back("--jobs=" + std::to_string(arguments.jobs));
  if (!arguments.out.empty()) words.push_back("--out=" + arguments.out);
  if (!arguments.experiments.empty()) words.push_back("--experiments=" + arguments.experiments);
  if (arguments.list) words.emplace_back("--list");
  return become_tool("reproduce", words);
}

}  // namespace

void add_reproduce_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("reproduce", "run published experiments and compare their figures");
  const auto arguments = std::make_shared<ReproduceArguments>();
  command->add_option("names", arguments->names, "experiments (default: all but the slow ones)")
      ->type_name("NAME");
  command->add_flag("--list", arguments->list, "list the experiments, run nothing");
  command->add_option("--out", arguments->out, "folder of the results (default out/reproduce)")
      ->type_name("DIR");
  command->add_option("--seeds", arguments->seeds, "runs with seeds 1 to N, mean and spread")
      ->check(CLI::Range(1, 100))
      ->type_name("N");
  command->add_option("--jobs", arguments->jobs, "runs at a time (default 2)")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  command
      ->add_option("--experiments", arguments->experiments, "folder of NAME.yaml, NAME.figures.yml")
      ->type_name("DIR");
  command->footer(
      "Examples:\n"
      "  dccvp reproduce --list\n"
      "  dccvp reproduce silicon                 # silicon_goodput, silicon_cnp, ...\n"
      "  dccvp reproduce star_dcqcn --seeds 3");
  command->callback([arguments, &status] { status = reproduce(*arguments); });
}

}  // namespace dcc::vp
