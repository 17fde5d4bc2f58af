#include "config/marking_rule.h"

#include <algorithm>
#include <string>

#include "controller/dcc.h"
#include "describe/parameter_error.h"

namespace dcc::vp {

namespace {
constexpr const char* kSetByRule[] = {"kmin", "kmax", "pmax", "mark_at", "reference_rate"};

/// The first of the keys that the user has set; empty if none.
std::string given_threshold(const LoadedConfig& loaded) {
  for (const char* const key : kSetByRule) {
    const std::string path = std::string("switch.ecn.") + key;
    if (loaded.places.count(path) != 0) return path;
  }
  return "";
}
}  // namespace

void follow_marking_rule(LoadedConfig& loaded, LongestPath& path) {
  PlatformConfig& config = loaded.config;
  EcnParameters& ecn = config.switch_.ecn;
  const auto* const dcc = config.nic.congestion_control.chosen<DccParameters>();
  const std::string given = given_threshold(loaded);
  if (ecn.rule != EcnParameters::Rule::kGiven && !given.empty()) {
    throw ConfigError(loaded.place_of(given), given + ": switch.ecn.rule: " + name_of(ecn.rule) +
                                                  " sets it; write rule: given");
  }
  if (dcc != nullptr && dcc->shares_by_weight() && given.empty() &&
      loaded.places.count("switch.ecn.rule") == 0) {
    ecn.rule = EcnParameters::Rule::kLongFlows;
  }
  if (ecn.rule == EcnParameters::Rule::kGiven) return;
  ecn.follow_rule(config.topology.slowest_link(), path.base_rtt(), path.full_packet());
  try {
    ecn.check(config.topology.fastest_link());
  } catch (const ParameterError& error) {
    throw ConfigError(loaded.place_of("switch.ecn.rule"),
                      std::string("switch.ecn.rule: ") + error.what());
  }
}

}  // namespace dcc::vp
