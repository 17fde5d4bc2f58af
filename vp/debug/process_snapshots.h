// Snapshots of this process by fork(): memory is shared until one of the processes writes to it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "cpu/snapshot_history.h"

namespace dcc::vp {

/// A snapshot is a parent process that waits: take_snapshot() copies the process, the copy
/// continues, and the original keeps its state. To go back, the executing process ends, each parent
/// up to the requested snapshot ends in turn, and the requested snapshot makes another copy, which
/// continues. So the snapshots are the chain of ancestors of the executing process, and are always
/// in order. The process that the user started is the first snapshot: it ends with the status of
/// the run, however often the run went back. Signals that end a process (SIGTERM, SIGHUP, SIGINT)
/// are forwarded to the executing process.
///
/// The time between snapshots grows with their number, so a run of any length has some dozen
/// snapshots, and going back takes at most about an eighth of the time that the run has taken so
/// far.
class ProcessSnapshots final : public model::SnapshotHistory {
 public:
  /// Makes the first snapshot of the chain. Throws std::runtime_error if the system gives no shared
  /// memory. Precondition: this process has one thread, now and at every later call.
  ProcessSnapshots();
  ~ProcessSnapshots() override;

  std::size_t snapshots() const override { return taken_; }
  bool is_due() const override;
  std::optional<std::string> take_snapshot() override;
  [[noreturn]] void restore(std::size_t number, const std::string& request) override;
  bool replaying() const override { return replaying_; }
  void finish_replay() override { replaying_ = false; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Shared {  // data that all processes of the snapshot chain share
    bool reversing;
    std::size_t number;
    std::size_t bytes;
    char request[kMaxRequestBytes];
  };
  void end_with(int status, std::size_t number) const;

  Shared* shared_;
  std::size_t taken_ = 0;
  bool replaying_ = false;
  Clock::time_point last_ = Clock::now();
};

}  // namespace dcc::vp
