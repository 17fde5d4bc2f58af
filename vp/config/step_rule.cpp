#include "config/step_rule.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "cc/dcc.h"
#include "net/routing.h"
#include "net/wire_size.h"

namespace dcc::vp {

void follow_step_rule(LoadedConfig& loaded) {
  PlatformConfig& config = loaded.config;
  const auto* const dcc = config.nic.congestion_control.chosen<DccParameters>();
  if (dcc == nullptr || dcc->policy != DccParameters::Policy::kProportional) return;
  auto& to = config.nic.congestion_control.of<DccParameters>("dcc");
  const auto given = [&loaded](std::initializer_list<const char*> keys) {
    return std::any_of(keys.begin(), keys.end(), [&loaded](const char* key) {
      return loaded.places.count(std::string("nic.congestion_control.") + key) != 0;
    });
  };
  if (!given({"r_ai", "g", "reference_rate"})) to.follow_rate(config.topology.slowest_link());
  if (given({"increase_timer", "first_cut", "brisk", "free_window"})) return;
  const Topology topology = Topology::of(config.topology);
  const std::uint32_t full = roce::data_wire_bytes(config.nic.mtu, false, false);
  to.follow_distance(Routing(topology).longest_base_rtt(full, roce::ack_wire_bytes()));
}

}  // namespace dcc::vp
