// Interface to snapshots of a whole simulation, for the prompt and the debugger.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace dcc::model {

/// Copies of the whole simulation (devices, network, RTL, software), taken while it runs. Runs are
/// deterministic, so any earlier moment is reached by restoring a snapshot before that moment and
/// running on.
class SnapshotHistory {
 public:
  virtual ~SnapshotHistory() = default;

  /// Number of snapshots, which are numbered from 0 in the order of simulated time.
  virtual std::size_t snapshots() const = 0;
  /// True if enough time has passed since the last snapshot to take another one. The call is cheap.
  virtual bool is_due() const = 0;
  /// Takes snapshot number snapshots(), between two events. Returns nothing when called, and
  /// returns again with a request each time that the snapshot is restored: the simulation then is
  /// in the state of the snapshot, nothing later is known, and replaying() is true.
  virtual std::optional<std::string> take_snapshot() = 0;
  /// Restores snapshot `number`, whose take_snapshot() returns `request`. Later snapshots are
  /// deleted. Preconditions: number < snapshots(), request.size() <= kMaxRequestBytes.
  [[noreturn]] virtual void restore(std::size_t number, const std::string& request) = 0;
  static constexpr std::size_t kMaxRequestBytes = 1 << 16;

  /// True between the restore of a snapshot and finish_replay(). The same events ran before, so
  /// output must not be repeated.
  virtual bool replaying() const = 0;
  /// Ends the replay that follows the restore of a snapshot. Must be called when the requested
  /// moment is reached.
  virtual void finish_replay() = 0;
};

}  // namespace dcc::model
