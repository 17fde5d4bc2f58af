// dccvp reproduce: runs published experiments and compares them with the published figures, by the
// Python tool of that name.
#include "cli/command.h"
#include "cli/script.h"

namespace dcc::vp {

void add_reproduce_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("reproduce", "run published experiments and compare their figures");
  command->add_option("names", "experiments (default: all but the slow ones)")
      ->expected(1, -1)
      ->allow_extra_args()
      ->type_name("NAME");
  command->add_flag("--list", "list the experiments, run nothing");
  command->add_option("--out", "folder of the results (default out/reproduce)")->type_name("DIR");
  command->add_option("--seeds", "runs with seeds 1 to N, mean and spread")
      ->check(CLI::Range(1, 100))
      ->type_name("N");
  command->add_option("--jobs", "runs at a time (default 2)")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  command->add_option("--experiments", "folder of NAME.yaml, NAME.figures.yml")->type_name("DIR");
  command->footer(
      "Examples:\n"
      "  dccvp reproduce --list\n"
      "  dccvp reproduce silicon                 # silicon_goodput, silicon_cnp, ...\n"
      "  dccvp reproduce star_dcqcn --seeds 3");
  hand_to_tool(*command, status);
}

}  // namespace dcc::vp
