// Traffic of hosts without a driver: posts flows straight into the NICs' work queues.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "build/platform_part.h"
#include "disturb/platform_clock.h"
#include "fabric/topology.h"
#include "nic/nic_device.h"
#include "parallel/partitions.h"
#include "sim/scheduler.h"
#include "stats/flow_ledger.h"
#include "traffic/flow_plan.h"
#include "traffic/live_flows.h"

namespace dcc::vp {

/// All of a flow, at its sender's NIC, whose queue pair is there.
void post_flow(NicDevice& sender, const PlannedFlow& flow);

/// What the ends of flows do at the hosts of one partition, in its own time: each is created when
/// its flow starts, a sender's is posted, and stopped at its stop time.
class FlowStarter {
 public:
  struct Actions {
    std::function<void(const PlannedFlow&, bool sender)> begin;
    std::function<void(HostId, Qpn)> stop;
  };
  /// Stops come by `rank`, starts by the next: at one instant a host ends before it begins, however
  /// flows are divided among starters. `actions` must outlive it.
  FlowStarter(PlatformClock& clock, const Actions& actions, std::uint32_t rank);

  /// An end of a flow that starts no earlier than those before it; it must be there until then.
  void add(const PlannedFlow& flow, bool sender);
  /// Of a flow that has begun here.
  void stop_at(PicoSeconds when, const PlannedFlow& flow);

 private:
  struct End {
    const PlannedFlow* flow;
    bool sender;
  };
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

  PlatformClock& clock_;
  const Actions& actions_;
  std::deque<End> ends_;     // by start
  std::vector<Stop> stops_;  // a heap, of flows that have started
  Event stop_event_;
  Event start_event_;
};

/// Brings every flow to where it begins: both ends are created when it starts, all of it is posted
/// as one piece of work cut into its messages, and stopped at its stop time. One that waits for
/// others (flow_gates.h) it only creates. Of a plan that is not held a flow's record is opened a
/// moment before, too, and what is over is forgotten.
///
/// Flows are looked ahead for, some microseconds at a time: what is common to all partitions is
/// done while they wait, and the rest, thousands of starts a millisecond in a large network, is
/// their own.
class DirectTraffic final : public PlatformPart {
 public:
  /// `nic_of` gives a host's NIC; `is_direct` says whether a host is served here (its end only),
  /// `is_here` whether it is at work in this process. Ranks from `rank` to `rank` + 2.
  /// `in_one_order`: events of the platform's come between those of an instant.
  DirectTraffic(PlatformClock& clock, FlowPlan& plan, FlowLedger& ledger, Partitions& partitions,
                const Topology& topology, std::function<NicDevice&(HostId)> nic_of,
                std::function<bool(HostId)> is_direct, std::function<bool(HostId)> is_here,
                std::uint32_t rank, bool in_one_order);
  /// Schedules the first flows. Once the NICs are connected.
  void begin() override;
  /// Releases flows that are over.
  void heartbeat() override;

 private:
  void look_ahead();
  void prepare(const PlannedFlow& flow);
  void begin_end(const PlannedFlow& flow, bool sender);
  FlowStarter& starter_of(HostId host);

  PlatformClock& clock_;
  FlowPlan& plan_;
  FlowLedger& ledger_;
  Partitions& partitions_;
  const Topology& topology_;
  std::function<NicDevice&(HostId)> nic_of_;
  std::function<bool(HostId)> is_direct_;
  std::function<bool(HostId)> is_here_;
  FlowPlan::Walk walk_;
  PlannedFlow next_;
  bool more_ = false;              // next_ is to start
  std::deque<PlannedFlow> ahead_;  // of a plan that is not held: looked at last
  LiveFlows live_;
  FlowStarter::Actions actions_;
  std::deque<PlatformClock> clocks_;  // of partitions that start flows by themselves
  std::deque<FlowStarter> starters_;  // by partition; or one
  Event look_ahead_event_;
};

}  // namespace dcc::vp
