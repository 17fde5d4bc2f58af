// The interface of a rate calculation unit, implemented by the model, by verilated RTL, or by both
// in lock-step.
#pragma once

#include <cstdint>
#include <optional>

#include "controller/formats.h"
#include "controller/parameters.h"
#include "controller/rate_tables.h"

namespace dcc {

/// Operands of a rate cut. The caller saturates the fields to their ranges.
struct DecreaseRequest {
  RateBits rc = 0;
  RateBits rt = 0;          // target rate; only the proportional law reads it
  Fraction16 alpha = 0;     // congestion estimate alpha of the slot, 0 … 65536 (= 1.0)
  std::uint32_t delta = 0;  // number of ticks since the last rate cut, 0 … 2^20 − 1
  std::uint8_t dscp = 0;    // DSCP of the flow, 0 … 63
  std::uint8_t marks = 1;   // number of CE marks that the notification stands for
  bool first = false;  // true for the first cut of a slot, or a step of a hold (proportional law)
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
  std::uint8_t dscp = 0;  // DSCP of the flow, 0 … 63
  IncreaseStage stage = IncreaseStage::kRecovery;
  // number of unmarked packets, 0 … 2^20 − 1; only the proportional law reads it
  std::uint32_t packets = 0;
};
struct IncreaseResult {
  RateBits rc = 0;
  RateBits rt = 0;
  bool at_maximum = false;  // true if the new current rate is the greatest rate of the flow's DSCP
};

/// A rate engine computes on copies of registers and tables, so the result of a request depends
/// only on the request and on earlier loads. Calls take no simulated time; the cycles of the
/// hardware's unit are part of the controller's latency.
class RateEngine {
 public:
  virtual ~RateEngine() = default;
  /// Replaces the engine's copy of the registers. Called before the first request and after every
  /// change of a register.
  virtual void load(const RateRegisters& registers) = 0;
  /// Replaces one entry of a rate table, in the layout of RateTables::write.
  virtual void load(RateTable table, std::uint32_t index, std::uint32_t word) = 0;
  virtual DecreaseResult decrease(const DecreaseRequest& request) = 0;
  virtual IncreaseResult increase(const IncreaseRequest& request) = 0;
  /// Offers the caller's rate tables, which outlive the engine. Returns true if the engine uses
  /// these tables from now on instead of a copy.
  virtual bool look_up_in(const RateTables& /*tables*/) { return false; }
  /// Reads a word of one of the engine's rate tables; 0 beyond the end of the table. Empty if the
  /// engine cannot read its tables.
  virtual std::optional<std::uint32_t> read(RateTable, std::uint32_t /*index*/) {
    return std::nullopt;
  }
};

}  // namespace dcc
