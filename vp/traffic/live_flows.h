// Flows that have started and still use memory; releases flows that are over.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "nic/nic_device.h"
#include "parallel/partitions.h"
#include "stats/flow_ledger.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

/// Releases flows that are over. A flow is over when every byte is acknowledged and received, both
/// ends are quiescent, and no packet of the flow is in the network. Queue pairs and record of such
/// a flow cannot be observed any more, so they are released; the ledger keeps the values that
/// results report.
///
/// A scan over the memory of all packets finds the flows that have packets in the network, so one
/// scan serves many flows. The scan runs when as many flows have started since the last scan as
/// that scan left, and at least one flow for every 32 packets.
class LiveFlows {
 public:
  LiveFlows(FlowLedger& ledger, const Partitions& partitions,
            std::function<NicDevice&(HostId)> nic_of);
  /// Keeps each live flow with its plan. `ended` receives each released flow with the flow's last
  /// record, which the ledger then drops.
  using Ended = std::function<void(const PlannedFlow&, const FlowRecord&)>;
  void tell_ended(Ended ended) { ended_ = std::move(ended); }
  void started(const PlannedFlow& flow);
  /// Calls visit(flow) for each flow that has not been released. Precondition: tell_ended() was
  /// called.
  template <class Visit>
  void each(Visit visit) const {
    for (const Live& flow : live_) visit(static_cast<const PlannedFlow&>(*flow.planned));
  }
  /// Releases flows that are over if a scan is worth its cost. Call while all partitions wait.
  void release();
  std::size_t size() const { return live_.size(); }

 private:
  static constexpr std::size_t kWorthWhile = 1024;
  struct Live {
    std::uint32_t id;
    HostId from;
    HostId to;
    Qpn from_qpn;
    Qpn to_qpn;
    // plan of the ended flow; null unless ended flows are reported
    std::unique_ptr<const PlannedFlow> planned;
  };
  void note_packets();
  bool is_over(const Live& flow) const;

  FlowLedger& ledger_;
  const Partitions& partitions_;
  std::function<NicDevice&(HostId)> nic_of_;
  Ended ended_;             // function that receives ended flows; null: none
  std::vector<Live> live_;  // flows that have not been released, ordered by id
  std::size_t left_ = 0;    // number of live flows left after the last scan
  // flags by flow from live_.front() on: true if the flow has a packet in the network
  std::vector<bool> under_way_;
};

}  // namespace dcc::vp
