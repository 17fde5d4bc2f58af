// The model of the rate calculation unit: bit-exact cuts and increases by look-up.
#pragma once

#include <memory>

#include "controller/rate_engine.h"

namespace dcc {

/// Least rate lo and greatest rate hi of a DSCP: lo = max(R_MIN, floor), hi = max(lo, min(R_MAX,
/// ceiling)).
struct RateLimits {
  RateBits lo = 0;
  RateBits hi = 0;
};
RateLimits rate_limits(const RateRegisters& registers, const RateTables& tables,
                       std::uint32_t dscp);

/// The steps of the arithmetic in docs/formats.md, as functions without state.
Fraction16 decayed_alpha(Fraction16 alpha, std::uint32_t delta, const RateRegisters& registers,
                         const RateTables& tables);
Fraction16 decrease_multiplier(std::uint32_t argument, const RateTables& tables);
DecreaseResult compute_decrease(const DecreaseRequest& request, const RateRegisters& registers,
                                const RateTables& tables);
IncreaseResult compute_increase(const IncreaseRequest& request, const RateRegisters& registers,
                                const RateTables& tables);

/// The model of the controller's rate calculation unit. The model has its own copy of the rate
/// registers and of the look-up tables. After look_up_in() the model reads the caller's tables.
class RateUnit final : public RateEngine {
 public:
  RateUnit() : own_(std::make_unique<RateTables>()), tables_(own_.get()) {}
  void load(const RateRegisters& registers) override { registers_ = registers; }
  void load(RateTable table, std::uint32_t index, std::uint32_t word) override {
    if (own_ != nullptr) own_->write(table, index, word);
  }
  bool look_up_in(const RateTables& tables) override {
    tables_ = &tables;
    own_.reset();
    return true;
  }
  DecreaseResult decrease(const DecreaseRequest& request) override {
    return compute_decrease(request, registers_, *tables_);
  }
  IncreaseResult increase(const IncreaseRequest& request) override {
    return compute_increase(request, registers_, *tables_);
  }

 private:
  RateRegisters registers_;
  std::unique_ptr<RateTables> own_;
  const RateTables* tables_;
};

}  // namespace dcc
