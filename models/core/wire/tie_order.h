// Who comes first of those that come at the same picosecond: drawn anew for each.
#pragma once

#include <cstdint>
#include <utility>

#include "sim/random.h"
#include "units.h"

namespace dcc {

/// For each moment another order of the numbers below `count`, as `seed` says. Of some that meet
/// again and again each is the first equally often, so none of several synchronous senders is
/// favoured. Depends on nothing that was before.
class TieOrder {
 public:
  TieOrder(std::uint64_t seed, std::uint32_t count) : seed_(seed), count_(count) {
    while ((std::uint64_t{1} << 2 * half_) < count) ++half_;
    mask_ = (std::uint32_t{1} << half_) - 1;
  }

  /// The place of a number, below `count` as well. Precondition: number < count.
  std::uint32_t place(std::uint32_t number, PicoSeconds when) const {
    const std::uint64_t key = mix64(seed_ ^ static_cast<std::uint64_t>(when.count));
    do number = shuffled(number, key);
    while (number >= count_);  // in a circle that comes back to a number below
    return number;
  }

 private:
  /// One to one: what one half becomes depends on the other alone, six times in turns (Feistel).
  std::uint32_t shuffled(std::uint32_t number, std::uint64_t key) const {
    std::uint32_t high = number >> half_;
    std::uint32_t low = number & mask_;
    for (std::uint64_t round = 0; round < 6; ++round) {
      high ^= static_cast<std::uint32_t>(mix64(key + (round << 32 | low))) & mask_;
      std::swap(high, low);
    }
    return high << half_ | low;
  }

  std::uint64_t seed_;
  std::uint32_t count_;
  int half_ = 3;  // bits; fewer would not mix
  std::uint32_t mask_;
};

}  // namespace dcc
