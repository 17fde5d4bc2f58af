// dccvp study: runs variants, cases and seeds of one platform and judges them by limits, by the
// Python tool of that name.
#include <memory>

#include "cli/command.h"
#include "cli/script.h"

namespace dcc::vp {
namespace {

struct StudyArguments {
  std::string file;
  std::string out;
  std::string seeds;
  std::vector<std::string> cases;
  std::vector<std::string> variants;
  unsigned jobs = 1;
  bool again = false;
  bool no_plots = false;
};

int study(const StudyArguments& arguments) {
  std::vector<std::string> words{arguments.file, "--jobs=" + std::to_string(arguments.jobs)};
  if (!arguments.out.empty()) words.push_back("--out=" + arguments.out);
  if (!arguments.seeds.empty()) words.push_back("--seeds=" + arguments.seeds);
  for (const std::string& name : arguments.cases) words.push_back("--case=" + name);
  for (const std::string& name : arguments.variants) words.push_back("--variant=" + name);
  if (arguments.again) words.emplace_back("--again");
  if (arguments.no_plots) words.emplace_back("--no-plots");
  return become_tool("study", words);
}

}  // namespace

void add_study_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand(
      "study", "one platform with many weights, rates, policies and seeds, judged by limits");
  const auto arguments = std::make_shared<StudyArguments>();
  command->add_option("study", arguments->file, "variants, cases, seeds and limits")
      ->required()
      ->type_name("STUDY.study.yml");
  command
      ->add_option("--out", arguments->out,
                   "folder of tables and pictures (default out/<name of the study>)")
      ->type_name("DIR");
  command->add_option("--seeds", arguments->seeds, "A..B (default: the study's)")
      ->type_name("A..B");
  command->add_option("--case", arguments->cases, "only this case (may be repeated)")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  command->add_option("--variant", arguments->variants, "only this variant (may be repeated)")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  command->add_option("--jobs", arguments->jobs, "runs at a time (default 1)")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  command->add_flag("--again", arguments->again, "repeat runs that an earlier call has left");
  command->add_flag("--no-plots", arguments->no_plots, "no pictures");
  command->footer(
      "Leaves runs.csv (a line a run), table.csv, table.md and pictures.\n"
      "Keys of a study file: configs/differentiation/README.md.\n"
      "Examples:\n"
      "  dccvp study configs/differentiation/weights.study.yml --jobs 2\n"
      "  dccvp study configs/differentiation/weights.study.yml --case 1,8 --seeds 1\n"
      "Exit status: 0 all limits hold, 1 one missed or a run failed, 2 unusable input.");
  command->callback([arguments, &status] { status = study(*arguments); });
}

}  // namespace dcc::vp
