// Skips time in which nothing happens but more of the same (`fast_forward`).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "build/host.h"
#include "build/network.h"
#include "build/platform_part.h"
#include "config/platform_config.h"
#include "disturb/platform_clock.h"
#include "measure/measurement.h"
#include "sim/scheduler.h"
#include "stats/flow_ledger.h"
#include "stats/rest_detector.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

/// Watches flows' goodput and rates, queues, marks and pauses. When they are at rest (RestDetector)
/// it moves simulated time on, up to shortly before the next thing that is due by it: a flow that
/// starts, stops or would end, an edge of `measure`, the end. Devices notice nothing, since at rest
/// their state is as good after the skip as before: packets, timers and queues stay where they are
/// on their own time. What moves is what is counted: flows have so much less to send, and counters
/// and statistics so much more, as they did while it was watched.
///
/// Without losses, and without anything else that is due by a clock on the wall (faults, changes):
/// `check` refuses those.
class FastForward final : public PlatformPart {
 public:
  struct Context {
    const PlatformConfig& config;
    Scheduler& scheduler;
    PlatformClock& clock;
    Network& network;
    std::vector<std::unique_ptr<Host>>& hosts;
    const FlowPlan& plan;
    FlowLedger& ledger;
    Measurement& measurement;
    std::uint32_t rank;
  };
  explicit FastForward(const Context& context);
  void begin() override;
  /// Adds the time that was skipped.
  void finish(RunResults& results) override;

 private:
  /// So many times a window queues and rates are looked at.
  static constexpr int kLooks = 8;

  /// From where on counting goes into a skip.
  struct Base {
    PicoSeconds from{};  // the devices' time
    std::unique_ptr<Measurement::Watch> watch;
    std::vector<Bytes> received;  // by flow of `active_`
  };
  /// Whatever makes what was watched worthless, in numbers.
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
  Bytes received(std::size_t active) const {
    return c_.ledger[active_[active]->spec.id].received_bytes;
  }
  Transmitter& sender(const PlannedFlow& flow) const {
    return c_.hosts[flow.spec.from]->nic().device().transmitter();
  }

  const Context c_;
  RestDetector detector_;
  Disturbance before_;
  std::vector<const PlannedFlow*> active_;
  std::vector<unsigned> group_of_;  // by active flow: those of one kind
  std::vector<unsigned> members_;   // by group
  int looks_ = 0;
  std::vector<Bytes> received_;  // by active flow, when the window began
  std::vector<double> looked_;   // sums over the window's looks: by group rate and target; queues
  std::uint64_t marks_ = 0;      // when the window began
  std::uint64_t pauses_ = 0;
  Base start_;
  Base middle_;
  std::vector<Bytes> owed_;  // by flow: bytes of a packet that was not skipped as a whole
  Event look_event_;
};

}  // namespace dcc::vp
