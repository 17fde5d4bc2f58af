// Random order of events that fall on the same picosecond, with a new permutation for each instant.
#pragma once

#include <cstdint>
#include <utility>

#include "sim/random.h"
#include "units.h"

namespace dcc {

/// A pseudo-random permutation of the numbers below `count` for each instant, derived from `seed`.
/// Numbers that meet repeatedly come first equally often, so no synchronous sender is favoured. The
/// permutation does not depend on earlier events.
class TieOrder {
 public:
  TieOrder(std::uint64_t seed, std::uint32_t count) : seed_(seed), count_(count) {
    while ((std::uint64_t{1} << 2 * half_) < count) ++half_;
    mask_ = (std::uint32_t{1} << half_) - 1;
  }

  /// Returns the position of `number` in the permutation of the instant `when`, below `count`.
  /// Precondition: number < count.
  std::uint32_t place(std::uint32_t number, PicoSeconds when) const {
    const std::uint64_t key = mix64(seed_ ^ static_cast<std::uint64_t>(when.count));
    do number = shuffled(number, key);
    while (number >= count_);  // cycle walking: repeats until the number is below count
    return number;
  }

 private:
  /// Permutes a number by six rounds of a Feistel network, which is a bijection.
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
  int half_ = 3;  // number of bits in one half; fewer than three do not mix well
  std::uint32_t mask_;
};

}  // namespace dcc
