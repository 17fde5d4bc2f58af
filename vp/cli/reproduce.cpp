// dccvp reproduce: published experiments, run again and held against their figures.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>

#include "cli/command.h"
#include "cli/plots.h"
#include "cli/text_table.h"
#include "config/yaml_tree.h"
#include "report/run_files.h"
#include "reproduce/child_runs.h"
#include "reproduce/experiment.h"
#include "reproduce/judgement.h"
#include "reproduce/small_flows.h"
#include "source_paths.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

struct ReproduceArguments {
  std::vector<std::string> names;
  std::string folder = DCCVP_REPRODUCE_DIR;
  std::string out = "out/reproduce";
  unsigned seeds = 1;
  unsigned jobs = 2;
  bool list = false;
};

/// The experiments that were named; all but the slow ones if none was.
std::vector<Experiment> chosen(const ReproduceArguments& arguments) {
  std::vector<Experiment> all;
  for (const fs::path& file : find_experiments(arguments.folder)) {
    all.push_back(load_experiment(file));
  }
  std::vector<Experiment> picked;
  if (arguments.names.empty()) {
    std::copy_if(all.begin(), all.end(), std::back_inserter(picked),
                 [&](const Experiment& e) { return arguments.list || !e.slow; });
    return picked;
  }
  for (const std::string& name : arguments.names) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Experiment& e) { return e.name == name; });
    if (found == all.end()) {
      throw ConfigError(Place{arguments.folder, 0, 0},
                        "no experiment " + in_quotes(name) + " (dccvp reproduce --list)");
    }
    picked.push_back(*found);
  }
  return picked;
}

fs::path place_of(const ReproduceArguments& arguments, const Experiment& experiment,
                  std::size_t run, unsigned seed) {
  return fs::path(arguments.out) / experiment.name / fmt::format("run{}-seed{}", run, seed);
}

std::vector<ChildRun> children_of(const ReproduceArguments& arguments,
                                  const std::vector<Experiment>& experiments) {
  std::vector<ChildRun> children;
  for (const Experiment& experiment : experiments) {
    fs::create_directories(fs::path(arguments.out) / experiment.name);
    for (std::size_t i = 0; i < experiment.runs.size(); ++i) {
      for (unsigned seed = 1; seed <= arguments.seeds; ++seed) {
        const fs::path place = place_of(arguments, experiment, i, seed);
        ChildRun child;
        child.arguments = {
            "run",    experiment.config.string(), "--out", place.string(), "--force", "--no-plots",
            "--quiet"};
        for (const std::string& override_ : experiment.runs[i].overrides) {
          child.arguments.insert(child.arguments.end(), {"-c", override_});
        }
        child.arguments.insert(child.arguments.end(), {"--seed", std::to_string(seed)});
        child.log = place.string() + ".log";
        children.push_back(std::move(child));
      }
    }
  }
  return children;
}

std::optional<nlohmann::json> metrics_in(const fs::path& folder) {
  std::ifstream in(folder / "metrics.json");
  nlohmann::json metrics = nlohmann::json::parse(in, nullptr, false);
  if (metrics.is_discarded()) return std::nullopt;
  add_small_flows(metrics, folder);
  return metrics;
}

std::string number(double value) { return fmt::format("{:.4g}", value); }

std::string published_text(const Figure& f) {
  std::string text = f.published ? number(*f.published) : "";
  if (f.within) text += " +- " + number(*f.within);
  if (f.within_share) text += fmt::format(" +- {:g} %", *f.within_share * 100);
  if (f.at_most) text += (text.empty() ? "" : ", ") + ("<= " + number(*f.at_most));
  if (f.at_least) text += (text.empty() ? "" : ", ") + (">= " + number(*f.at_least));
  return text.empty() ? "-" : text;
}

std::string ours_text(const Judgement& j) {
  if (j.values.empty()) return "-";
  if (j.values.size() == 1) return number(j.values[0]);
  return number(j.mean()) + " (" + number(j.least()) + " .. " + number(j.greatest()) + ")";
}

nlohmann::ordered_json record_of(const Experiment& experiment, const ExperimentRun& run,
                                 const Judgement& j) {
  const Figure& f = *j.figure;
  nlohmann::ordered_json record;
  record["experiment"] = experiment.name;
  record["run"] = run.name;
  record["figure"] = f.name;
  record["published"] = f.published ? nlohmann::ordered_json(*f.published) : nullptr;
  record["accepted"] = published_text(f);
  record["ours"] = j.values;
  record["verdict"] = name_of(j.verdict);
  record["source"] = f.source.empty() ? experiment.source : f.source;
  record["reason"] = f.reason;
  return record;
}

/// Prints an experiment's table, appends its records; returns whether all is well.
bool report(const ReproduceArguments& arguments, const Experiment& experiment,
            const std::vector<int>& statuses, nlohmann::ordered_json& records) {
  TextTable table({"run: figure", "published", "ours", "verdict"});
  bool good = true;
  std::vector<std::string> remarks;
  std::size_t child = 0;
  for (std::size_t i = 0; i < experiment.runs.size(); ++i) {
    const ExperimentRun& run = experiment.runs[i];
    std::vector<nlohmann::json> metrics;
    for (unsigned seed = 1; seed <= arguments.seeds; ++seed) {
      const fs::path place = place_of(arguments, experiment, i, seed);
      if (statuses[child++] != kExitOk) {
        good = false;
        remarks.push_back("run failed, see " + place.string() + ".log");
        continue;
      }
      if (auto one = metrics_in(place)) metrics.push_back(std::move(*one));
    }
    for (const Figure& figure : run.figures) {
      std::vector<double> values;
      for (const nlohmann::json& one : metrics) {
        if (const auto value = figure_value(one, figure)) values.push_back(*value);
      }
      const Judgement j = judge(figure, std::move(values), arguments.seeds);
      good = good && j.verdict != Verdict::kOutside && j.verdict != Verdict::kMissing;
      table.add({run.name + ": " + figure.name, published_text(figure), ours_text(j),
                 name_of(j.verdict)});
      if (j.verdict == Verdict::kExplained) {
        remarks.push_back(run.name + ": " + figure.name + ": " + figure.reason);
      }
      records.push_back(record_of(experiment, run, j));
    }
  }
  std::printf("%s (%s)\n  source: %s\n%s", experiment.title.c_str(), experiment.name.c_str(),
              experiment.source.c_str(), table.text().c_str());
  for (const std::string& remark : remarks) {
    bool first = true;
    for (const std::string& line : wrapped(remark, 74)) {
      std::printf("  %s %s\n", first ? "*" : " ", line.c_str());
      first = false;
    }
  }
  std::printf("\n");
  return good;
}

int reproduce(const ReproduceArguments& arguments) {
  const std::vector<Experiment> experiments = chosen(arguments);
  if (arguments.list) {
    for (const Experiment& e : experiments) {
      std::printf("%-24s %s%s\n", e.name.c_str(), e.title.c_str(), e.slow ? " (slow)" : "");
    }
    return kExitOk;
  }
  std::vector<ChildRun> children = children_of(arguments, experiments);
  if (arguments.jobs > 1 && children.size() > 1) {  // the processors are taken
    for (ChildRun& child : children)
      child.arguments.insert(child.arguments.end(), {"--threads", "1"});
  }
  const bool tell = ::isatty(STDERR_FILENO) == 1;
  run_children(children, arguments.jobs, [&](std::size_t done) {
    if (tell) std::fprintf(stderr, "\r%zu of %zu runs", done, children.size());
  });
  if (tell) std::fprintf(stderr, "\r%30s\r", "");

  nlohmann::ordered_json records = nlohmann::ordered_json::array();
  bool good = true;
  auto child = children.begin();
  for (const Experiment& experiment : experiments) {
    std::vector<int> statuses;
    for (std::size_t i = 0; i < experiment.runs.size() * arguments.seeds; ++i) {
      statuses.push_back((child++)->status);
    }
    good = report(arguments, experiment, statuses, records) && good;
  }
  const fs::path table = fs::path(arguments.out) / "reproduction.json";
  std::ofstream(table) << records.dump(1) << '\n';
  const std::string no_picture = draw_with("plot-reproduction", arguments.out);
  if (!no_picture.empty()) std::printf("Note: %s\n", no_picture.c_str());
  std::printf("Table: %s\n", table.c_str());
  return good ? kExitOk : kExitBrokenPromise;
}

}  // namespace

void add_reproduce_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("reproduce", "run published experiments and compare their figures");
  const auto arguments = std::make_shared<ReproduceArguments>();
  command->add_option("names", arguments->names, "experiments (default: all but the slow ones)")
      ->type_name("NAME");
  command->add_flag("--list", arguments->list, "list the experiments, run nothing");
  command->add_option("--out", arguments->out, "folder of the results (default out/reproduce)")
      ->type_name("DIR");
  command->add_option("--seeds", arguments->seeds, "runs with seeds 1 to N, mean and spread")
      ->check(CLI::Range(1, 100))
      ->type_name("N");
  command->add_option("--jobs", arguments->jobs, "runs at a time (default 2)")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  command->add_option("--experiments", arguments->folder, "folder of NAME.yaml, NAME.figures.yml")
      ->type_name("DIR");
  command->footer(
      "Examples:\n"
      "  dccvp reproduce --list\n"
      "  dccvp reproduce star_dcqcn --seeds 3");
  command->callback([arguments, &status] { status = reproduce(*arguments); });
}

}  // namespace dcc::vp
