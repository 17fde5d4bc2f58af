// Flows that start when other flows have arrived: what a host sends in answer to data that the host
// waited for.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "build/platform_part.h"
#include "nic/nic_device.h"
#include "sim/scheduler.h"
#include "stats/flow_ledger.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

/// Each gate belongs to one host: the flows that open the gate end there and the flows behind it
/// begin there. So opening is an event of that host's partition and needs no other partition.
class FlowGates final : public PlatformPart {
 public:
  struct Place {
    Scheduler& scheduler;
    NicDevice& nic;
    std::uint32_t rank;
  };
  /// `place_of` returns where a host is simulated; `is_here` tells whether that is in this process.
  FlowGates(const FlowPlan& plan, FlowLedger& ledger, const std::function<Place(HostId)>& place_of,
            const std::function<bool(HostId)>& is_here);
  FlowGates(const FlowGates&) = delete;
  FlowGates& operator=(const FlowGates&) = delete;

 private:
  class Gate final : public ArrivalSink {
   public:
    explicit Gate(const Place& place)
        : place_(place), opening_(Event::calling<&Gate::open>(*this, place.rank)) {}
    void add_opener() { ++missing_; }
    void add_flow(const PlannedFlow& flow) { flows_.push_back(&flow); }
    void flow_arrived() override;

   private:
    void open();

    const Place place_;
    std::uint32_t missing_ = 0;
    std::vector<const PlannedFlow*> flows_;
    Event opening_;
  };

  std::deque<Gate> gates_;  // gates of hosts in this process
};

}  // namespace dcc::vp
