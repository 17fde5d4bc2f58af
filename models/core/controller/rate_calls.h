// The calls a rate engine has had, kept short in memory: what lock-step tells and records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "controller/rate_engine.h"

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

}  // namespace dcc
