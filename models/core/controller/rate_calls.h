// A bounded history of the calls of a rate engine, for reports and recordings of lock-step.
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

/// Formats a call of a rate engine as one line of a recording.
std::string to_string(const RateCall& call);
std::string to_string(const DecreaseResult& result);
std::string to_string(const IncreaseResult& result);

/// History of a rate engine's calls that keeps at least the last `kKept` calls. Older calls are
/// dropped, but the register values and table entries that these calls wrote are kept. So memory is
/// bounded, and a replay begins in the right state.
class RateCalls {
 public:
  static constexpr std::size_t kKept = 50'000;

  void add(const RateCall& call);
  /// The calls that bring a rate unit from reset to its present state.
  std::vector<RateCall> all() const;
  std::vector<RateCall> last(std::size_t count) const;

 private:
  struct Stretch {
    std::vector<RateCall> before;  // calls that restore the rate unit's state before the kept calls
    std::vector<RateCall> calls;
  };
  std::vector<RateCall> state() const;

  RateRegisters registers_;
  RateTables tables_;
  Stretch previous_, current_;
};

}  // namespace dcc
