// Where the prompt has been, and how it gets back there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cpu/time_machine.h"
#include "units.h"

namespace dcc::vp {

/// A moment of a run between two events, by how many of the devices' have happened. The prompt's
/// own do not count: there are more or fewer of them depending on how one got there.
struct Moment {
  PicoSeconds time{};
  std::uint64_t events = 0;
};

/// What to do at a snapshot that somebody has returned to.
struct ReverseRequest {
  enum class Kind : char {
    kToTime = 't',    // on to `time`
    kToEvents = 'e',  // on to so many events
    kSearch = 's',    // on to `events`, looking for the last time `what` happened before them
  };
  Kind kind = Kind::kToTime;
  PicoSeconds time{};
  std::uint64_t events = 0;
  std::uint64_t origin = 0;  // kSearch: where to come back to if it never happened
  std::string what;          // kSearch: an event's name, or "change NAME"; else what to say then

  std::string text() const;
  static ReverseRequest read(const std::string& text);
};

/// The moments of the snapshots of a time machine that is the prompt's alone.
class ConsoleHistory {
 public:
  explicit ConsoleHistory(model::TimeMachine& machine) : machine_(machine) {}

  bool is_due() const { return machine_.is_due(); }
  bool replaying() const { return machine_.replaying(); }
  void arrived() { machine_.arrived(); }
  /// Takes a snapshot of `now`. ReverseRequest: somebody has come back to it.
  std::optional<ReverseRequest> mark(const Moment& now);
  /// A snapshot on the way back to a moment, from which the next ones are near.
  bool may_mark_on_the_way() const { return moments_.size() < kMaxIntermediateSnapshots; }

  // They end this process.
  void to_time(PicoSeconds time);
  void to_events(std::uint64_t events, const std::string& why);
  /// From the last snapshot before so many events.
  void search(std::uint64_t before, std::uint64_t origin, const std::string& what);
  /// A search has come to its end: `found` where it happened last, or on to earlier times.
  void search_over(const ReverseRequest& search, std::optional<std::uint64_t> found,
                   const std::string& why);

 private:
  static constexpr std::size_t kMaxIntermediateSnapshots = 64;
  std::size_t last_at(std::uint64_t events) const;

  model::TimeMachine& machine_;
  std::vector<Moment> moments_;  // by number of the snapshot
};

}  // namespace dcc::vp
