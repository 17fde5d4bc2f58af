// dccvp sweep: runs one platform at many points of its parameters, by the Python tool of that name,
// which runs this program once for each point.
#include "cli/command.h"
#include "cli/script.h"

namespace dcc::vp {

void add_sweep_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("sweep", "run a platform at many points of its parameters");
  command->add_option("sweep", "what varies, and what is measured")
      ->required()
      ->type_name("SWEEP.yaml");
  command->add_option("-j", "points at a time (default 2)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command->add_option("--out", "folder of the results (default out/<sweep>)")->type_name("DIR");
  command->add_option("-c", "set a parameter in every point")
      ->expected(1, -1)
      ->type_name("key.path=value")
      ->allow_extra_args(false);
  command->add_option("--snakemake", "run nothing; write a Snakemake workflow here")
      ->type_name("DIR");
  command->add_flag("--retry", "run failed points again");
  command->add_flag("--no-plots", "draw no pictures");
  command->footer(
      "Examples:\n"
      "  dccvp sweep configs/sweeps/thresholds.yaml -j 8\n"
      "  dccvp sweep configs/sweeps/thresholds.yaml --snakemake flow &&\n"
      "    (cd flow && snakemake -j 2)\n"
      "The same command again runs the missing points, however the sweep ended.\n"
      "Exit status: 0 every point is ok, 1 some are not, or a metric is in none\n"
      "(listed), 2 unusable input.");
  hand_to_tool(*command, status);
}

}  // namespace dcc::vp
