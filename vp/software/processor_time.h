// Processor time that this process has spent on a piece of work.
#pragma once

#include <unistd.h>

#include <ctime>
#include <optional>

namespace dcc::vp {

/// Measures from its construction. A process that continued from a snapshot
/// (debug/process_snapshots.h) has its own clock, which began at zero, and cannot know the whole.
class ProcessorTime {
 public:
  /// The time in seconds, at least 0; empty in another process than the one that made this object.
  std::optional<double> seconds() const {
    if (::getpid() != process_) return std::nullopt;
    return static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC;
  }

 private:
  pid_t process_ = ::getpid();
  std::clock_t begin_ = std::clock();
};

}  // namespace dcc::vp
