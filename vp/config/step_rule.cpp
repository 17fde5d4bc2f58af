#include "config/step_rule.h"

#include <string>

#include "cc/dcc.h"

namespace dcc::vp {

void follow_step_rule(LoadedConfig& loaded) {
  PlatformConfig& config = loaded.config;
  const auto* const dcc = config.nic.congestion_control.chosen<DccParameters>();
  if (dcc == nullptr || dcc->policy != DccParameters::Policy::kProportional) return;
  for (const char* const key : {"r_ai", "g", "reference_rate"})
    if (loaded.places.count(std::string("nic.congestion_control.") + key) != 0) return;
  config.nic.congestion_control.of<DccParameters>("dcc").follow_rate(
      config.topology.slowest_link());
}

}  // namespace dcc::vp
