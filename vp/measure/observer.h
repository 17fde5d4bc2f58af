// How a running platform reports to whoever started it.
#pragma once

#include <cstdint>

#include "units.h"

namespace dcc::vp {

/// Totals since the start of the run.
struct Progress {
  PicoSeconds now{};
  PicoSeconds duration{};
  /// Share of the run that is over: of the traffic's bytes where the run ends with them, or of the
  /// simulated time if that is further.
  double done = 0;
  std::uint64_t link_traversals = 0;
  std::uint64_t drops = 0;
  std::uint64_t cnps = 0;
};

/// Asked by the platform between events, many times a second of wall time. Must not change the
/// simulation.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// False: nobody looks now, and the totals need not be gathered (a large network is a long walk).
  virtual bool wants_progress() const = 0;
  virtual void on_progress(const Progress& progress) = 0;
  /// True: stop at the next chance and return what there is, with completed = false.
  virtual bool stop_requested() const { return false; }
};

}  // namespace dcc::vp
