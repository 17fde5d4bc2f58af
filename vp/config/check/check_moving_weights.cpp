// Checks collectives whose weight follows their progress (`weight_at_end`).
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "config/check/check_context.h"
#include "controller/dcc.h"

namespace dcc::vp {
namespace {

class MovingWeightsCheck : private CheckContext {
 public:
  using CheckContext::CheckContext;

  void check() const {
    // index of the traffic entry by host and DSCP
    std::map<std::pair<HostId, unsigned>, std::size_t> entry_of;
    for (std::size_t i = 0; i < c_.traffic.size(); ++i) {
      const TrafficSpec& spec = c_.traffic[i];
      if (!spec.moves_weight()) continue;
      const std::string path = "traffic." + std::to_string(i) + ".weight_at_end";
      require(!c_.qos.manager, path, "the weights of classes are set by qos.manager");
      require(c_.nic.ack != AckMode::kNone, path,
              "acknowledgements show how far a round is: write nic.ack: per_message or per_packet");
      for (HostId host = 0; host < c_.topology.host_count(); ++host) {
        const HostList& ranks = spec.hosts;
        if (!ranks.empty() && std::find(ranks.begin(), ranks.end(), host) == ranks.end()) continue;
        const auto* const dcc = c_.congestion_control_of(host).chosen<DccParameters>();
        require(dcc != nullptr && dcc->shares_by_weight(), path,
                "host " + std::to_string(host) +
                    " does not share by weight: write algorithm: dcc and policy: proportional");
        const auto [other, is_first] = entry_of.try_emplace({host, spec.dscp}, i);
        require(is_first, path,
                "traffic." + std::to_string(other->second) + " moves the weight of DSCP " +
                    std::to_string(spec.dscp) + " at host " + std::to_string(host) +
                    " too: give the entries different DSCPs");
      }
    }
  }
};

}  // namespace

void check_moving_weights(const LoadedConfig& loaded) { MovingWeightsCheck(loaded).check(); }

}  // namespace dcc::vp
