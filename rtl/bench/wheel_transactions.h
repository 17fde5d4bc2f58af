// The calls a timing engine has had: kept short in memory, written at a difference, replayed.
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
  std::uint32_t value = 0;  // delay of a start, slot of an expiry taken (kNone: none)
  std::uint16_t slot = 0;
  WheelCall call = WheelCall::kTake;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
};

std::string to_string(const WheelTransaction& transaction);

/// A run of a wheel from a state without due expiries: the timers pending then, and every later
/// call.
struct WheelRun {
  struct Pending {
    std::uint16_t slot = 0;
    std::uint32_t delay = 0;  // from `begin`
  };
  Tick begin = 0;
  std::vector<Pending> pending;
  std::vector<WheelTransaction> calls;
};

/// Remembers the last calls, at least `kKept` if there were as many. Older ones are replaced by the
/// events pending when they end, so that memory stays bounded and a replay still starts right.
class WheelTransactions {
 public:
  static constexpr std::size_t kKept = 2'000'000;

  void add(const WheelTransaction& transaction) { current_.calls.push_back(transaction); }
  /// Call when no expiry is due: starts a new stretch if the present one is long.
  void may_rotate(Tick now, std::uint32_t slots,
                  const std::function<std::uint32_t(SlotIndex)>& remaining);
  /// Calls of a replay: the previous stretch and the present one.
  WheelRun run() const;
  std::vector<WheelTransaction> last(std::size_t count) const;

 private:
  WheelRun previous_, current_;
};

/// Inputs that a replay needs.
struct WheelRecording {
  std::uint64_t seed = 0;
  std::uint32_t slots = kVerilatedTimers;
  WheelFault fault = WheelFault::kNone;
  std::uint32_t random_seed = 0;
  WheelRun run;
};

/// Text, one call a line. Throws std::runtime_error if the file cannot be written.
void write_recording(const std::string& path, const WheelRecording& recording);
/// Throws std::runtime_error "path:line: what is wrong".
WheelRecording read_recording(const std::string& path);

}  // namespace dcc
