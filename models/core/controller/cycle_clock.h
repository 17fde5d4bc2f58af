// The controller's clock: conversions between platform time, edges and ticks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "units.h"

namespace dcc {

/// Number of an edge of the controller's clock, and of the cycle that begins with the edge.
using Cycle = std::int64_t;

/// The controller's clock. Edge n is at n clock periods after `origin`. Tick n begins n * divider
/// cycles after cycle 0 as long as the divider does not change.
class CycleClock {
 public:
  CycleClock(PicoSeconds origin, PicoSeconds period, std::uint32_t divider)
      : origin_(origin),
        period_(period),
        reciprocal_(~std::uint64_t{0} / static_cast<std::uint64_t>(period.count)),
        divider_(divider) {}

  PicoSeconds time_of(Cycle edge) const { return origin_ + period_ * edge; }
  /// The first clock edge at or after time `t`. Precondition: `t` is not before the origin. Every
  /// packet calls this function, so it multiplies by the reciprocal of the period, 2^64 / period
  /// rounded down, instead of dividing. The product is the quotient or one less.
  Cycle edge_at(PicoSeconds t) const {
    const std::int64_t since = (t - origin_).count;
    auto edge = static_cast<Cycle>(Uint128(static_cast<std::uint64_t>(since)) * reciprocal_ >> 64);
    std::int64_t left = since - edge * period_.count;
    for (; left > 0; left -= period_.count) ++edge;
    return edge;
  }

  /// The tick that contains a cycle. Precondition: `cycle` is not before `now` of the latest
  /// set_divider().
  Tick tick_of(Cycle cycle) const {
    Span span = present();
    for (std::size_t i = before_.size(); cycle < span.began && i > 0;) span = before_[--i];
    return span.tick + static_cast<Tick>(cycle - span.began) / span.divider;
  }
  /// The tick that contains a cycle. Faster than tick_of() if the tick is that of the previous
  /// call. Calls must come in the order of time.
  Tick tick_of_next(Cycle cycle) {
    const Cycle into = cycle - tick_began_;
    if (into < static_cast<Cycle>(divider_)) return tick_;
    const Tick further = static_cast<Tick>(into) / divider_;
    tick_ += further;
    tick_began_ += static_cast<Cycle>(further * divider_);
    return tick_;
  }
  /// The cycle with which `tick` begins, unless the tick divider changes before that cycle.
  Cycle begin_of(Tick tick) const {
    return base_cycle_ + static_cast<Cycle>(tick - tick_base_) * static_cast<Cycle>(divider_);
  }

  std::uint32_t divider() const { return divider_; }
  /// Sets the number of cycles in a tick from `cycle` on. The tick of the cycle before `cycle`
  /// begins anew in `cycle`, even if the next tick was due there. Precondition: `cycle` is not
  /// before the cycle of the previous change. Several changes may lie ahead of the cycles that are
  /// queried next. tick_of() must not be called for a cycle before `now` any more.
  void set_divider(std::uint32_t divider, Cycle cycle, Cycle now) {
    const Tick tick = cycle == 0 ? 0 : tick_of(cycle - 1);
    before_.push_back(present());
    std::size_t over = 0;
    while (over + 1 < before_.size() && before_[over + 1].began <= now) ++over;
    before_.erase(before_.begin(), before_.begin() + static_cast<std::ptrdiff_t>(over));
    tick_base_ = tick_ = tick;
    base_cycle_ = tick_began_ = cycle;
    divider_ = divider;
  }

 private:
  /// Consecutive ticks of equal length. The first of these ticks has number `tick` and began with
  /// cycle `began`.
  struct Span {
    Tick tick = 0;
    Cycle began = 0;
    std::uint32_t divider = 1;
  };
  Span present() const { return {tick_base_, base_cycle_, divider_}; }

  PicoSeconds origin_;
  PicoSeconds period_;
  std::uint64_t reciprocal_;
  std::uint32_t divider_;
  Tick tick_base_ = 0;  // number of the tick that begins with cycle base_cycle_
  Cycle base_cycle_ = 0;
  std::vector<Span> before_;  // earlier spans that tick_of() may still need
  Tick tick_ = 0;             // result of the latest tick_of_next()
  Cycle tick_began_ = 0;
};

}  // namespace dcc
