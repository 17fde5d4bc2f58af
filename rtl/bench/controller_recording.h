// Records the calls of a controller in memory, writes the calls to a file when a difference occurs,
// and replays a recorded file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "controller/controller_engine.h"

namespace dcc {

struct ControllerCall {
  enum class Kind : std::uint8_t { kCnp, kBytes, kRelease, kQuery, kWrite, kRead, kLook };
  /// Kinds of observations that a recording holds; the member `first` of a recorded call stores the
  /// kind.
  enum Look : std::uint32_t { kFigures, kSlotOf, kSlot };
  PicoSeconds time{};
  std::uint32_t first = 0;  // flow of the call, or address of a register
  // length of a byte notification, or value of a register; for an observation, the index of the
  // observed item
  std::uint32_t second = 0;
  Kind kind = Kind::kLook;
  std::uint8_t dscp = 0;  // DSCP of a notification, or byte strobes of a write
  std::uint8_t marks = 0;
  std::uint8_t packets = 0;
};
static_assert(sizeof(ControllerCall) == 24, "millions are kept");

/// Formats a recorded call with its time as one line.
std::string to_string(const ControllerCall& call);
/// Formats a recorded call with the names and units of its arguments, for reports.
std::string in_words(const ControllerCall& call);

struct ControllerRecording {
  /// Maximum number of recorded calls, some hundred megabytes; later calls are not recorded, and
  /// the run cannot be replayed.
  static constexpr std::size_t kMaxCalls = 12'000'000;

  std::uint64_t seed = 0;
  std::uint32_t slots = 0;
  std::uint64_t clock_hertz = 0;
  unsigned fault = 0;
  PicoSeconds end{};  // end of the recorded time
  std::vector<ControllerCall> calls;
};

/// Writes the recording as text, one call per line. Throws std::runtime_error if the file cannot be
/// written.
void write_recording(const std::string& path, const ControllerRecording& recording);
/// Reads a recording. Throws std::runtime_error "path:line: what is wrong".
ControllerRecording read_controller_recording(const std::string& path);

}  // namespace dcc
