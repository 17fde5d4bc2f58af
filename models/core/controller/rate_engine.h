// What the congestion manager asks of a rate calculation unit, be it the model or verilated RTL.
#pragma once

#include <cstdint>
#include <optional>

#include "controller/formats.h"
#include "controller/parameters.h"
#include "controller/rate_tables.h"

namespace dcc {

/// A cut. Fields beyond their range must be saturated by the caller.
struct DecreaseRequest {
  RateBits rc = 0;
  RateBits rt = 0;          // read by the proportional law alone
  Fraction16 alpha = 0;     // 0 … 65536
  std::uint32_t delta = 0;  // ticks since the last cut, 0 … 2^20 − 1
  std::uint8_t dscp = 0;    // 0 … 63
  std::uint8_t marks = 1;   // CE marks the notification stands for
  bool first = false;       // the first cut of a slot, or a step of a hold (proportional law)
};
struct DecreaseResult {
  RateBits rc = 0;
  RateBits rt = 0;
  Fraction16 alpha = 0;
};

enum class IncreaseStage : std::uint8_t { kRecovery = 0, kAdditive = 1, kHyper = 2 };

struct IncreaseRequest {
  RateBits rc = 0;
  RateBits rt = 0;
  std::uint8_t dscp = 0;  // 0 … 63
  IncreaseStage stage = IncreaseStage::kRecovery;
  std::uint32_t packets = 0;  // unmarked packets, 0 … 2^20 − 1; read by the proportional law alone
};
struct IncreaseResult {
  RateBits rc = 0;
  RateBits rt = 0;
  bool at_maximum = false;  // rc is the greatest rate of its DSCP
};

/// Pure arithmetic on registers and tables it was given copies of: the same request after the same
/// loads has the same result. Its cycles are part of `controller.latency`; it takes no model time.
class RateEngine {
 public:
  virtual ~RateEngine() = default;
  /// Called before the first request and after every change of a register.
  virtual void load(const RateRegisters& registers) = 0;
  /// One table entry, in the register map's layout (RateTables::write).
  virtual void load(RateTable table, std::uint32_t index, std::uint32_t word) = 0;
  virtual DecreaseResult decrease(const DecreaseRequest& request) = 0;
  virtual IncreaseResult increase(const IncreaseRequest& request) = 0;
  /// The caller's tables, which outlive it: true says that it looks up in them from now on, in the
  /// place of a copy.
  virtual bool look_up_in(const RateTables& /*tables*/) { return false; }
  /// The word it keeps in a table, 0 beyond the table; none: it cannot tell.
  virtual std::optional<std::uint32_t> read(RateTable, std::uint32_t /*index*/) {
    return std::nullopt;
  }
};

}  // namespace dcc
