// The commands of dccvp. A new one: a file in this folder with an add_… function, declared here and
// listed in kCommands (cli/program.cpp).
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace dcc::vp {

/// What a process tells its caller.
enum ExitStatus : int {
  kExitOk = 0,
  kExitBrokenPromise = 1,  // a mismatch, a lost event, an expectation not met
  kExitBadInput = 2,       // configuration, command line or output folder cannot be used
};

/// Adds its subcommand to `app`; when it is chosen, its callback runs it and leaves an ExitStatus
/// in `status`. ConfigError, TrafficError and OutputError may leave the callback: the program
/// prints them as one line and exits kExitBadInput.
using AddCommand = void (*)(CLI::App& app, int& status);

void add_run_command(CLI::App& app, int& status);
void add_branch_command(CLI::App& app, int& status);
void add_bisect_command(CLI::App& app, int& status);
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
void add_cost_command(CLI::App& app, int& status);

// Gone: the command, and these options of `run`, only say what to use instead. Hidden: the group
// of each is empty, and help, completion and manual page leave it out.
void add_resume_command(CLI::App& app, int& status);
void add_retired_run_options(CLI::App& command);

/// A configuration and its overrides, as most commands take them.
struct ConfigArguments {
  std::string file;
  std::vector<std::string> overrides;
  void add_to(CLI::App& command, bool required);
};

/// `--format text|json`; a command may have more.
struct FormatArgument {
  std::string format = "text";
  void add_to(CLI::App& command, const std::vector<std::string>& formats = {"text", "json"});
  bool json() const { return format == "json"; }
};

}  // namespace dcc::vp
