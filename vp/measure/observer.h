// The interface by which a running platform reports to its caller.
#pragma once

#include <cstdint>

#include "units.h"

namespace dcc::vp {

/// Totals of the run since its start.
struct Progress {
  PicoSeconds now{};
  PicoSeconds duration{};
  /// Completed share of the run, 0 … 1: the share of simulated time, or the share of the traffic's
  /// bytes if that is greater and the run ends with the traffic.
  double done = 0;
  std::uint64_t link_traversals = 0;
  std::uint64_t drops = 0;
  std::uint64_t cnps = 0;
};

/// Reports progress. The platform calls the function between events, many times a second of
/// wall-clock time. Must not change the simulation.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// Returns false if the caller wants no progress report now. The platform then does not compute
  /// the totals, which takes long in a large network.
  virtual bool wants_progress() const = 0;
  virtual void on_progress(const Progress& progress) = 0;
  /// Returns true if the run must stop at the next opportunity; the results then have completed =
  /// false.
  virtual bool stop_requested() const { return false; }
};

}  // namespace dcc::vp
