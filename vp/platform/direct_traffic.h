// Traffic of hosts without a driver: posts flows straight into the NICs' work queues.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "nic/nic_device.h"
#include "platform/flow_plan.h"
#include "platform/live_flows.h"
#include "sim/scheduler.h"
#include "stats/flow_ledger.h"

namespace dcc::vp {

/// All of a flow, at its sender's NIC, whose queue pair is there.
void post_flow(NicDevice& sender, const PlannedFlow& flow);

/// Creates both ends of a flow when it starts, posts all of it as one piece of work cut into its
/// messages, and stops it at its stop time. One that waits for others (flow_gates.h) it only
/// creates. Of a plan that is not held a flow's record is opened then, too, and what is over is
/// forgotten.
class DirectTraffic {
 public:
  /// `nic_of` gives a host's NIC; `is_direct` says whether a host is served here (its end only),
  /// `is_here` whether it is at work in this process.
  DirectTraffic(Scheduler& scheduler, FlowPlan& plan, FlowLedger& ledger,
                const Partitions& partitions, std::function<NicDevice&(HostId)> nic_of,
                std::function<bool(HostId)> is_direct, std::function<bool(HostId)> is_here,
                std::uint32_t rank);
  /// Schedules the first flow. Once the NICs are connected.
  void begin();
  /// Forgets what is over, now and then. While all partitions wait.
  void let_go();

 private:
  struct Stop {
    PicoSeconds at;
    std::uint32_t flow;
    HostId from;
    Qpn qpn;
    /// For a heap whose first comes first.
    static bool later(const Stop& a, const Stop& b) {
      return b.at < a.at || (a.at == b.at && b.flow < a.flow);
    }
  };
  void start_due();
  void stop_due();
  void plan_stop();
  void start(const PlannedFlow& flow);
  void create(const PlannedFlow& flow, bool sender);

  Scheduler& scheduler_;
  FlowPlan& plan_;
  FlowLedger& ledger_;
  std::function<NicDevice&(HostId)> nic_of_;
  std::function<bool(HostId)> is_direct_;
  std::function<bool(HostId)> is_here_;
  FlowPlan::Walk walk_;
  PlannedFlow next_;
  bool more_ = false;        // next_ is to start
  std::vector<Stop> stops_;  // a heap, of flows that have started
  LiveFlows live_;
  Event start_event_;
  Event stop_event_;
};

}  // namespace dcc::vp
