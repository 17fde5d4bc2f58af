// What does not go with skipping time: whoever looks at single events, or is due by a clock that
// stands still meanwhile.
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
                            "fast_forward skips what software would see: driver: none");
    refuse(c_.nic.controller.engine != Implementation::kModel, "nic.controller.engine",
           "RTL counts its cycles one by one");
    refuse(c_.nic.controller.timer != Implementation::kModel, "nic.controller.timer",
           "RTL counts its cycles one by one");
    refuse(c_.nic.controller.rate_lut != Implementation::kModel, "nic.controller.rate_lut",
           "RTL counts its cycles one by one");
    refuse(!c_.nics.empty(), "nics", "flows are alike only where hosts are");
    refuse(c_.nic.transport.chosen() != nullptr, "nic.transport.kind",
           "of transports it knows how to shorten RoCE's work alone");
    refuse(c_.switch_.routing.is_central(), "routing.kind",
           "a scheduler of flows counts what they send");
    refuse(c_.dcbx.enabled, "dcbx.enabled", "LLDP's frames are due by the clock");
    refuse(c_.qos.manager.has_value(), "qos.manager", "the loop's messages are due by the clock");
    refuse(!c_.faults.empty(), "faults", "they are due by the clock");
    refuse(!c_.changes.empty(), "changes", "nothing is at rest that changes");
    refuse(c_.measure.window.has_value(), "measure.window",
           "shares over every window want every window");
    refuse(c_.output.delays, "output.delays", "delays are of packets that are seen");
    refuse(c_.output.trace.any(), "output.trace", "a trace is of single events");
    refuse(c_.output.digest.every.has_value(), "output.digest.every",
           "a digest is of the state after every event");
    for (std::size_t i = 0; i < c_.traffic.size(); ++i) check_traffic(i);
  }

 private:
  void check_traffic(std::size_t i) const {
    const TrafficSpec& t = c_.traffic[i];
    const std::string path = "traffic." + std::to_string(i);
    refuse(t.has_gates(), path + (t.fan_out.empty() ? ".kind" : ".fan_out"),
           "flows that wait for each other come at any time");
    refuse(t.deadline.has_value(), path + ".deadline", "deadlines are due by the clock");
    refuse(expects_response(t.operation), path + ".operation",
           "it knows how to shorten what is written or sent");
    refuse(t.service != Service::kRc, path + ".service",
           "it knows how to shorten what a reliable connection has to send");
  }
  /// Where the user wrote either.
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
