#include "measure/differentiation_warnings.h"

#include "controller/dcc.h"

namespace dcc::vp {

std::vector<std::string> differentiation_warnings(const PlatformConfig& config,
                                                  const RunResults& results) {
  std::vector<std::string> warnings;
  const auto* const dcc = config.nic.congestion_control.chosen<DccParameters>();
  if (dcc == nullptr) return warnings;
  const auto counted = [&](auto counter) { return results.counters.of(counter); };
  if (const auto dropped = counted(&AlgorithmCounters::cnps_dropped_no_slot); dropped > 0) {
    warnings.push_back(
        std::to_string(dropped) + " notifications found all " +
        std::to_string(config.nic.controller.slots) +
        " slots of a controller taken: their flows were not slowed, and shares do not "
        "follow weights (nic.controller.slots)");
  }
  const ControllerConfig& controller = config.nic.controller;
  const auto in_use = static_cast<std::uint32_t>(sum_over_hosts(results.hosts).slots_in_use_max);
  const Cycle interval = dcc->increase_timer / controller.clock_period();
  if (interval < timing::least_interval(in_use)) {
    warnings.push_back(std::to_string(in_use) +
                       " slots of a controller were in use at once, whose timer events take " +
                       std::to_string(timing::least_interval(in_use)) +
                       " cycles an interval; increase_timer is " + std::to_string(interval) +
                       ": increases came late (a faster clock, a longer timer or fewer slots)");
  }
  if (!dcc->shares_by_weight()) return warnings;
  if (const auto pauses = counted(&PfcCounters::pauses_sent); pauses > 0) {
    warnings.push_back(
        "PFC paused " + std::to_string(pauses) +
        " times within the window: it stops all flows alike, so shares do not follow "
        "weights (fewer units of weight, a smaller r_ai, or a greater buffer)");
  }
  Bytes received = 0;
  for (const FlowResult& flow : results.flows) received += flow.delivered_measured;
  // Fewer than 1 % of the packets are unmarked, so marks no longer distinguish a heavy flow from a
  // light one.
  const auto packets = static_cast<std::uint64_t>(received / config.nic.mtu);
  const std::uint64_t marks = counted(&SwitchCounters::ecn_marks);
  if (packets > 0 && 100 * marks > 99 * packets) {
    warnings.push_back(
        "nearly every packet was marked (" + std::to_string(marks) + " of " +
        std::to_string(packets) +
        "): the sum of weights is too great for the link's rate (a smaller r_ai, or g near 1)");
  }
  return warnings;
}

}  // namespace dcc::vp
