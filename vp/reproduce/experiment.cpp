#include "reproduce/experiment.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "config/yaml_tree.h"

namespace dcc::vp {

namespace {

namespace fs = std::filesystem;

constexpr const char* kSuffix = ".figures.yml";

const ValueNode& map_of(const ValueNode& node) {
  if (node.kind != ValueNode::Kind::kMap) {
    throw ConfigError(node.place, "expected a map, not " + node.described());
  }
  return node;
}

const std::vector<ValueNode>& list_of(const ValueNode& node) {
  if (node.kind != ValueNode::Kind::kList) {
    throw ConfigError(node.place, "expected a list, not " + node.described());
  }
  return node.items;
}

std::string text_of(const ValueNode& node) {
  if (node.kind != ValueNode::Kind::kScalar) {
    throw ConfigError(node.place, "expected text, not " + node.described());
  }
  return node.scalar;
}

double number_in(const std::string& text, const ValueNode& node) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(number)) {
    throw ConfigError(node.place, "expected a number, not " + node.described());
  }
  return number;
}

double number_of(const ValueNode& node) { return number_in(text_of(node), node); }

double tolerance_in(const std::string& text, const ValueNode& node) {
  const double number = number_in(text, node);
  if (number < 0) throw ConfigError(node.place, "a tolerance below zero");
  return number;
}

bool truth_of(const ValueNode& node) {
  const std::string text = text_of(node);
  if (text != "true" && text != "false") {
    throw ConfigError(node.place, "expected true or false, not " + node.described());
  }
  return text == "true";
}

Figure read_figure(const ValueNode& node) {
  Figure figure;
  for (const ValueNode::Entry& entry : map_of(node).entries) {
    const ValueNode& value = entry.value;
    if (entry.key == "figure") {
      figure.name = text_of(value);
    } else if (entry.key == "value") {
      figure.value = text_of(value);
    } else if (entry.key == "per") {
      figure.per = number_of(value);
      if (figure.per == 0) throw ConfigError(value.place, "per: division by zero");
    } else if (entry.key == "published") {
      figure.published = number_of(value);
    } else if (entry.key == "within") {
      const std::string text = text_of(value);
      if (!text.empty() && text.back() == '%') {
        figure.within_share = tolerance_in(text.substr(0, text.size() - 1), value) / 100;
      } else {
        figure.within = tolerance_in(text, value);
      }
    } else if (entry.key == "at_most") {
      figure.at_most = number_of(value);
    } else if (entry.key == "at_least") {
      figure.at_least = number_of(value);
    } else if (entry.key == "source") {
      figure.source = text_of(value);
    } else if (entry.key == "reason") {
      figure.reason = text_of(value);
    } else {
      throw ConfigError(entry.place, "a figure has no key " + in_quotes(entry.key));
    }
  }
  if (figure.name.empty() || figure.value.empty()) {
    throw ConfigError(node.place, "a figure needs `figure` and `value`");
  }
  if ((figure.within || figure.within_share) && !figure.published) {
    throw ConfigError(node.place, "`within` needs a `published` value");
  }
  return figure;
}

ExperimentRun read_run(const ValueNode& node) {
  ExperimentRun run;
  for (const ValueNode::Entry& entry : map_of(node).entries) {
    if (entry.key == "run") {
      run.name = text_of(entry.value);
    } else if (entry.key == "set") {
      for (const ValueNode& item : list_of(entry.value)) run.overrides.push_back(text_of(item));
    } else if (entry.key == "figures") {
      for (const ValueNode& item : list_of(entry.value)) run.figures.push_back(read_figure(item));
    } else {
      throw ConfigError(entry.place, "a run has no key " + in_quotes(entry.key));
    }
  }
  if (run.figures.empty()) throw ConfigError(node.place, "a run needs `figures`");
  return run;
}

}  // namespace

Experiment load_experiment(const fs::path& figures) {
  Experiment experiment;
  const std::string file = figures.filename().string();
  experiment.name = file.substr(0, file.size() - std::string(kSuffix).size());
  experiment.config = figures.parent_path() / (experiment.name + ".yaml");
  const ValueNode root = load_yaml(figures);
  for (const ValueNode::Entry& entry : map_of(root).entries) {
    if (entry.key == "title") {
      experiment.title = text_of(entry.value);
    } else if (entry.key == "source") {
      experiment.source = text_of(entry.value);
    } else if (entry.key == "config") {
      experiment.config = figures.parent_path() / text_of(entry.value);
    } else if (entry.key == "slow") {
      experiment.slow = truth_of(entry.value);
    } else if (entry.key == "runs") {
      for (const ValueNode& item : list_of(entry.value)) experiment.runs.push_back(read_run(item));
    } else {
      throw ConfigError(entry.place, "an experiment has no key " + in_quotes(entry.key));
    }
  }
  if (experiment.runs.empty()) throw ConfigError(root.place, "an experiment needs `runs`");
  if (!fs::exists(experiment.config)) {
    throw ConfigError(root.place, "there is no configuration " + experiment.config.string());
  }
  return experiment;
}

std::vector<fs::path> find_experiments(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const std::string suffix = kSuffix;
    if (name.size() > suffix.size() &&
        name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  if (found.empty()) {
    throw ConfigError(Place{folder.string(), 0, 0}, "no experiments (NAME.figures.yml) in it");
  }
  return found;
}

}  // namespace dcc::vp
