// The calls a rate engine has had: kept short in memory, written at a difference, replayed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "controller/rate_engine.h"
#include "rate_dut.h"

namespace dcc {

struct RateTableWrite {
  RateTable table = RateTable::kFactor;
  std::uint32_t index = 0;
  std::uint32_t word = 0;
};
using RateCall = std::variant<RateRegisters, RateTableWrite, DecreaseRequest, IncreaseRequest>;

/// One line, as in a recording.
std::string to_string(const RateCall& call);
std::string to_string(const DecreaseResult& result);
std::string to_string(const IncreaseResult& result);

/// Remembers the last calls, at least `kKept` if there were as many. Older ones are replaced by the
/// registers and table entries they left, so that memory stays bounded and a replay starts right.
class RateCalls {
 public:
  static constexpr std::size_t kKept = 50'000;

  void add(const RateCall& call);
  /// What brings a unit that was just reset to the present: all of it, or state and the last calls.
  std::vector<RateCall> all() const;
  std::vector<RateCall> last(std::size_t count) const;

 private:
  struct Stretch {
    std::vector<RateCall> before;  // the state it begins in
    std::vector<RateCall> calls;
  };
  std::vector<RateCall> state() const;

  RateRegisters registers_;
  RateTables tables_;
  Stretch previous_, current_;
};

/// What a replay needs to know.
struct RateRecording {
  std::uint64_t seed = 0;  // of the run; only told
  RateFault fault = RateFault::kNone;
  std::uint32_t random_seed = 0;
  std::vector<RateCall> calls;
};

/// Text, one call a line. Throws std::runtime_error if the file cannot be written.
void write_recording(const std::string& path, const RateRecording& recording);
/// Throws std::runtime_error "path:line: what is wrong".
RateRecording read_rate_recording(const std::string& path);

}  // namespace dcc
