// The interface by which a running platform reports to its caller.
#pragma once

#include <cstdint>

#include "units.h"

namespace dcc::vp {

/// Totals of the run since its start.
struct Progress {
  PicoSeconds now{};
  PicoSeconds duration{};
  /// Completed share of the run, 0 … 1: share of the traffic's bytes if the run ends with them, or
  /// of simulated time, whichever is greater.
  double done = 0;
  std::uint64_t link_traversals = 0;
  std::uint64_t drops = 0;
  std::uint64_t cnps = 0;
};

/// Called by the platform between events, many times a second of wall-clock time. Must not change
/// the simulation.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// False if no progress report is wanted now. Totals are then not computed, because that takes
  /// long in a large network.
  virtual bool wants_progress() const = 0;
  virtual void on_progress(const Progress& progress) = 0;
  /// True if the run must stop at the next opportunity; the results then have completed = false.
  virtual bool stop_requested() const { return false; }
};

}  // namespace dcc::vp
