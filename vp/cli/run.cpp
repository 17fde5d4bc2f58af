// dccvp run: runs a configuration and leaves a folder of results.
#include "build/run.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "cli/command.h"
#include "cli/leave_results.h"
#include "cli/progress_line.h"
#include "config/yaml_reader.h"
#include "debug/process_snapshots.h"
#include "parallel/processes.h"
#include "report/run_files.h"

namespace dcc::vp {
namespace {

constexpr unsigned kMaxThreads = 64;

struct RunArguments {
  ConfigArguments config;
  std::string out;
  std::string seed;
  std::string trace_cpu;
  std::string digest_every;
  unsigned threads = 0;
  bool force = false;
  bool quiet = false;
  bool no_plots = false;
  bool interactive = false;
  bool no_snapshots = false;
};

std::filesystem::path output_place(const RunArguments& arguments) {
  if (!arguments.out.empty()) return arguments.out;
  const std::filesystem::path file = arguments.config.file == "-" ? "stdin" : arguments.config.file;
  return std::filesystem::path("out") / file.stem();
}

unsigned debuggers(const PlatformConfig& config) {
  unsigned count = 0;
  for (HostId id = 0; id < config.topology.host_count(); ++id) {
    const HostConfig& host = config.host_of(id);
    if (host.driver == DriverKind::kFirmware && host.gdb) ++count;
  }
  return count;
}

/// The reason why snapshots to go back in time are impossible in this run; empty if they are
/// possible.
std::string snapshot_refusal(const RunArguments& arguments, const PlatformConfig& config) {
  if (arguments.no_snapshots) return "--no-snapshots";
  if (config.output.trace.any() || !arguments.trace_cpu.empty()) {
    return "traces are written during the run";
  }
  if (compares_rtl(config.nic.controller))
    return "lock-step's recordings are written during the run";
  const unsigned gdb = debuggers(config);
  if (gdb > 1) return "several debuggers are configured";
  if (gdb == 1 && arguments.interactive)
    return "the debugger can go back, and only one of the two can";
  return "";
}

LoadedConfig load(const RunArguments& arguments) {
  std::vector<std::string> overrides = arguments.config.overrides;
  if (!arguments.seed.empty()) overrides.push_back("seed=" + arguments.seed);
  if (!arguments.digest_every.empty()) {
    overrides.push_back("output.digest.every=" + arguments.digest_every);
  }
  return load_config(arguments.config.file, overrides);
}

/// The first of several processes runs as a single process would, and writes the results.
int run_first(const RunArguments& arguments, ProcessGroup* group) {
  std::optional<LoadedConfig> read;
  std::optional<OutputFolder> made;
  const auto prepare = [&] {
    read = load(arguments);
    made.emplace(output_place(arguments), arguments.force);
  };
  group != nullptr ? group->agree(prepare) : prepare();
  const LoadedConfig& loaded = *read;
  OutputFolder& folder = *made;

  RunSetup setup;
  setup.traces.cpu_file = arguments.trace_cpu;
  setup.threads = arguments.threads;
  setup.group = group;
  if (loaded.config.output.trace.any()) {
    setup.traces.folder = folder.stage() / "trace";
    std::filesystem::create_directories(setup.traces.folder);
  }
  if (compares_rtl(loaded.config.nic.controller)) {
    setup.recordings = {folder.stage(), folder.final_place()};
  }
  setup.interactive = arguments.interactive;
  setup.prompt = arguments.interactive && ::isatty(STDIN_FILENO) == 1;
  std::optional<ProcessSnapshots> snapshots;
  setup.snapshot_refusal = snapshot_refusal(arguments, loaded.config);
  if (setup.snapshot_refusal.empty() && group == nullptr &&
      (arguments.interactive || debuggers(loaded.config) == 1)) {
    // Input that one process has read ahead would be lost for the process that replaces it.
    std::setvbuf(stdin, nullptr, _IONBF, 0);
    snapshots.emplace();
    setup.machine = &*snapshots;
  }
  const bool progress = !arguments.quiet && !setup.interactive && ::isatty(STDERR_FILENO) == 1;
  RunResults results = simulate(loaded, progress, setup);
  if (arguments.threads > 1 && !results.partition_refusal.empty() && !arguments.quiet) {
    std::fprintf(stderr, "dccvp: one thread runs everything: %s\n",
                 results.partition_refusal.c_str());
  }
  return leave_results(loaded, results, folder,
                       {arguments.quiet, loaded.config.output.plots && !arguments.no_plots});
}

/// Every process but the first does its part of the work and prints nothing.
int run_other(const RunArguments& arguments, ProcessGroup& group) {
  try {
    std::optional<LoadedConfig> loaded;
    group.agree([&] { loaded = load(arguments); });
    RunSetup setup;
    setup.group = &group;
    simulate(*loaded, false, setup);
  } catch (const ProcessGroup::OtherFailed&) {
    return kExitBadInput;
  } catch (const std::exception&) {
    if (group.all_failed()) return kExitBadInput;
    throw;
  }
  return kExitOk;
}

int run(const RunArguments& arguments) {
  std::unique_ptr<ProcessGroup> group = join_processes();
  if (group != nullptr && group->rank() != 0) {
    const int status = run_other(arguments, *group);
    group.reset();
    // The launcher ends all processes when one fails, so other processes wait: the first process
    // needs time to print the reason.
    if (status != kExitOk) std::this_thread::sleep_for(std::chrono::seconds(2));
    return status;
  }
  try {
    return run_first(arguments, group.get());
  } catch (const ProcessGroup::OtherFailed&) {
    std::fprintf(stderr, "dccvp: another process of this run could not begin\n");
    return kExitBadInput;
  }
}

/// Adds options that change how a run is executed, but not what is simulated.
void add_ways_to_run(CLI::App* command, const std::shared_ptr<RunArguments>& arguments) {
  command->add_option("--out", arguments->out, "folder of the results (default out/<config>)")
      ->type_name("DIR");
  command->add_flag("--force", arguments->force, "replace an earlier run's folder");
  command
      ->add_option("--threads", arguments->threads,
                   "threads that share the run if it can be divided (default: two if that is "
                   "faster); results do not depend on this number")
      ->type_name("N")
      ->check(CLI::Range(1u, kMaxThreads));
  command->add_flag("--interactive", arguments->interactive,
                    "pause, inspect, step, resume by commands on standard input");
  command->add_flag("--no-snapshots", arguments->no_snapshots,
                    "take no snapshots for a prompt or a debugger, which then cannot go back");
  command->add_flag("--quiet", arguments->quiet, "print nothing but errors");
  command->add_flag("--no-plots", arguments->no_plots, "draw no pictures");
}

}  // namespace

void add_run_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("run", "build the platform, run it, write its results");
  const auto arguments = std::make_shared<RunArguments>();
  arguments->config.add_to(*command, true);
  add_ways_to_run(command, arguments);
  command->add_option("--seed", arguments->seed, "same as -c seed=N")->type_name("N");
  command->add_option("--trace-cpu", arguments->trace_cpu, "one line an instruction of firmware")
      ->type_name("FILE");
  command
      ->add_option("--digest-every", arguments->digest_every,
                   "same as -c output.digest.every=TIME: states of all devices for `bisect`")
      ->type_name("TIME");
  add_retired_run_options(*command);
  command->footer(
      "Examples:\n"
      "  dccvp run configs/demo.yaml\n"
      "  dccvp run configs/demo.yaml -c traffic.0.dscp=10 -c 'measure={from: 2ms}'\n"
      "Exit status: 0 done, 1 the run broke a promise, 2 unusable input.");
  command->callback([arguments, &status] { status = run(*arguments); });
}

}  // namespace dcc::vp
