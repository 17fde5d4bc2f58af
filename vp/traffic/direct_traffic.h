// Traffic of hosts without a driver: posts flows directly into the NICs' work queues.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "build/platform_part.h"
#include "disturb/platform_clock.h"
#include "nic/nic_device.h"
#include "sim/scheduler.h"
#include "traffic/admission_desk.h"
#include "traffic/flow_memory.h"
#include "traffic/flow_plan.h"
#include "traffic/live_flows.h"

namespace dcc::vp {

/// Posts all data of a flow at its sender's NIC. Precondition: the flow's queue pair exists.
void post_flow(NicDevice& sender, const PlannedFlow& flow);
/// Posts all data of a flow but the first `done` bytes, with messages that end where those of
/// post_flow() end. Preconditions: the flow's queue pair exists, and `done` is less than the flow.
void post_rest(NicDevice& sender, const PlannedFlow& flow, Bytes done);

/// Starts and stops the ends of flows at the hosts of one partition, by the partition's own time:
/// creates the queue pair when the flow starts, posts a sender's work, and stops the flow at its
/// stop time.
class FlowStarter {
 public:
  struct Actions {
    std::function<void(const PlannedFlow&, bool sender)> begin;
    std::function<void(std::uint32_t flow, HostId, Qpn)> stop;
  };
  /// Stops have `rank`, starts `rank` + 1: at one instant a host stops flows before it starts
  /// others, independent of how flows are divided among starters. `actions` must outlive this
  /// object.
  FlowStarter(PlatformClock& clock, const Actions& actions, std::uint32_t rank);

  /// Adds one end (sender or receiver) of a flow. Flows must be added in the order of their starts,
  /// and `flow` must live until its start.
  void add(const PlannedFlow& flow, bool sender);
  /// Schedules the stop of a flow that has started in this partition.
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
    /// Compares stops of flows for a heap with the earliest stop on top.
    static bool later(const Stop& a, const Stop& b) {
      return b.at < a.at || (a.at == b.at && b.flow < a.flow);
    }
  };
  void start_due();
  void stop_due();
  void plan_stop();

  PlatformClock& clock_;
  const Actions& actions_;
  std::deque<End> ends_;     // ends of flows that have not started, in the order of their starts
  std::vector<Stop> stops_;  // heap of the stops of flows that have started
  Event stop_event_;
  Event start_event_;
};

/// Starts and stops the flows of hosts without a driver. For each flow, DirectTraffic creates both
/// ends, posts all work of the flow as one request cut into messages, and stops the flow at its
/// stop time. Flows that wait for others (flow_gates.h) are started elsewhere; for these,
/// DirectTraffic only creates the ends. If the plan does not hold flows, DirectTraffic also opens a
/// flow's record shortly before the start and releases flows that are over.
///
/// Every few microseconds DirectTraffic gives the flows that start in the next interval to each
/// partition's starter, while all partitions wait. Each partition then starts its own flows in
/// parallel with the others.
class DirectTraffic final : public PlatformPart {
 public:
  explicit DirectTraffic(Platform& platform);
  /// Sets the flow memory, which is called for each flow that begins at its start; null: none. Not
  /// owned.
  void set_memory(FlowMemory* memory) { memory_ = memory; }
  /// Sets the admission desk, which is asked before the sender's end of a flow is created; null:
  /// none. Not owned.
  void set_desk(AdmissionDesk* desk) { desk_ = desk; }
  /// Begins the sender's end of a flow that the admission desk held back.
  void admit(const PlannedFlow& flow) { begin_admitted(flow, true); }
  /// Sets the function LiveFlows::tell_ended() for a plan that does not hold flows. Call before
  /// begin().
  void tell_ended(LiveFlows::Ended ended) { live_.tell_ended(std::move(ended)); }
  /// Calls visit(flow) for each flow whose end has not been reported, whether or not the flow has
  /// begun. Call once, at the end of the run.
  template <class Visit>
  void each_left(Visit visit) {
    live_.each(visit);
    for (; more_; more_ = walk_.next(next_)) visit(static_cast<const PlannedFlow&>(next_));
  }
  /// Schedules the first flows. Call once the NICs are connected.
  void begin() override;
  /// Releases the memory of flows that are over.
  void heartbeat() override;

 private:
  void look_ahead();
  void prepare(const PlannedFlow& flow);
  void begin_end(const PlannedFlow& flow, bool sender);
  void begin_admitted(const PlannedFlow& flow, bool sender);
  FlowStarter& starter_of(HostId host);

  Platform& p_;
  FlowPlan& plan_;
  FlowMemory* memory_ = nullptr;
  AdmissionDesk* desk_ = nullptr;
  FlowPlan::Walk walk_;
  PlannedFlow next_;
  bool more_ = false;  // true if the flow next_ has not started
  // flows that the last look ahead found, if the plan does not hold flows
  std::deque<PlannedFlow> ahead_;
  EntryCounts ahead_entries_;  // number of flows in ahead_, by entry of the traffic list
  // number of all flows that were in ahead_, by entry of the traffic list
  EntryCounts started_entries_;
  LiveFlows live_;
  std::size_t checked_ = 0;  // number of live flows when the remaining memory was last checked
  FlowStarter::Actions actions_;
  std::deque<PlatformClock> clocks_;  // clocks of partitions that start flows by themselves
  std::deque<FlowStarter> starters_;  // flow starters: one per partition, or one for all
  Event look_ahead_event_;
};

}  // namespace dcc::vp
