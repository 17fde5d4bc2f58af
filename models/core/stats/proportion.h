// An integer multiplied by a ratio, for the extrapolation of counters.
#pragma once

#include <cstdint>

#include "units.h"

namespace dcc {

struct Proportion {
  PicoSeconds skipped{};
  PicoSeconds watched{1};

  /// The product of a counter and this ratio, rounded to nearest. Precondition: the result fits.
  std::int64_t of(std::int64_t counted) const {
    const Uint128 product = static_cast<Uint128>(counted) * static_cast<Uint128>(skipped.count);
    const auto whole = static_cast<Uint128>(watched.count);
    return static_cast<std::int64_t>((product + whole / 2) / whole);
  }
  PicoSeconds of(PicoSeconds lasted) const { return PicoSeconds(of(lasted.count)); }
  std::uint64_t of(std::uint64_t counted) const {
    return static_cast<std::uint64_t>(of(static_cast<std::int64_t>(counted)));
  }
};

}  // namespace dcc
