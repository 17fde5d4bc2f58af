// dccvp run: a configuration in, a folder of results out.
#include "platform/run.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "cli/command.h"
#include "cli/plots.h"
#include "cli/preflight.h"
#include "cli/progress_line.h"
#include "cli/summary.h"
#include "cli/text_table.h"
#include "config/yaml_reader.h"
#include "observe/metrics.h"
#include "report/metrics_json.h"
#include "report/run_files.h"
#include "traffic/traffic_spec.h"

namespace dcc::vp {
namespace {

constexpr unsigned kMostThreads = 64;

struct RunArguments {
  ConfigArguments config;
  std::string out;
  std::string seed;
  std::string trace_cpu;
  unsigned threads = 0;
  bool force = false;
  bool quiet = false;
  bool no_plots = false;
  bool interactive = false;
};

std::filesystem::path output_place(const RunArguments& arguments) {
  if (!arguments.out.empty()) return arguments.out;
  return std::filesystem::path("out") / std::filesystem::path(arguments.config.file).stem();
}

void list_pictures(const std::filesystem::path& folder) {
  std::string names;
  for (const char* const name : {"classes.png", "flow_rates.png", "queues.png", "slowdown.png"}) {
    if (std::filesystem::exists(folder / name))
      names += (names.empty() ? "" : ", ") + std::string(name);
  }
  if (!names.empty()) std::printf("Pictures: %s\n", names.c_str());
}

/// The traces that the disk refused, by the place where they were to be found.
std::string lost_traces(const RunResults& results, OutputFolder& folder) {
  std::string text;
  for (const std::string& trace : results.lost_traces) text += (text.empty() ? "" : "; ") + trace;
  const std::string stage = folder.stage().string();
  const std::string place = folder.final_place().string();
  for (std::size_t at = 0; (at = text.find(stage, at)) != std::string::npos; at += place.size()) {
    text.replace(at, stage.size(), place);
  }
  return text.empty() ? "" : text + " (the other results are whole)";
}

/// What reaches us as an exception happened while the platform was built: its input is at fault.
RunResults simulate(const LoadedConfig& loaded, bool show_progress, const RunSetup& setup) {
  ProgressLine progress(show_progress);
  try {
    return run_platform(loaded.config, progress, setup);
  } catch (const ConfigError&) {
    throw;
  } catch (const SettingError& error) {
    throw ConfigError(loaded.place_of(error.path()), error.what());
  } catch (const TrafficError& error) {
    refuse(loaded, error);
  } catch (const std::runtime_error& error) {
    throw ConfigError(Place{loaded.file}, error.what());
  }
}

int run(const RunArguments& arguments) {
  std::vector<std::string> overrides = arguments.config.overrides;
  if (!arguments.seed.empty()) overrides.push_back("seed=" + arguments.seed);
  const LoadedConfig loaded = load_config(arguments.config.file, overrides);
  OutputFolder folder(output_place(arguments), arguments.force);

  RunSetup setup;
  setup.traces.cpu_file = arguments.trace_cpu;
  setup.threads = arguments.threads;
  if (loaded.config.output.trace.any()) {
    setup.traces.folder = folder.stage() / "trace";
    std::filesystem::create_directories(setup.traces.folder);
  }
  setup.interactive = arguments.interactive;
  setup.prompt = arguments.interactive && ::isatty(STDIN_FILENO) == 1;
  const bool progress = !arguments.quiet && !setup.interactive && ::isatty(STDERR_FILENO) == 1;
  RunResults results = simulate(loaded, progress, setup);
  if (arguments.threads > 1 && !results.undivided.empty() && !arguments.quiet) {
    std::fprintf(stderr, "dccvp: one thread runs this: %s\n", results.undivided.c_str());
  }
  const Metrics metrics = compute_metrics(loaded.config, results);
  for (std::string& broken : broken_balances(results)) {
    results.failures.push_back(std::move(broken));
  }
  for (std::string& broken : broken_expectations(loaded.config, metrics_json(results, metrics))) {
    results.failures.push_back(std::move(broken));
  }
  write_run_files(folder.stage(), loaded.config, results, metrics, metrics_json(results, metrics));
  const bool plots = loaded.config.output.plots && !arguments.no_plots;
  const std::string no_pictures = plots ? draw_plots(folder.stage()) : "";
  const std::string lost = lost_traces(results, folder);
  folder.commit();

  if (!arguments.quiet) {
    std::fputs(summary_text(results, metrics, wants_colour(STDOUT_FILENO)).c_str(), stdout);
    if (!no_pictures.empty()) std::printf("Note: %s\n", no_pictures.c_str());
    list_pictures(folder.final_place());
    for (const std::string& trace : results.traces) std::printf("Trace: %s\n", trace.c_str());
    std::printf("Results: %s\n", folder.final_place().c_str());
  } else {
    for (const std::string& failure : results.failures) {
      std::fprintf(stderr, "dccvp: FAILED: %s\n", failure.c_str());
    }
  }
  if (!lost.empty()) throw OutputError(lost);
  return results.completed && results.failures.empty() ? kExitOk : kExitBrokenPromise;
}

}  // namespace

void add_run_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("run", "build the platform, run it, write its results");
  const auto arguments = std::make_shared<RunArguments>();
  arguments->config.add_to(*command, true);
  command->add_option("--out", arguments->out, "folder of the results (default out/<config>)")
      ->type_name("DIR");
  command->add_flag("--force", arguments->force, "replace an earlier run's folder");
  command->add_option("--seed", arguments->seed, "same as -c seed=N")->type_name("N");
  command->add_option("--trace-cpu", arguments->trace_cpu, "one line an instruction of firmware")
      ->type_name("FILE");
  command
      ->add_option(
          "--threads", arguments->threads,
          "processors that share the run, where it can be divided (default: two where that "
          "pays); the results are the same")
      ->type_name("N")
      ->check(CLI::Range(1u, kMostThreads));
  command->add_flag("--interactive", arguments->interactive,
                    "pause, look, step, resume by commands on standard input");
  command->add_flag("--quiet", arguments->quiet, "print nothing but errors");
  command->add_flag("--no-plots", arguments->no_plots, "draw no pictures");
  command->footer(
      "Examples:\n"
      "  dccvp run configs/demo.yaml\n"
      "  dccvp run configs/demo.yaml -c traffic.0.dscp=10 -c 'measure={from: 2ms}'\n"
      "Exit status: 0 done, 1 the run broke a promise, 2 unusable input.");
  command->callback([arguments, &status] { status = run(*arguments); });
}

}  // namespace dcc::vp
