// Report of a difference between two engines in lock-step, and the file of the recorded calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace dcc {

struct LockstepReport {
  /// Makes a report with the name of the engine that differs, the file of the recorded calls, and
  /// the program that replays them.
  LockstepReport(std::string whose, std::string log, std::string program)
      : name(std::move(whose)), log_path(std::move(log)), replay_program(std::move(program)) {}

  std::uint64_t seed = 0;  // random seed of the run, shown in the report only
  std::string name;        // name of the engine that differs, for example "host 3 timer"
  // path of the recorded calls, written at a difference and read by the replay
  std::string log_path;
  std::string told_path;       // path of the recorded calls as the report shows it; empty: log_path
  std::string replay_program;  // name of the replay program as the report shows it
  std::size_t last_calls = 20;  // number of most recent calls that the report lists

  /// The line of the report with the command that replays the recording into the file `waveform`.
  std::string replay_line(const std::string& waveform) const {
    return "  replay with waveform: " + replay_program + " " +
           (told_path.empty() ? log_path : told_path) + " --fst " + waveform;
  }
};

/// Exception for a difference between model and hardware. what() is the whole report: time, last
/// calls, both states, seed, and the command that replays the recording into a waveform.
class LockstepMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace dcc
