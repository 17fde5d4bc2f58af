// Checks which parameters may change during a run.
#include <algorithm>

#include "config/check/checks.h"
#include "config/parameter_list.h"
#include "controller/dcc.h"

namespace dcc::vp {
namespace {

bool is_under(const std::string& path, const std::string& section) {
  return path.compare(0, section.size(), section) == 0 &&
         (path.size() == section.size() || path[section.size()] == '.');
}

/// Collects the paths of the parameters that a setting sets; for a map, the paths inside the map.
void collect(const std::string& path, const ValueNode& value,
             std::vector<std::pair<std::string, Place>>& into) {
  if (value.kind != ValueNode::Kind::kMap) into.emplace_back(path, value.place);
  for (const ValueNode::Entry& entry : value.entries) {
    collect(path + "." + entry.key, entry.value, into);
  }
}

[[noreturn]] void refuse(const std::string& path, const Place& place) {
  throw ConfigError(place, in_quotes(path) +
                               " cannot change during a run (dccvp params marks those that "
                               "can)");
}

/// Checks that the algorithm leaves the value of this parameter of switches to the user.
void check_not_asked(const std::string& path, const Place& place, const LoadedConfig& after) {
  const AlgorithmParameters* const algorithm = after.config.nic.congestion_control.chosen();
  if (algorithm == nullptr) return;
  LoadedConfig asked = after;
  algorithm->ask_switch(asked.config.switch_);
  const std::vector<ParameterRow> with = list_parameters(asked);
  const std::vector<ParameterRow> without = list_parameters(after);
  for (std::size_t i = 0; i < without.size(); ++i) {
    if (!is_under(without[i].path, path) || with.at(i).value == without[i].value) continue;
    throw ConfigError(place, in_quotes(path) + " has no effect: algorithm " +
                                 after.config.nic.congestion_control.name() + " sets it to " +
                                 with[i].value);
  }
}

/// Checks that the platform has a device on which the change has an effect. Only controllers, which
/// have registers, take new values of an algorithm and of a class while flows run.
void check_effect(const std::string& path, const Place& place, const PlatformConfig& config) {
  const bool of_class = is_under(path, "dscp");
  if (!of_class && !is_under(path, "nic")) return;
  const auto* const dcc = config.nic.congestion_control.chosen<DccParameters>();
  const std::string changes =
      in_quotes(path) + " changes the controller's " + (of_class ? "tables" : "registers") + ": ";
  if (dcc == nullptr) throw ConfigError(place, changes + "algorithm: dcc");
  if (dcc->rules().law() == nullptr) {
    throw ConfigError(place, changes + "policy " + dcc->policy + " has no controller");
  }
  for (const std::string& key : dcc->rules().law()->unused_keys()) {
    if (path != "nic.congestion_control." + key) continue;
    throw ConfigError(
        place, in_quotes(path) + " has no effect: policy " + dcc->policy + " does not use it");
  }
  const bool weight = path.size() > 7 && path.compare(path.size() - 7, 7, ".weight") == 0;
  if (weight && config.qos.manager) {
    throw ConfigError(place, in_quotes(path) + " is set by qos.manager during the run");
  }
  for (std::size_t i = 0; weight && i < config.traffic.size(); ++i) {
    const TrafficSpec& entry = config.traffic[i];
    if (!entry.moves_weight() || path != "dscp." + std::to_string(entry.dscp) + ".weight") continue;
    throw ConfigError(place, in_quotes(path) + " is set by traffic." + std::to_string(i) +
                                 ".weight_at_end during the run");
  }
}

}  // namespace

void check_change(const LoadedConfig& before, const LoadedConfig& after,
                  const ChangeConfig& change) {
  if (!after.config.nics.empty()) {
    throw ConfigError(change.set.place,
                      "parameters cannot change if hosts run different algorithms (nics)");
  }
  const std::vector<ParameterRow> old = list_parameters(before);
  const std::vector<ParameterRow> now = list_parameters(after);
  std::vector<std::pair<std::string, Place>> meant;
  for (const ValueNode::Entry& entry : change.set.entries) {
    collect(entry.key, entry.value, meant);
  }
  for (const auto& [path, place] : meant) {
    const auto row = std::find_if(now.begin(), now.end(), [&path = path](const ParameterRow& r) {
      return is_under(path, r.path);
    });
    if (row == now.end() || !row->runtime) refuse(path, place);
    check_effect(path, place, after.config);
    if (is_under(path, "switch")) check_not_asked(path, place, after);
  }
  // A setting may change other parameters, as a preset does. A traffic class that was not listed
  // before is new.
  for (const ParameterRow& row : now) {
    if (row.runtime || is_under(row.path, "changes")) continue;
    const auto was = std::find_if(old.begin(), old.end(),
                                  [&row](const ParameterRow& r) { return r.path == row.path; });
    const std::string value = was != old.end() ? was->value : row.fallback;
    if (value != row.value) refuse(row.path, change.set.place);
  }
}

}  // namespace dcc::vp
