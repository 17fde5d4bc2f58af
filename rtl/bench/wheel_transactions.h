// The recorded calls of a timing engine: a bounded history in memory, written when a difference
// occurs, and replayed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "controller/timer_engine.h"
#include "timing_wheel_dut.h"

namespace dcc {

enum class WheelCall : std::uint8_t { kStart, kCancel, kTake, kReset, kNextDue, kLag, kRead };

struct WheelTransaction {
  Tick tick = 0;
  std::uint32_t value = 0;  // delay of a start, or slot of a taken expiry (kNone: none)
  std::uint16_t slot = 0;
  WheelCall call = WheelCall::kTake;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
};

std::string to_string(const WheelTransaction& transaction);

/// A recorded run of a wheel that starts without due expiries: the timers pending at its start, and
/// all later calls.
struct WheelRun {
  struct Pending {
    std::uint16_t slot = 0;
    std::uint32_t delay = 0;  // time of the expiry after `begin`
  };
  Tick begin = 0;
  std::vector<Pending> pending;
  std::vector<WheelTransaction> calls;
};

/// Stores at least the last `kKept` calls. Older calls are replaced by the events pending after
/// them, so memory is bounded and a replay still starts in the right state.
class WheelTransactions {
 public:
  static constexpr std::size_t kKept = 2'000'000;

  void add(const WheelTransaction& transaction) { current_.calls.push_back(transaction); }
  /// Begins a new stretch of the history if the present one is long. Call when no expiry is due.
  void may_rotate(Tick now, std::uint32_t slots,
                  const std::function<std::uint32_t(SlotIndex)>& remaining);
  /// Returns the calls for a replay: calls of the previous stretch of the history and of the
  /// present one.
  WheelRun run() const;
  std::vector<WheelTransaction> last(std::size_t count) const;

 private:
  WheelRun previous_, current_;
};

/// Contents of a recording of the timing wheel, in the form that a replay needs.
struct WheelRecording {
  std::uint64_t seed = 0;
  std::uint32_t slots = kVerilatedTimers;
  WheelFault fault = WheelFault::kNone;
  std::uint32_t random_seed = 0;
  WheelRun run;
};

/// Writes a recording as text, one call per line. Throws std::runtime_error if the file cannot be
/// written.
void write_recording(const std::string& path, const WheelRecording& recording);
/// Reads a recording. Throws std::runtime_error "path:line: what is wrong".
WheelRecording read_recording(const std::string& path);

}  // namespace dcc
