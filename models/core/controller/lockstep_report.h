// The report of a difference between two engines in lock-step, and the place of its recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace dcc {

struct LockstepReport {
  /// Defaults: the host whose engine differs, the file of the recording, and the program that
  /// replays the recording.
  LockstepReport(std::string whose, std::string log, std::string program)
      : name(std::move(whose)), log_path(std::move(log)), replay_program(std::move(program)) {}

  std::uint64_t seed = 0;      // seed of the run, for the report only
  std::string name;            // name of the engine, for example "host 3 timer"
  std::string log_path;        // path of the recording, written at a difference, read by the replay
  std::string told_path;       // name of the recording in the report; empty: log_path
  std::string replay_program;  // name of the replay program in the report
  std::size_t last_calls = 20;  // number of last calls that the report lists

  /// The line of the report that gives the command for a replay with `waveform`.
  std::string replay_line(const std::string& waveform) const {
    return "  replay with waveform: " + replay_program + " " +
           (told_path.empty() ? log_path : told_path) + " --fst " + waveform;
  }
};

/// A difference between model and hardware. what() is the whole report: time, last calls, both
/// states, seed, and the command that replays the recording into a waveform.
class LockstepMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace dcc
