// Refuses settings that cannot be combined with fast-forward or with bursts taken from memory:
// observers of single events, and events that are due by simulated time.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "config/check/check_context.h"

namespace dcc::vp {
namespace {

/// True if a watchdog looks at the queues of some port.
bool has_watchdog(const PlatformConfig& config) {
  const auto own = [](const PortException& one) { return one.watchdog.detect.has_value(); };
  return config.switch_.pfc.watchdog.detect.has_value() ||
         std::any_of(config.switches.begin(), config.switches.end(), own);
}

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
    refuse(c_.nic.parser.engine != Implementation::kModel, "nic.parser.engine",
           "RTL does not see packets that are skipped");
    refuse(c_.nic.pacer.engine != BlockImplementation::kNone, "nic.pacer.engine",
           "the pacer's clock cannot skip packets");
    refuse(!c_.nics.empty(), "nics", "all hosts must have the same NIC settings");
    refuse(c_.nic.transport.chosen() != nullptr, "nic.transport.kind",
           "only RoCE's work can be shortened");
    refuse(c_.switch_.routing.is_central(), "routing.kind",
           "a central scheduler counts every byte of the flows");
    refuse(c_.subnet.manager.has_value(), "subnet.manager",
           "the subnet manager admits flows at unknown times");
    refuse(c_.dcbx.enabled, "dcbx.enabled", "LLDP frames are due at fixed times");
    refuse(c_.qos.manager.has_value(), "qos.manager",
           "the closed loop's messages are due at fixed times");
    refuse(has_watchdog(c_), "switch.pfc.watchdog.detect", "the watchdog looks at fixed times");
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
    refuse(t.new_dscp.has_value(), path + ".new_dscp", "the class changes at a fixed time");
    refuse(expects_response(t.operation), path + ".operation",
           "only writes and sends can be shortened");
    refuse(t.service != Service::kRc, path + ".service",
           "only reliable connections can be shortened");
  }
  /// Returns the path of the setting that conflicts with fast-forward, as the user wrote it.
  std::string with(const std::string& path) const { return given(path, "fast_forward.enabled"); }
  void refuse(bool there, const std::string& path, const std::string& why) const {
    require(!there, with(path), "does not go with fast_forward: " + why);
  }
};

class MemoCheck : private CheckContext {
 public:
  using CheckContext::CheckContext;

  void check() const {
    refuse(c_.fast_forward.enabled, "fast_forward.enabled", "choose one of the two");
    require_platform_drives(with("host.driver"),
                            "software would notice packets that come from memory: write driver: "
                            "none");
    check_hosts();
    check_network();
    refuse(!c_.faults.empty(), "faults", "faults meet single packets");
    refuse(!c_.changes.empty(), "changes", "memory would hold what was before the change");
    refuse(c_.qos.manager.has_value(), "qos.manager", "the closed loop measures single packets");
    refuse(c_.measure.window.has_value(), "measure.window", "shares are watched in every window");
    refuse(c_.output.delays, "output.delays", "delays need every packet");
    refuse(c_.output.trace.any(), "output.trace", "a trace needs every event");
    refuse(c_.output.digest.every.has_value(), "output.digest.every", "a digest needs every event");
    const SeriesConfig& series = c_.output.series;
    refuse(series.flows != FlowSeries::kNone, "output.series.flows",
           "samples within a burst need its packets: write output.series.flows: none");
    refuse(series.queues != QueueSeries::kNone, "output.series.queues",
           "samples within a burst need its packets: write output.series.queues: none");
    refuse(series.classes, "output.series.classes",
           "samples within a burst need its packets: write output.series.classes: false");
    for (std::size_t i = 0; i < c_.traffic.size(); ++i) check_traffic(i);
  }

 private:
  /// Algorithms that keep state per flow only, so that their state ends with the flow.
  static constexpr std::array<std::string_view, 5> kForgetful{"none", "dcqcn", "dctcp", "hpcc",
                                                              "timely"};

  void check_hosts() const {
    for (const AlgorithmChoice* const choice : c_.congestion_controls()) {
      bool known = false;
      for (const std::string_view name : kForgetful) known = known || choice->name() == name;
      require(known, with("nic.congestion_control.algorithm"),
              "does not go with fast_forward.memo: something of " + choice->name() +
                  " may outlive its flows; write nic.congestion_control.algorithm: none, dcqcn, "
                  "dctcp, hpcc or timely");
    }
    refuse(c_.nic.np.engine != Implementation::kModel, "nic.np.engine",
           "RTL does not see packets that come from memory");
    refuse(c_.nic.parser.engine != Implementation::kModel, "nic.parser.engine",
           "RTL does not see packets that come from memory");
    for (const TransportChoice* const transport : c_.transports()) {
      refuse(transport->chosen() != nullptr, "nic.transport.kind", "only RoCE is known");
    }
    refuse(c_.nic.payload != NicParameters::Payload::kVirtual, "nic.payload",
           "payload from memory would have to be written");
    refuse(c_.nic.ack == AckMode::kNone, "nic.ack",
           "without acknowledgements the end of a burst is not known");
    refuse(!c_.nic.clock.exact(), "nic.clock", "readings depend on absolute time");
    refuse(c_.nic.cnp.scope != CnpParameters::Scope::kQueuePair, "nic.cnp.scope",
           "a limiter of several flows outlives them: write queue_pair");
    refuse(c_.nic.cnp.delay.count != 0, "nic.cnp.delay",
           "a CNP may be due when the network seems to be at rest");
  }
  void check_network() const {
    refuse(c_.switch_.routing.chosen() != nullptr, "routing.kind",
           "the state of a load balancer outlives flows: write ecmp");
    refuse(c_.switch_.discipline.chosen() != nullptr, "switch.discipline.kind",
           "the state of a discipline may outlive flows");
    refuse(c_.switch_.has_credits(), "switch.flow_control", "credits never rest");
    refuse(has_watchdog(c_), "switch.pfc.watchdog.detect", "the watchdog looks at fixed times");
    refuse(c_.switch_.qcn.enabled, "switch.qcn.enabled", "a sample's count outlives flows");
    using Kind = EgressSchedulerParameters::Kind;
    const EgressSchedulerParameters& scheduler = c_.switch_.scheduler;
    refuse(scheduler.kind != Kind::kFifo && scheduler.kind != Kind::kStrict,
           "switch.scheduler.kind",
           "balances of weighted priorities outlive flows: write fifo or strict");
    refuse(!scheduler.shapers.empty(), "switch.scheduler.shapers", "credit outlives flows");
    for (std::size_t i = 0; i < c_.switches.size(); ++i) {
      refuse(c_.switches[i].scheduler.kind == SchedulerException::Kind::kEts,
             "switches." + std::to_string(i) + ".scheduler.kind",
             "balances of weighted priorities outlive flows: write fifo or strict");
    }
    refuse(c_.switch_.ecn.phantom_drain.value() != 0, "switch.ecn.phantom_drain",
           "a phantom queue is not empty when its port is");
    refuse(c_.dcbx.enabled, "dcbx.enabled", "LLDP frames are due at fixed times");
  }
  void check_traffic(std::size_t i) const {
    const TrafficSpec& t = c_.traffic[i];
    const std::string path = "traffic." + std::to_string(i);
    refuse(t.deadline.has_value(), path + ".deadline", "deadlines are due at fixed times");
    refuse(expects_response(t.operation), path + ".operation", "only writes and sends are known");
    refuse(t.service != Service::kRc, path + ".service", "only reliable connections are known");
  }
  std::string with(const std::string& path) const { return given(path, "fast_forward.memo"); }
  void refuse(bool there, const std::string& path, const std::string& why) const {
    require(!there, with(path), "does not go with fast_forward.memo: " + why);
  }
};

}  // namespace

void check_fast_forward(const LoadedConfig& loaded) {
  if (loaded.config.fast_forward.enabled) FastForwardCheck(loaded).check();
  if (loaded.config.fast_forward.memo) MemoCheck(loaded).check();
}

}  // namespace dcc::vp
