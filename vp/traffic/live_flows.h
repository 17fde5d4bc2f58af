// Flows that have started and are not forgotten: what is over gives its memory back.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "nic/nic_device.h"
#include "parallel/partitions.h"
#include "stats/flow_ledger.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

/// A flow is over when every byte is acknowledged and has arrived, nothing at its ends is left to
/// do (NicDevice::is_quiescent), and no packet of it is anywhere. Then nobody can tell whether its
/// queue pairs and its record are still there, and they go, but for what results tell of it.
///
/// Whether a packet is anywhere is looked up in the memory of all packets, so it is done for many
/// flows at a time: when as many have started since the last time as were left then, and one for
/// every 32 packets there are.
class LiveFlows {
 public:
  LiveFlows(FlowLedger& ledger, const Partitions& partitions,
            std::function<NicDevice&(HostId)> nic_of);
  void started(const PlannedFlow& flow);
  /// Lets go of what is over, if it is worth while. While all partitions wait.
  void let_go();
  std::size_t size() const { return live_.size(); }

 private:
  static constexpr std::size_t kWorthWhile = 1024;
  struct Live {
    std::uint32_t id;
    HostId from;
    HostId to;
    Qpn from_qpn;
    Qpn to_qpn;
  };
  void note_packets();
  bool is_over(const Live& flow) const;

  FlowLedger& ledger_;
  const Partitions& partitions_;
  std::function<NicDevice&(HostId)> nic_of_;
  std::vector<Live> live_;       // by id
  std::size_t left_ = 0;         // after the last look
  std::vector<bool> under_way_;  // from live_.front() on: has a packet
};

}  // namespace dcc::vp
