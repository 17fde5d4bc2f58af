#include <string>

#include "config/follow_network.h"
#include "describe/parameter_error.h"

namespace dcc::vp {

namespace {
using Rule = EcnParameters::Rule;

constexpr const char* kSetByAll[] = {"kmin", "kmax", "pmax", "reference_rate"};

std::string path_of(const char* key) { return std::string("switch.ecn.") + key; }

bool sets_mark_at(Rule rule) { return rule == Rule::kLongFlows || rule == Rule::kShortFlows; }

/// Returns the first key that the marking rule sets although the user has written it; empty if
/// there is none.
std::string given_threshold(const LoadedConfig& loaded, Rule rule) {
  for (const char* const key : kSetByAll) {
    if (loaded.places.count(path_of(key)) != 0) return path_of(key);
  }
  if (!loaded.config.switch_.ecn.by_speed.empty()) return path_of("by_speed");
  const std::string mark_at = path_of("mark_at");
  return sets_mark_at(rule) && loaded.places.count(mark_at) != 0 ? mark_at : "";
}

/// Returns the ECN marking rule of the configuration's first algorithm that has one.
Rule asked_by_algorithm(const PlatformConfig& config) {
  EcnParameters asked;
  for (const AlgorithmChoice* choice : config.congestion_controls()) {
    if (choice->chosen() != nullptr) choice->chosen()->ask_marking(asked);
    if (asked.rule != Rule::kAuto) return asked.rule;
  }
  return Rule::kGiven;
}

/// Keeps a threshold that a change during the run sets, because it overrides the marking rule.
void keep_changed(const LoadedConfig& loaded, const LoadedConfig& beginning,
                  const EcnParameters& read, EcnParameters& ecn) {
  const auto keep = [&](const char* key, auto member) {
    const std::string path = path_of(key);
    if (loaded.places.count(path) != 0 && beginning.places.count(path) == 0) {
      ecn.*member = read.*member;
    }
  };
  keep("kmin", &EcnParameters::kmin);
  keep("kmax", &EcnParameters::kmax);
  keep("pmax", &EcnParameters::pmax);
  keep("mark_at", &EcnParameters::mark_at);
  keep("reference_rate", &EcnParameters::reference_rate);
}

/// Names the threshold that must be written, too, if a changed threshold passes the other
/// threshold, which follows the network.
std::string missing_threshold(const LoadedConfig& loaded) {
  const auto set = [&loaded](const char* key) { return loaded.places.count(path_of(key)) != 0; };
  if (set("kmin") == set("kmax")) return "";
  const char* const other = set("kmin") ? "kmax" : "kmin";
  return std::string("; a change moves only what it sets, so ") + other +
         " stays at the value of the beginning: set " + path_of(other) + " as well";
}

/// Lowers the thresholds that the marking rule derived, in proportion, so that the thresholds of
/// the fastest port stay below the greatest threshold; otherwise a slow link with a long path would
/// derive more.
void fit_fastest_port(EcnParameters& ecn, BitRate fastest) {
  if (!ecn.reference_rate || ecn.kmax <= 0) return;
  const Uint128 greatest = Uint128(static_cast<std::uint64_t>(kMaxThreshold)) *
                           ecn.reference_rate->bits_per_second / fastest.bits_per_second;
  if (Uint128(static_cast<std::uint64_t>(ecn.kmax)) <= greatest) return;
  ecn.kmin = static_cast<Bytes>(Uint128(static_cast<std::uint64_t>(ecn.kmin)) * greatest /
                                static_cast<std::uint64_t>(ecn.kmax));
  ecn.kmax = static_cast<Bytes>(greatest);
}

void check_thresholds(const LoadedConfig& loaded, Rule rule, const LoadedConfig& beginning) {
  try {
    loaded.config.switch_.ecn.check(loaded.config.topology.fastest_link());
  } catch (const ParameterError& error) {
    // Blames the changed threshold if there is one; else the marking rule itself does not fit.
    const std::string changed = given_threshold(loaded, rule);
    const std::string blamed = changed.empty() ? "switch.ecn.rule" : changed;
    const std::string also = &loaded != &beginning ? missing_threshold(loaded) : "";
    throw ConfigError(loaded.place_of(blamed), blamed + ": " + error.what() + also);
  }
}
}  // namespace

void follow_marking_rule(LoadedConfig& loaded, LongestPath& path, const LoadedConfig& beginning) {
  EcnParameters& ecn = loaded.config.switch_.ecn;
  const bool rule_written = beginning.places.count("switch.ecn.rule") != 0;
  if (ecn.rule == Rule::kAuto) {
    ecn.rule = asked_by_algorithm(loaded.config);
    if (!given_threshold(beginning, ecn.rule).empty()) ecn.rule = Rule::kGiven;
  }
  const Rule rule = ecn.rule;
  const std::string given = given_threshold(beginning, rule);
  if (rule != Rule::kGiven && rule_written && !given.empty()) {
    throw ConfigError(loaded.place_of(given), given + ": switch.ecn.rule: " + name_of(rule) +
                                                  " sets it; write rule: given");
  }
  const EcnParameters read = ecn;
  if (rule == Rule::kGiven) {
    if (&loaded == &beginning) return;
    // A change during the run moves its own values, and the values derived from them at the
    // beginning.
    const auto written = [](const LoadedConfig& config, const char* key) {
      return config.places.count(path_of(key)) != 0;
    };
    const auto stays = [&](const char* key, const char* other) {
      const bool derived = written(beginning, other) && !written(beginning, key);
      return !written(loaded, key) && !derived;
    };
    const EcnParameters& before = beginning.config.switch_.ecn;
    if (stays("kmin", "kmax")) ecn.kmin = before.kmin;
    if (stays("kmax", "kmin")) ecn.kmax = before.kmax;
    check_thresholds(loaded, rule, beginning);
    return;
  }
  ecn.follow_rule(measured_network(loaded.config, path));
  fit_fastest_port(ecn, loaded.config.topology.fastest_link());
  keep_changed(loaded, beginning, read, ecn);
  const auto note = [&](const char* key) {
    if (loaded.places.count(path_of(key)) == 0) {
      loaded.config.followed[path_of(key)] = std::string("switch.ecn.rule ") + name_of(rule);
    }
  };
  for (const char* const key : kSetByAll) note(key);
  if (sets_mark_at(rule)) note("mark_at");
  check_thresholds(loaded, rule, beginning);
}

}  // namespace dcc::vp
