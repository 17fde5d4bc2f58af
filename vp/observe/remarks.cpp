#include "observe/remarks.h"

namespace dcc::vp {

std::vector<std::string> remarks_on_differentiation(const PlatformConfig& config,
                                                    const RunResults& results) {
  std::vector<std::string> remarks;
  const CongestionControlConfig& cc = config.nic.congestion_control;
  if (cc.algorithm != AlgorithmKind::kDcc) return remarks;
  const AggregateCounters& a = results.aggregate;
  if (a.cnps_dropped_no_slot > 0) {
    remarks.push_back(
        std::to_string(a.cnps_dropped_no_slot) + " notifications found all " +
        std::to_string(config.nic.controller.slots) +
        " slots of a controller taken: their flows were not slowed, and shares do not "
        "follow weights (nic.controller.slots)");
  }
  if (cc.dcqcn.policy != Policy::kProportional) return remarks;
  if (a.pfc_pauses > 0) {
    remarks.push_back("PFC paused " + std::to_string(a.pfc_pauses) +
                      " times within the window: it stops all flows alike, so shares do not follow "
                      "weights (fewer units of weight, a smaller r_ai or mi, or a greater buffer)");
  }
  Bytes received = 0;
  for (const FlowResult& flow : results.flows) received += flow.delivered_measured;
  // Nine marks for ten packets: little is left that could tell a heavy flow from a light one.
  const auto packets = static_cast<std::uint64_t>(received / config.nic.mtu);
  if (packets > 0 && 10 * a.ecn_marks > 9 * packets) {
    remarks.push_back(
        "nearly every packet was marked (" + std::to_string(a.ecn_marks) + " of " +
        std::to_string(packets) +
        "): the sum of weights is too great for the link's rate (a smaller r_ai or mi)");
  }
  return remarks;
}

}  // namespace dcc::vp
