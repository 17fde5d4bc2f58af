#include "controller/rate_unit.h"

#include <algorithm>

#include "controller/law/law.h"

namespace dcc {

namespace {

RateBits clamp(std::uint64_t rate, RateLimits limits) {
  return static_cast<RateBits>(std::clamp<std::uint64_t>(rate, limits.lo, limits.hi));
}

std::uint32_t step_of(IncreaseStage stage, const RateRegisters& registers) {
  if (stage == IncreaseStage::kAdditive) return registers.r_ai;
  return stage == IncreaseStage::kHyper ? registers.r_hai : 0;
}

}  // namespace

RateLimits rate_limits(const RateRegisters& registers, const RateTables& tables,
                       std::uint32_t dscp) {
  const RateBits lo = std::max(registers.r_min, tables.floor(dscp));
  return {lo, std::max(lo, std::min(registers.r_max, tables.ceiling(dscp)))};
}

// Decays α for the time since the last cut: one decay step every K ticks, computed with two
// look-ups.
Fraction16 decayed_alpha(Fraction16 alpha, std::uint32_t delta, const RateRegisters& registers,
                         const RateTables& tables) {
  const std::uint64_t intervals = std::uint64_t{delta} * registers.alpha_recip >> 32;
  const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(kMaxAlphaIntervals, intervals));
  return static_cast<Fraction16>(
      mul16(mul16(alpha, tables.decay_hi(n >> 6)), tables.decay_lo(n & 63)));
}

// Interpolates linearly between two entries of the decrease table, rounded half up.
Fraction16 decrease_multiplier(std::uint32_t argument, const RateTables& tables) {
  const std::uint32_t i = argument >> 8;
  const std::uint32_t f = argument & 255;
  if (f == 0) return tables.decrease(i);
  return (tables.decrease(i) * (256 - f) + tables.decrease(i + 1) * f + 128) >> 8;
}

DecreaseResult compute_decrease(const DecreaseRequest& request, const RateRegisters& registers,
                                const RateTables& tables) {
  const Fraction16 alpha =
      decayed_alpha(request.alpha, request.first ? 0 : request.delta, registers, tables);
  const std::uint64_t source =
      registers.cut_by_marks ? std::uint64_t{request.marks} << registers.mark_shift : alpha;
  const auto argument = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(kOne16, source * tables.decrease_factor(request.dscp) >> 12));
  const bool first_cut = request.first && registers.first_cut != 0;
  const Fraction16 multiplier =
      first_cut ? registers.first_cut
                : std::max<Fraction16>(registers.cut_floor, decrease_multiplier(argument, tables));
  const RateLimits limits = rate_limits(registers, tables, request.dscp);
  const std::uint64_t left = std::uint64_t{request.rc} * multiplier >> 16;

  DecreaseResult result;
  result.rc = clamp(left, limits);
  result.rt =
      Law::of_number(registers.law)
          .cut_target(request, {request.rc - left, multiplier, argument, first_cut}, limits.lo);
  result.alpha = static_cast<Fraction16>(
      std::min<std::uint64_t>(kOne16, alpha + mul16(kOne16 - alpha, registers.g)));
  return result;
}

IncreaseResult compute_increase(const IncreaseRequest& request, const RateRegisters& registers,
                                const RateTables& tables) {
  const RateLimits limits = rate_limits(registers, tables, request.dscp);
  const Law& law = Law::of_number(registers.law);
  const std::uint64_t additive = law.added(request, step_of(request.stage, registers), tables);
  const std::uint64_t multiplicative =
      request.stage == IncreaseStage::kRecovery ? 0 : mul16(request.rt, registers.mi);

  IncreaseResult result;
  result.rt = static_cast<RateBits>(
      std::min<std::uint64_t>(limits.hi, request.rt + additive + multiplicative));
  result.rc = clamp(law.raised(request.rc, result.rt), limits);
  result.at_maximum = result.rc == limits.hi;
  return result;
}

}  // namespace dcc
