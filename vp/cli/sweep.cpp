// dccvp sweep: runs one platform at many points of its parameters, by the Python tool of that name,
// which runs this program once for each point.
#include <memory>

#include "cli/command.h"
#include "cli/script.h"

namespace dcc::vp {
namespace {

struct SweepArguments {
  std::string file;
  std::vector<std::string> overrides;
  std::string out;
  std::string snakemake;
  unsigned jobs = 2;
  bool retry = false;
  bool no_plots = false;
};

int sweep(const SweepArguments& arguments) {
  std::vector<std::string> words{arguments.file, "-j", std::to_string(arguments.jobs)};
  for (const std::string& one : arguments.overrides) words.insert(words.end(), {"-c", one});
  if (!arguments.out.empty()) words.insert(words.end(), {"--out", arguments.out});
  if (!arguments.snakemake.empty()) words.insert(words.end(), {"--snakemake", arguments.snakemake});
  if (arguments.retry) words.emplace_back("--retry");
  if (arguments.no_plots) words.emplace_back("--no-plots");
  return become_tool("sweep", words);
}

}  // namespace

void add_sweep_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("sweep", "run a platform at many points of its parameters");
  const auto arguments = std::make_shared<SweepArguments>();
  command->add_option("sweep", arguments->file, "what varies, and what is measured")
      ->required()
      ->type_name("SWEEP.yaml");
  command->add_option("-j", arguments->jobs, "points at a time (default 2)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command->add_option("--out", arguments->out, "folder of the results (default out/<sweep>)")
      ->type_name("DIR");
  command->add_option("-c", arguments->overrides, "set a parameter in every point")
      ->type_name("key.path=value")
      ->allow_extra_args(false);
  command
      ->add_option("--snakemake", arguments->snakemake,
                   "run nothing; write a Snakemake workflow here")
      ->type_name("DIR");
  command->add_flag("--retry", arguments->retry, "run failed points again");
  command->add_flag("--no-plots", arguments->no_plots, "draw no pictures");
  command->footer(
      "Examples:\n"
      "  dccvp sweep configs/sweeps/thresholds.yaml -j 8\n"
      "  dccvp sweep configs/sweeps/thresholds.yaml --snakemake flow &&\n"
      "    (cd flow && snakemake -j 2)\n"
      "The same command again runs the missing points, however the sweep ended.\n"
      "Exit status: 0 every point is ok, 1 some are not, or a metric is in none\n"
      "(listed), 2 unusable input.");
  command->callback([arguments, &status] { status = sweep(*arguments); });
}

}  // namespace dcc::vp
