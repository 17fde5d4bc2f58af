// The commands of dccvp. To add one, write a file in this folder with an add_… function, declare
// the function here and list it in kCommands (cli/program.cpp).
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace dcc::vp {

/// Exit status of the program dccvp.
enum ExitStatus : int {
  kExitOk = 0,
  // the run found a mismatch, a lost event, or an expectation that is not met
  kExitBrokenPromise = 1,
  kExitBadInput = 2,  // the configuration, the command line or the output folder cannot be used
};

/// Adds a subcommand to `app`. If the user chooses it, its callback runs the command and leaves an
/// ExitStatus in `status`. The callback may throw ConfigError, TrafficError and OutputError: the
/// program prints them as one line and exits with kExitBadInput.
using AddCommand = void (*)(CLI::App& app, int& status);

void add_run_command(CLI::App& app, int& status);
void add_branch_command(CLI::App& app, int& status);
void add_bisect_command(CLI::App& app, int& status);
void add_dts_command(CLI::App& app, int& status);
void add_check_command(CLI::App& app, int& status);
void add_params_command(CLI::App& app, int& status);
void add_regs_command(CLI::App& app, int& status);
void add_reproduce_command(CLI::App& app, int& status);
void add_sweep_command(CLI::App& app, int& status);
void add_run_elf_command(CLI::App& app, int& status);
void add_cosim_command(CLI::App& app, int& status);
void add_topology_command(CLI::App& app, int& status);
void add_report_command(CLI::App& app, int& status);
void add_study_command(CLI::App& app, int& status);
void add_completion_command(CLI::App& app, int& status);
void add_metrics_command(CLI::App& app, int& status);
void add_man_command(CLI::App& app, int& status);
void add_import_command(CLI::App& app, int& status);
void add_export_command(CLI::App& app, int& status);
void add_cost_command(CLI::App& app, int& status);

// Adds a retired command, and retired options of `run`, which only name their replacement. Their
// CLI11 group is empty, so help, completion and manual page leave them out.
void add_resume_command(CLI::App& app, int& status);
void add_retired_run_options(CLI::App& command);

/// The arguments that most commands share: a configuration and its overrides.
struct ConfigArguments {
  std::string file;
  std::vector<std::string> overrides;
  void add_to(CLI::App& command, bool required);
};

/// The option `--format text|json`; a command may have more formats.
struct FormatArgument {
  std::string format = "text";
  void add_to(CLI::App& command, const std::vector<std::string>& formats = {"text", "json"});
  bool json() const { return format == "json"; }
};

}  // namespace dcc::vp
