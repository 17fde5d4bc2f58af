// Retired commands and options: each one names what to use instead.
#include "cli/command.h"
#include "report/run_files.h"

namespace dcc::vp {
namespace {

[[noreturn]] void refuse_checkpoints() {
  throw OutputError(
      "checkpoints on disk are gone: 'dccvp branch' runs one configuration up to a moment and "
      "continues from there with several changes; 'dccvp bisect' finds the first event at which "
      "two runs differ");
}

}  // namespace

void add_retired_run_options(CLI::App& command) {
  for (const char* const name : {"--checkpoint", "--checkpoint-at"}) {
    command
        .add_option_function<std::string>(name, [](const std::string&) { refuse_checkpoints(); })
        ->group("");
  }
}

void add_resume_command(CLI::App& app, int& /*status*/) {
  CLI::App* const command = app.add_subcommand("resume", "gone: see branch and bisect");
  command->group("");
  command->allow_extras();
  command->callback([] { refuse_checkpoints(); });
}

}  // namespace dcc::vp
