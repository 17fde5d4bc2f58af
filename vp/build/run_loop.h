// Runs a platform to its end: decides when it ends, reports progress, handles requests to stop.
#pragma once

#include <string>
#include <vector>

#include "measure/observer.h"
#include "measure/results.h"
#include "sim/scheduler.h"
#include "stats/flow_ledger.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

class FlowGates;
class Platform;

/// The condition for an early end of a run: a run ends with its last flow if all flows are finite,
/// the platform sends all of them (software uses the whole configured time), and flows are
/// acknowledged. Without acknowledgements the sender does not know when the last byte has arrived.
struct Ending {
  bool with_traffic = false;
  Bytes bytes = 0;  // bytes that must be acknowledged before the run ends
};
Ending ending_of(const FlowTotals& flows, bool all_direct, bool acknowledged);

/// The completed share of a run, 0 … 1: of its time or of its bytes, whichever is greater.
double share_done(PicoSeconds now, PicoSeconds duration, const Ending& ending, Bytes acknowledged);

/// The loop that advances the simulation from the begin of a run to its end. It is built before the
/// simulation begins, at most once for each platform.
class RunLoop {
 public:
  RunLoop(Platform& platform, RunObserver& observer);
  /// Runs to the end and fills in all results: completion, times, events and threads, then the
  /// results of each part of the platform. A failure that ends the run early becomes an entry of
  /// `failures`; a request of the observer or the prompt leaves `completed` false.
  void run(RunResults& results);

 private:
  static constexpr PicoSeconds kFinishInterval = kMicroSecond * 10;

  void start();
  void check_finished();
  void stop();
  void heartbeat();
  void report_progress();
  FlowTally tally() const;
  /// True if the packets of finished flows have arrived or are lost. A flow of the services UC and
  /// UD is finished when its last packet has left, because nothing acknowledges the packet.
  bool has_arrived() const;
  /// Number of computations that have not ended, in all processes.
  std::int64_t computations_left() const;

  Platform& p_;
  RunObserver& observer_;
  const FlowGates* gates_ = nullptr;  // set when the run starts
  Event finish_check_;
  // ends the run after fast-forward has moved simulated time past the SystemC kernel's time
  Event end_;
  Ending ending_;
  bool stopped_early_ = false;
  bool aborted_ = false;
};

}  // namespace dcc::vp
