// Measures the processor time that this process spends on a piece of work.
#pragma once

#include <unistd.h>

#include <ctime>
#include <optional>

namespace dcc::vp {

/// Processor time that this process has used since the object was made. A process forked from a
/// snapshot (debug/process_snapshots.h) starts its clock at zero, so it cannot tell the total.
class ProcessorTime {
 public:
  /// The used processor time in seconds, at least 0; empty in another process than the one that
  /// made this object.
  std::optional<double> seconds() const {
    if (::getpid() != process_) return std::nullopt;
    return static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC;
  }

 private:
  pid_t process_ = ::getpid();
  std::clock_t begin_ = std::clock();
};

}  // namespace dcc::vp
