// Pseudo-random numbers that are identical on every machine, by integer arithmetic only.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/state_digest.h"

namespace dcc {

/// An independent stream of random numbers (xoshiro256**, Blackman and Vigna 2018), seeded through
/// splitmix64 from the run's seed and the stream's name and index. Streams with different names or
/// indices are independent, so adding a device does not change the random numbers of another
/// device.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name, std::uint64_t index = 0);

  std::uint64_t next_u64() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }
  /// Returns the upper half of next_u64(), which has the better statistical quality.
  std::uint32_t next_u32() { return static_cast<std::uint32_t>(next_u64() >> 32); }
  /// Returns a uniformly distributed random number in 0 … bound-1, without bias. Precondition:
  /// bound > 0.
  std::uint64_t below(std::uint64_t bound);
  /// Returns true with probability q32 / 2^32 (q32 = 0: never, 2^32: always).
  bool chance(std::uint64_t q32) { return next_u32() < q32; }
  /// Exponentially distributed random number with mean 1 in unsigned 32.32 fixed point: at most
  /// 64·ln 2 = 44.4.
  std::uint64_t exponential_q32();
  /// Exponentially distributed random number with the given mean, rounded to the nearest integer.
  /// Precondition: mean < 2^56.
  std::uint64_t exponential(std::uint64_t mean);
  void add_state(StateDigest& d) const { d(state_); }

 private:
  static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

  std::array<std::uint64_t, 4> state_{};
};

/// log2(x) in unsigned 6.32 fixed point, truncated; error below 2^-32. Precondition: x > 0.
std::uint64_t log2_q32(std::uint64_t x);

/// Hashes a 64-bit number (finaliser of splitmix64). Small integers and ECMP keys are hashed by
/// this function.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace dcc
