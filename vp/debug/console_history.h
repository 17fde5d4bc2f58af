// Remembers the moments of snapshots and chooses the snapshot to return to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cpu/snapshot_history.h"
#include "units.h"

namespace dcc::vp {

/// A moment of a run between two events, identified by the number of device events so far. Events
/// of the prompt do not count, because their number depends on the user's commands.
struct Moment {
  PicoSeconds time{};
  std::uint64_t events = 0;
};

/// The work that remains after execution has returned to a snapshot.
struct ReverseRequest {
  enum class Kind : char {
    kToTime = 't',    // replay the run up to `time`
    kToEvents = 'e',  // replay up to event number `events`
    kSearch = 's',    // replay up to `events` and find the last time that `what` happened before
  };
  Kind kind = Kind::kToTime;
  PicoSeconds time{};
  std::uint64_t events = 0;
  // kSearch: event number to which execution returns if `what` never happened
  std::uint64_t origin = 0;
  // kSearch: an event's name or "change NAME" to search for; otherwise the text to print on arrival
  std::string what;

  std::string text() const;
  static ReverseRequest read(const std::string& text);
};

/// The moments of the snapshots that the prompt has taken.
class ConsoleHistory {
 public:
  explicit ConsoleHistory(model::SnapshotHistory& machine) : machine_(machine) {}

  bool is_due() const { return machine_.is_due(); }
  bool replaying() const { return machine_.replaying(); }
  void finish_replay() { machine_.finish_replay(); }
  /// Takes a snapshot of the moment `now`. Returns a request if execution has returned to this
  /// snapshot.
  std::optional<ReverseRequest> mark(const Moment& now);
  /// True if another snapshot may be taken during a replay, to shorten later returns.
  bool may_take_intermediate() const { return moments_.size() < kMaxIntermediateSnapshots; }

  // The functions below end this process.
  void to_time(PicoSeconds time);
  void to_events(std::uint64_t events, const std::string& why);
  /// Searches for an event backwards from the last snapshot before this number of events.
  void search(std::uint64_t before, std::uint64_t origin, const std::string& what);
  /// Ends a search: returns to the moment `found`, where the event happened last, or searches
  /// earlier times.
  void end_search(const ReverseRequest& search, std::optional<std::uint64_t> found,
                  const std::string& why);

 private:
  static constexpr std::size_t kMaxIntermediateSnapshots = 64;
  std::size_t last_at(std::uint64_t events) const;

  model::SnapshotHistory& machine_;
  std::vector<Moment> moments_;  // moments of the snapshots, by snapshot number
};

}  // namespace dcc::vp
