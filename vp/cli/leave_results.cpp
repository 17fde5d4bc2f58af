#include "cli/leave_results.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "cli/command.h"
#include "cli/plots.h"
#include "cli/preflight.h"
#include "cli/progress_line.h"
#include "cli/summary.h"
#include "cli/text_table.h"
#include "diagnose/diagnosis.h"
#include "measure/metrics.h"
#include "report/metrics_json.h"
#include "traffic/traffic_spec.h"

namespace dcc::vp {
namespace {

void list_pictures(const std::filesystem::path& folder) {
  std::string names;
  for (const char* const name : {"classes.png", "flow_rates.png", "queues.png", "slowdown.png"}) {
    if (std::filesystem::exists(folder / name))
      names += (names.empty() ? "" : ", ") + std::string(name);
  }
  if (!names.empty()) std::printf("Pictures: %s\n", names.c_str());
}

/// Names the traces that could not be written, by their final path.
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

}  // namespace

/// An exception means that the platform could not be built, so the input of the run is wrong.
RunResults simulate(const LoadedConfig& loaded, bool show_progress, const RunSetup& setup) {
  check_controllers(loaded);
  ProgressLine progress(show_progress);
  try {
    RunResults results = run_platform(loaded.config, progress, setup);
    results.diagnoses = diagnose(loaded, results);
    return results;
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

int leave_results(const LoadedConfig& loaded, RunResults& results, OutputFolder& folder,
                  const Leaving& how) {
  const Metrics metrics = compute_metrics(loaded.config, results);
  for (std::string& broken : broken_balances(results)) {
    results.failures.push_back(std::move(broken));
  }
  for (std::string& broken : broken_expectations(loaded.config, metrics_json(results, metrics))) {
    results.failures.push_back(std::move(broken));
  }
  write_run_files(folder.stage(), loaded.config, results, metrics, metrics_json(results, metrics));
  const std::string no_pictures = how.plots ? draw_plots(folder.stage()) : "";
  const std::string lost = lost_traces(results, folder);
  folder.commit();

  if (!how.quiet) {
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

}  // namespace dcc::vp
