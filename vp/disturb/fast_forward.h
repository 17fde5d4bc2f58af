// Skips simulated time in which the network is in a steady state (`fast_forward`).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "build/platform_part.h"
#include "measure/measurement.h"
#include "sim/scheduler.h"
#include "stats/rest_detector.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

/// Skips simulated time while the network is in a steady state. Fast-forward samples goodput and
/// rates of flows, queues, marks and pauses. When these values are steady (RestDetector), simulated
/// time moves on to shortly before the next event that is due by simulated time: a flow that
/// starts, stops or would end, an edge of `measure`, the end of the run. Devices do not notice the
/// skip, because a steady state is the same before and after it: packets, timers and queues keep
/// the devices' time. Only counts change: each flow has fewer bytes left, and counters and
/// statistics grow in proportion to the watched window.
///
/// Precondition: no losses, and no other event that is due by simulated time (faults, changes); the
/// configuration's `check` refuses such events.
class FastForward final : public PlatformPart {
 public:
  explicit FastForward(Platform& platform);
  void begin() override;
  /// Adds the skipped simulated time to the results.
  void finish(RunResults& results) override;

 private:
  /// Number of samples of queues and rates in one watched window.
  static constexpr int kLooks = 8;

  /// The state from which a skip extrapolates.
  struct Base {
    PicoSeconds from{};  // begin of the watched window by the devices' clock
    std::unique_ptr<Measurement::Watch> watch;
    std::vector<Bytes> received;  // bytes that each flow of `active_` received
  };
  /// Values, such as the count of losses, whose change makes the watched window useless.
  struct Disturbance {
    PicoSeconds next_kept{};
    std::uint64_t losses = 0;
    std::size_t finished = 0;
    friend bool operator==(const Disturbance& a, const Disturbance& b) {
      return a.next_kept == b.next_kept && a.losses == b.losses && a.finished == b.finished;
    }
  };
  void look();
  void window_over();
  void restart();
  Base base() const;
  Disturbance disturbance() const;
  std::vector<RestDetector::Quantity> quantities();
  std::vector<double> seen();
  bool skip();
  Bytes received(std::size_t active) const;
  Bytes mtu_of(const PlannedFlow& flow) const;
  Transmitter& sender(const PlannedFlow& flow) const;

  Platform& p_;
  Measurement& measurement_;
  RestDetector detector_;
  Disturbance before_;
  std::vector<const PlannedFlow*> active_;
  // number of each active flow's group of equal flows (flow_kinds.h)
  std::vector<unsigned> group_of_;
  std::vector<unsigned> members_;  // number of flows in each group
  int looks_ = 0;
  // bytes that each active flow had received when the watched window began
  std::vector<Bytes> received_;
  // sums over the watched window's samples: rate and target of each group, then queues
  std::vector<double> looked_;
  std::uint64_t marks_ = 0;  // number of marks at the beginning of the watched window
  std::uint64_t pauses_ = 0;
  Base start_;
  Base middle_;
  std::vector<Bytes> owed_;  // bytes of each flow's packet that was only partly skipped
  Event look_event_;
};

}  // namespace dcc::vp
