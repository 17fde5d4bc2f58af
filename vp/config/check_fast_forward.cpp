// Refuses what cannot be combined with skipping time: observers of single events, and everything
// that is due by simulated time.
#include <string>

#include "config/check_context.h"
#include "describe/quantity_text.h"

namespace dcc::vp {
namespace {

class FastForwardCheck : private CheckContext {
 public:
  using CheckContext::CheckContext;

  void check() const {
    require_platform_drives(with("host.driver"),
                            "software would notice skipped time: write driver: none");
    refuse(c_.nic.controller.engine != Implementation::kModel, "nic.controller.engine",
           "RTL cannot skip cycles");
    refuse(c_.nic.controller.timer != Implementation::kModel, "nic.controller.timer",
           "RTL cannot skip cycles");
    refuse(c_.nic.controller.rate_lut != Implementation::kModel, "nic.controller.rate_lut",
           "RTL cannot skip cycles");
    refuse(c_.nic.np.engine != Implementation::kModel, "nic.np.engine",
           "RTL does not see packets that are skipped");
    refuse(c_.nic.pacer.engine != BlockImplementation::kNone, "nic.pacer.engine",
           "the pacer's clock cannot skip packets");
    refuse(!c_.nics.empty(), "nics", "all hosts must have the same NIC settings");
    refuse(c_.nic.transport.chosen() != nullptr, "nic.transport.kind",
           "only RoCE's work can be shortened");
    refuse(c_.switch_.routing.is_central(), "routing.kind",
           "a central scheduler counts every byte of the flows");
    refuse(c_.dcbx.enabled, "dcbx.enabled", "LLDP frames are due at fixed times");
    refuse(c_.qos.manager.has_value(), "qos.manager",
           "the closed loop's messages are due at fixed times");
    refuse(c_.switch_.pfc.watchdog.detect.has_value(), "switch.pfc.watchdog.detect",
           "the watchdog looks at fixed times");
    refuse(!c_.faults.empty(), "faults", "faults are due at fixed times");
    refuse(!c_.changes.empty(), "changes", "parameters change during the run");
    refuse(c_.measure.window.has_value(), "measure.window", "shares are watched in every window");
    refuse(c_.output.delays, "output.delays", "delays need every packet");
    refuse(c_.output.trace.any(), "output.trace", "a trace needs every event");
    refuse(c_.output.digest.every.has_value(), "output.digest.every", "a digest needs every event");
    for (std::size_t i = 0; i < c_.traffic.size(); ++i) check_traffic(i);
  }

 private:
  void check_traffic(std::size_t i) const {
    const TrafficSpec& t = c_.traffic[i];
    const std::string path = "traffic." + std::to_string(i);
    refuse(t.has_gates(), path + "." + t.gated_by(),
           "flows that wait for others begin at unknown times");
    refuse(t.deadline.has_value(), path + ".deadline", "deadlines are due at fixed times");
    refuse(expects_response(t.operation), path + ".operation",
           "only writes and sends can be shortened");
    refuse(t.service != Service::kRc, path + ".service",
           "only reliable connections can be shortened");
  }
  /// The place at which the user wrote either of the two.
  std::string with(const std::string& path) const { return given(path, "fast_forward.enabled"); }
  void refuse(bool there, const std::string& path, const std::string& why) const {
    require(!there, with(path), "does not go with fast_forward: " + why);
  }
};

}  // namespace

void check_fast_forward(const LoadedConfig& loaded) {
  if (loaded.config.fast_forward.enabled) FastForwardCheck(loaded).check();
}

}  // namespace dcc::vp
