// DCQCN and the proportional policy in real numbers: an independent oracle of the fixed-point
// arithmetic. It is written from the definitions (Zhu et al., SIGCOMM 2015, section 3;
// docs/formats.md for the proportional policy), and not from the controller's code. Each value has
// a bound of its distance from the controller's value, which is derived below from the roundings of
// the formats.
#pragma once

#include <algorithm>
#include <cmath>

namespace dcc::test {

using Real = long double;

/// Parameters of the reference: rates in units of 1/256 Mb/s, α and multipliers as fractions of 1.
struct ReferenceParameters {
  bool proportional = false;
  Real g = 1.0L / 256;
  Real r_ai = 0, r_hai = 0, r_min = 0, r_max = 0;
  Real mi = 0;      // fraction of the rate that an increase adds
  Real weight = 1;  // divisor of the cut's argument; for DCQCN also the factor of increases
};

/// A real value, with a bound of the distance of the controller's fixed-point value.
struct Bounded {
  Real value = 0;
  Real error = 0;
};

/// One flow. Errors have the units of the values.
///
/// Roundings, one unit u = 2^-16 of a fraction, one step = 1 of a rate:
/// - decay over n > 0 intervals: both table entries ± u/2 of a value ≤ 1, two products ± u/2 each:
///   + 2u. n = 0 reads entries that are exactly 1: + 0.
/// - argument = source · f_dec, truncated to u, f_dec = 4096 / weight rounded: ± 1/8192 of itself
///   (none if 4096 / weight is whole); + u.
/// - decrease table: entry ± u/2, interpolation rounded ± u/2. A straight line adds nothing, and
///   both curves are straight between entries.
/// - rates: products truncated or rounded, + 1 step each.
/// A clamp and an average bring two values no farther apart than they were.
///
/// The proportional policy takes a part of each cut off Rt as well: if the errors of Rc and Rt were
/// independent, a cut would make Rt's greater. The errors are not independent: both rates start
/// from one value at an increase. So the error of each rate is a share of that value's error, plus
/// the errors added since.
class ReferenceFlow {
 public:
  static constexpr Real kUnit = 1.0L / 65536;

  ReferenceFlow(const ReferenceParameters& parameters, Real initial_rate, Real initial_alpha)
      : p_(parameters),
        rc_{initial_rate, 1, 0},
        rt_{initial_rate, 1, 0},
        alpha_{initial_alpha, 0} {}

  /// Applies a cut; `intervals` is the number of whole α intervals since the last cut.
  void cut(unsigned intervals, unsigned marks) {
    const Real decay = std::pow(1 - p_.g, static_cast<Real>(intervals));
    const Bounded alpha{alpha_.value * decay,
                        alpha_.error * decay + (intervals == 0 ? 0 : 2 * kUnit)};
    const Bounded factor = p_.proportional ? proportional_factor(marks) : dcqcn_factor(alpha);
    if (p_.proportional) {
      cut_both(factor);
    } else {
      const Bounded before = rc();
      rt_ = fresh(before);
      rc_ = fresh(limited({before.value * factor.value,
                           before.error * std::min<Real>(1, factor.value + factor.error) +
                               before.value * factor.error + 1}));
    }
    alpha_.value = (1 - p_.g) * alpha.value + p_.g;
    alpha_.error = (1 - p_.g) * alpha.error + kUnit / 2;
  }

  /// Applies an increase; `step` is 0, R_AI or R_HAI for DCQCN, and R_AI times the number of
  /// packets for the proportional policy.
  void increase(Real step) {
    const Bounded base = rt();
    const Bounded before = rc();
    const Real mi = step > 0 ? p_.mi : 0;
    const Bounded target =
        limited({base.value * (1 + mi) + step * (p_.proportional ? 1 : p_.weight),
                 base.error * (1 + mi) + (mi > 0 ? 0.5L : 0) + (step > 0 ? 0.5L : 0)});
    if (p_.proportional) {
      common_ = target.error;
      rc_ = rt_ = {target.value, 1, 0};
    } else {
      rt_ = fresh(target);
      rc_ = fresh(
          limited({(before.value + target.value) / 2, (before.error + target.error) / 2 + 0.5L}));
    }
  }

  Bounded rc() const { return {rc_.value, rc_.share * common_ + rc_.own}; }
  Bounded rt() const { return {rt_.value, rt_.share * common_ + rt_.own}; }
  const Bounded& alpha() const { return alpha_; }

 private:
  /// Error of a rate: share · common_ + own.
  struct Rate {
    Real value = 0;
    Real share = 0;
    Real own = 0;
  };
  static Rate fresh(const Bounded& b) { return {b.value, 0, b.error}; }

  /// Cuts both rates; the target Rt falls by a quarter of the decrease of Rc.
  void cut_both(const Bounded& factor) {
    const Real taken = 1 - factor.value;
    const Real gathered = (rc().value + rc().error) * factor.error + 1;
    Rate rc = rc_, rt = rt_;
    rt.value -= rc_.value * taken / 4;
    rt.share -= rc_.share * taken / 4;
    rt.own += rc_.own * taken / 4 + gathered / 4 + 1;
    rc.value *= factor.value;
    rc.share *= factor.value;
    rc.own = rc_.own * factor.value + gathered;
    rc_ = rate_limited(rc);
    rt_ = rate_limited(rt);
  }
  /// A rate that is clamped to a limit shares no error with the other rate any more.
  Rate rate_limited(const Rate& rate) const {
    const Bounded all{rate.value, rate.share * common_ + rate.own};
    const Bounded b = limited(all);
    return b.value == all.value && b.error == all.error ? rate : fresh(b);
  }
  /// Clamps the value and its controller counterpart, which are then no farther apart than before.
  Bounded limited(const Bounded& b) const {
    const Real value = std::clamp(b.value, p_.r_min, p_.r_max);
    return {value, std::max(std::clamp(b.value + b.error, p_.r_min, p_.r_max) - value,
                            value - std::clamp(b.value - b.error, p_.r_min, p_.r_max))};
  }
  Real argument_rounding(Real argument) const {
    const Real factor = 4096 / p_.weight;
    return kUnit + (factor == std::floor(factor) ? 0 : argument / 8192 * p_.weight);
  }
  Bounded dcqcn_factor(const Bounded& alpha) const {
    const Real argument = std::min<Real>(1, alpha.value / p_.weight);
    const Real error = alpha.error / p_.weight + argument_rounding(argument);
    return {1 - argument / 2, error / 2 + kUnit};
  }
  Bounded proportional_factor(unsigned marks) const {
    const Real steps = std::min<Real>(64, marks / p_.weight);
    return {std::max<Real>(0, 1 - steps / 16), 4 * argument_rounding(steps / 64) + kUnit};
  }

  ReferenceParameters p_;
  Rate rc_, rt_;
  Bounded alpha_;
  Real common_ = 0;  // error of both rates at the last increase
};

}  // namespace dcc::test
