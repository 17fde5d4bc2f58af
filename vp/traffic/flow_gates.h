// Flows that begin when others have arrived: what a host sends in answer to what it was waiting
// for.
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

/// Each gate is a host's: the flows that open it end there, those behind it begin there. So it is
/// an event of that host's part of the network, and needs nothing of the others.
class FlowGates final : public PlatformPart {
 public:
  struct Place {
    Scheduler& scheduler;
    NicDevice& nic;
    std::uint32_t rank;
  };
  /// `place_of` gives where a host is at work; `is_here` whether that is in this process.
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

  std::deque<Gate> gates_;  // those of hosts here
};

}  // namespace dcc::vp
