// dccvp study: runs variants, cases and seeds of one platform and judges them by limits, by the
// Python tool of that name.
#include "cli/command.h"
#include "cli/script.h"

namespace dcc::vp {

void add_study_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand(
      "study", "one platform with many weights, rates, policies and seeds, judged by limits");
  command->add_option("study", "variants, cases, seeds and limits")
      ->required()
      ->type_name("STUDY.study.yml");
  command->add_option("--out", "folder of tables and pictures (default out/<name of the study>)")
      ->type_name("DIR");
  command->add_option("--seeds", "A..B (default: the study's)")->type_name("A..B");
  command->add_option("--case", "only this case (may be repeated)")
      ->expected(1, -1)
      ->type_name("TEXT")
      ->allow_extra_args(false);
  command->add_option("--variant", "only this variant (may be repeated)")
      ->expected(1, -1)
      ->type_name("TEXT")
      ->allow_extra_args(false);
  command->add_option("--jobs", "runs at a time (default 1)")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  command->add_flag("--again", "repeat runs that an earlier call has left");
  command->add_flag("--no-plots", "no pictures");
  command->footer(
      "Leaves runs.csv (a line a run), table.csv, table.md and pictures.\n"
      "Keys of a study file: configs/differentiation/README.md.\n"
      "Examples:\n"
      "  dccvp study configs/differentiation/weights.study.yml --jobs 2\n"
      "  dccvp study configs/differentiation/weights.study.yml --case 1,8 --seeds 1\n"
      "Exit status: 0 all limits hold, 1 one missed or a run failed, 2 unusable input.");
  hand_to_tool(*command, status);
}

}  // namespace dcc::vp
