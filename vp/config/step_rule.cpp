#include "config/step_rule.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "controller/dcc.h"

namespace dcc::vp {

void follow_step_rule(LoadedConfig& loaded, LongestPath& path, const LoadedConfig& beginning) {
  PlatformConfig& config = loaded.config;
  const auto* const dcc = config.nic.congestion_control.chosen<DccParameters>();
  if (dcc == nullptr || dcc->rules().law() == nullptr) return;
  auto& to = config.nic.congestion_control.of<DccParameters>("dcc");
  const auto in = [](const LoadedConfig& config_of, const char* key) {
    return config_of.places.count(std::string("nic.congestion_control.") + key) != 0;
  };
  const auto none_given = [&](std::initializer_list<const char*> keys) {
    return std::none_of(keys.begin(), keys.end(),
                        [&](const char* key) { return in(beginning, key); });
  };
  const DccParameters read = to;
  const Law& law = *dcc->rules().law();
  if (none_given({"r_ai", "g", "reference_rate"}))
    law.follow_rate(to, config.topology.slowest_link());
  if (none_given({"increase_timer", "first_cut", "brisk", "free_window"}))
    law.follow_distance(to, path.base_rtt());
  // A value that a change sets overrides the rule.
  const auto keep = [&](const char* key, auto member) {
    if (in(loaded, key)) to.*member = read.*member;
  };
  keep("r_ai", &DccParameters::r_ai);
  keep("g", &DccParameters::g);
  keep("increase_timer", &DccParameters::increase_timer);
  keep("first_cut", &DccParameters::first_cut);
  keep("brisk", &DccParameters::brisk);
}

}  // namespace dcc::vp
