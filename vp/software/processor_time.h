// Processor time that this process has spent on a piece of work.
#pragma once

#include <unistd.h>

#include <ctime>
#include <optional>

namespace dcc::vp {

/// Begins when it is built. A process that took over from a snapshot (debug/process_snapshots.h)
/// has a clock of its own that began at zero, so it cannot tell what the whole work took.
class ProcessorTime {
 public:
  /// In seconds, at least 0; empty in another process than the one that began.
  std::optional<double> seconds() const {
    if (::getpid() != process_) return std::nullopt;
    return static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC;
  }

 private:
  pid_t process_ = ::getpid();
  std::clock_t begin_ = std::clock();
};

}  // namespace dcc::vp
