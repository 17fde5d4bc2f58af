// The interface of a rate calculation unit: the model, verilated RTL, or both in lock-step.
#pragma once

#include <cstdint>
#include <optional>

#include "controller/formats.h"
#include "controller/parameters.h"
#include "controller/rate_tables.h"

namespace dcc {

/// Operands of a cut. The caller saturates fields to their ranges.
struct DecreaseRequest {
  RateBits rc = 0;
  RateBits rt = 0;          // target rate; read only by the proportional law
  Fraction16 alpha = 0;     // alpha of the slot, 0 … 65536 (= 1.0)
  std::uint32_t delta = 0;  // ticks since the last cut, 0 … 2^20 − 1
  std::uint8_t dscp = 0;    // DSCP of the flow, 0 … 63
  std::uint8_t marks = 1;   // CE marks that the notification stands for
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
  // number of unmarked packets, 0 … 2^20 − 1; read only by the proportional law
  std::uint32_t packets = 0;
};
struct IncreaseResult {
  RateBits rc = 0;
  RateBits rt = 0;
  bool at_maximum = false;  // true if rc is the greatest rate of its DSCP
};

/// Arithmetic on copies of registers and tables: the result of a request depends on the request and
/// on the loads before it alone. Calls take no model time; the cycles of the hardware's unit are
/// part of the controller's latency.
class RateEngine {
 public:
  virtual ~RateEngine() = default;
  /// Replaces the registers. Called before the first request and after every change of a register.
  virtual void load(const RateRegisters& registers) = 0;
  /// Replaces one table entry, in the layout of RateTables::write.
  virtual void load(RateTable table, std::uint32_t index, std::uint32_t word) = 0;
  virtual DecreaseResult decrease(const DecreaseRequest& request) = 0;
  virtual IncreaseResult increase(const IncreaseRequest& request) = 0;
  /// Offers the caller's tables, which outlive the engine. True if the engine uses them from now on
  /// instead of a copy.
  virtual bool look_up_in(const RateTables& /*tables*/) { return false; }
  /// Reads a word of the engine's table; 0 beyond the table. Empty if the engine cannot read its
  /// tables.
  virtual std::optional<std::uint32_t> read(RateTable, std::uint32_t /*index*/) {
    return std::nullopt;
  }
};

}  // namespace dcc
