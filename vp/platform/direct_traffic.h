// Traffic of hosts without a driver: posts flows straight into the NICs' work queues.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "nic/nic_device.h"
#include "platform/flow_plan.h"
#include "sim/scheduler.h"

namespace dcc::vp {

/// All of a flow, at its sender's NIC, whose queue pair is there.
void post_flow(NicDevice& sender, const PlannedFlow& flow);

/// Creates both ends of a flow when it starts, posts all of it as one piece of work cut into its
/// messages, and stops it at its stop time. One that waits for others (flow_gates.h) it only
/// creates.
class DirectTraffic {
 public:
  /// `nic_of` gives a host's NIC; `is_direct` says whether a host is served here (its end only),
  /// `is_here` whether it is at work in this process.
  DirectTraffic(Scheduler& scheduler, FlowPlan& plan, std::function<NicDevice&(HostId)> nic_of,
                std::function<bool(HostId)> is_direct, std::function<bool(HostId)> is_here,
                std::uint32_t rank);
  /// Schedules the first flow. Once the NICs are connected.
  void begin();

 private:
  void start_due();
  void stop_due();
  void start(const PlannedFlow& flow);
  void create(HostId host, Qpn qpn);

  Scheduler& scheduler_;
  FlowPlan& plan_;
  std::function<NicDevice&(HostId)> nic_of_;
  std::function<bool(HostId)> is_direct_;
  std::function<bool(HostId)> is_here_;
  std::size_t next_start_ = 0;        // flows are sorted by start
  std::vector<std::uint32_t> stops_;  // ids with a stop time, by it
  std::size_t next_stop_ = 0;
  Event start_event_;
  Event stop_event_;
};

}  // namespace dcc::vp
