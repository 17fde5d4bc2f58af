// Faults that devices notice: links that fail, flap and slow down while the run goes on.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "build/network.h"
#include "build/platform_part.h"
#include "config/platform_config.h"
#include "nic/nic_device.h"
#include "parallel/partitions.h"
#include "sim/scheduler.h"
#include "switch/live_fabric.h"

namespace dcc::vp {

class LinkFaults final : public PlatformPart {
 public:
  /// Precondition: check_faults(). `nic_of` gives a host's NIC.
  LinkFaults(const PlatformConfig& config, Scheduler& scheduler, Network& network,
             Partitions& partitions, const std::function<NicDevice&(HostId)>& nic_of,
             std::uint32_t rank);
  /// Schedules them.
  void begin() override;
  /// Warns of hosts that could not be reached.
  void finish(RunResults& results) override;
  /// What to tell the user of a network that fell apart; empty when it did not.
  std::string parting() const;

 private:
  /// One entry of `faults`: now there, now not.
  class Fault {
   public:
    Fault(const FaultParameters& config, const Network& network, Scheduler& scheduler,
          Partitions& partitions, LiveFabric& fabric, std::uint32_t rank);
    void begin();

   private:
    void change();
    void apply();

    const FaultParameters& config_;
    const Topology& topology_;
    Scheduler& scheduler_;
    Partitions& partitions_;
    LiveFabric& fabric_;
    std::vector<std::size_t> wires_;  // by 2 · cable + side
    bool there_ = false;
    Event change_;
  };

  const Network& network_;
  std::unique_ptr<LiveFabric> fabric_;  // null: no such faults
  std::deque<Fault> faults_;
};

}  // namespace dcc::vp
