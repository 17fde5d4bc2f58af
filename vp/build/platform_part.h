// The interface of a platform part: an addition to network and hosts, such as a measurement.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "measure/results.h"

namespace dcc::vp {

class Platform;

/// A part lives as long as the platform. The platform calls each function for all parts in the
/// order in which they were built; the default implementations do nothing.
class PlatformPart {
 public:
  virtual ~PlatformPart() = default;
  /// Schedules the part's first events. Called once, when simulated time begins and every host is
  /// configured.
  virtual void begin() {}
  /// Does housekeeping between two events, several times a second of wall-clock time, while all
  /// partitions wait.
  virtual void heartbeat() {}
  /// Ends the part's work after the last event and adds the part's results to `results`, which
  /// already holds the run loop's figures: completion, times, events, threads.
  virtual void finish(RunResults& /*results*/) {}
};

/// One kind of part. A namespace-scope constant in the part's own .cpp registers the kind:
///
///     const PartKind kKind(PartKind::kMeasurement, [](Platform& p) { return make(p); });
///
/// `make` returns null if the configuration does not request the part.
class PartKind {
 public:
  /// Order in which the platform builds, begins and finishes parts, lower values first. Two kinds
  /// of parts may have the same order only if neither depends on the other and both write different
  /// results.
  enum Order : int {
    kTraffic = 100,
    kFlowGates = 110,
    kPortFailover = 120,
    kFlowScheduler = 200,
    kTransportAgent = 210,
    kSubnetService = 215,
    kChanges = 220,
    kMovingWeights = 225,
    kClassChanges = 227,
    kMemoryFaults = 230,
    kMeasurement = 300,
    kCollector = 310,
    kPrograms = 315,
    kHostNotes = 320,
    kTracing = 400,
    kPacketCapture = 410,
    kDigestSampler = 420,
    kProgramDebug = 430,
    kDcbxLinks = 500,
    kLinkFaults = 510,
    kWatchedStates = 600,
    kConsole = 610,
    kMemo = 615,
    // the last order: fast-forward sees every event that other parts have scheduled
    kFastForward = 620,
  };
  using Make = std::function<std::unique_ptr<PlatformPart>(Platform& platform)>;

  PartKind(int order, Make make);
  int order() const { return order_; }
  std::unique_ptr<PlatformPart> make(Platform& platform) const { return make_(platform); }
  /// All registered kinds of parts, sorted by their order.
  static const std::vector<PartKind>& all();

 private:
  int order_;
  Make make_;
};

}  // namespace dcc::vp
