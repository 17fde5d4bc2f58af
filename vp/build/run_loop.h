// Runs a platform to its end: when that is, how far it has come, who may stop it.
#pragma once

#include <string>
#include <vector>

#include "measure/observer.h"
#include "measure/results.h"
#include "sim/scheduler.h"
#include "stats/flow_ledger.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

class Platform;

/// When a run ends by itself: with the last of its flows if all of them are finite, the platform
/// sends them all, for software is left to run its time, and they are acknowledged: that the last
/// byte left does not say that it arrived.
struct Ending {
  bool with_traffic = false;
  Bytes bytes = 0;  // that are to be acknowledged by then
};
Ending ending_of(const FlowTotals& flows, bool all_direct, bool acknowledged);

/// Share of a run that is over, 0 … 1: of its time, or of its bytes if that is further.
double share_done(PicoSeconds now, PicoSeconds duration, const Ending& ending, Bytes acknowledged);

/// One run. Built before the simulation begins, at most once a platform.
class RunLoop {
 public:
  RunLoop(Platform& platform, RunObserver& observer);
  /// Runs to the end and fills in all results: completion, times, events and threads, then what
  /// each part of the platform adds. A failure that ends the run early becomes an entry of
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

  Platform& p_;
  RunObserver& observer_;
  Event finish_check_;
  Event end_;  // where simulated time is ahead of the kernel's
  Ending ending_;
  bool stopped_early_ = false;
  bool aborted_ = false;
};

}  // namespace dcc::vp
