// A published experiment: a configuration, runs of it, and the figures they should give.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dcc::vp {

/// One figure of a run: a value of metrics.json against what was published.
///
/// `value` is a dotted path; `*` in a list takes the largest of all its elements; a second path
/// after " / " divides by that. `per` divides once more (units, ceilings).
struct Figure {
  std::string name;
  std::string value;
  double per = 1.0;
  std::optional<double> published;
  std::optional<double> within;        // of the published value, absolute
  std::optional<double> within_share;  // the same, as a share of it
  std::optional<double> at_most;
  std::optional<double> at_least;
  std::string source;  // of the published value; empty: the experiment's
  std::string reason;  // why it lies outside, if it does; empty: it must not
};

struct ExperimentRun {
  std::string name;
  std::vector<std::string> overrides;  // as -c
  std::vector<Figure> figures;
};

struct Experiment {
  std::string name;  // stem of its files
  std::string title;
  std::string source;
  std::filesystem::path config;
  bool slow = false;  // minutes: only when named
  std::vector<ExperimentRun> runs;
};

/// Reads NAME.figures.yml beside NAME.yaml. Throws ConfigError with the place.
Experiment load_experiment(const std::filesystem::path& figures);
/// All of a folder, by name. Throws ConfigError when there is none.
std::vector<std::filesystem::path> find_experiments(const std::filesystem::path& folder);

}  // namespace dcc::vp
