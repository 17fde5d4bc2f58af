// Faults that devices detect: links that fail, flap and slow down during the run.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "build/network.h"
#include "build/platform_part.h"
#include "config/platform_config.h"
#include "parallel/partitions.h"
#include "sim/scheduler.h"
#include "switch/live_fabric.h"

namespace dcc::vp {

class LinkFaults final : public PlatformPart {
 public:
  /// Prepares the link faults. Precondition: check_faults() has passed.
  explicit LinkFaults(Platform& platform);
  /// Schedules the begin and end of all link faults.
  void begin() override;
  /// Adds a warning about hosts that were unreachable to the results.
  void finish(RunResults& results) override;
  /// The network whose links fail; null: no link fails.
  LiveFabric* fabric() { return fabric_.get(); }
  /// The hosts that link faults cut off from the others; empty if no host was cut off.
  std::optional<NetworkSplit> split() const;

 private:
  /// An entry of `faults`, whose link fault may begin and end several times.
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
    // numbers of the wires that the fault affects, 2 · cable + side
    std::vector<std::size_t> wires_;
    bool there_ = false;
    Event change_;
  };

  const Network& network_;
  // network whose routes follow failures of links; null: no link fails
  std::unique_ptr<LiveFabric> fabric_;
  std::deque<Fault> faults_;
};

}  // namespace dcc::vp
