// Quantities of a configuration that units.h does not define: exact ratios, frequencies, addresses.
#pragma once

#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "units.h"

namespace dcc {

/// A non-negative rational number. 1/256, 0.01 and 1.5% are stored exactly, so every machine
/// computes the same fixed-point value. Numerator and denominator are below 2^40 and in lowest
/// terms; the denominator is not zero.
struct Ratio {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;

  constexpr Ratio() = default;
  constexpr Ratio(std::uint64_t n, std::uint64_t d = 1)
      : numerator(n / std::gcd(n, d)), denominator(d / std::gcd(n, d)) {}

  constexpr double value() const {
    return static_cast<double>(numerator) / static_cast<double>(denominator);
  }
  /// The ratio times 2^fraction_bits, rounded to the nearest integer, halves up.
  constexpr std::uint64_t to_fixed(int fraction_bits) const {
    const Uint128 n = static_cast<Uint128>(numerator) << (fraction_bits + 1);
    return static_cast<std::uint64_t>((n / denominator + 1) >> 1);
  }
  friend constexpr bool operator==(const Ratio& a, const Ratio& b) {
    return a.numerator == b.numerator && a.denominator == b.denominator;
  }
  friend constexpr bool operator!=(const Ratio& a, const Ratio& b) { return !(a == b); }
  friend constexpr bool operator<(const Ratio& a, const Ratio& b) {
    return static_cast<Uint128>(a.numerator) * b.denominator <
           static_cast<Uint128>(b.numerator) * a.denominator;
  }
};

/// A clock frequency in hertz.
struct Frequency {
  std::uint64_t hertz = 0;
  constexpr Frequency() = default;
  constexpr explicit Frequency(std::uint64_t hz) : hertz(hz) {}
  /// Duration of `n` clock cycles, rounded down to a picosecond.
  constexpr PicoSeconds cycles(std::uint64_t n) const {
    const Uint128 ps = static_cast<Uint128>(n) * 1'000'000'000'000u;
    return PicoSeconds(static_cast<std::int64_t>(ps / hertz));
  }
  friend constexpr bool operator==(Frequency a, Frequency b) { return a.hertz == b.hertz; }
};

/// A byte address on a host's bus, written as 0x80001000 or in decimal.
struct Address {
  std::uint32_t value = 0;
  friend constexpr bool operator<(const Address& a, const Address& b) { return a.value < b.value; }
};

constexpr BitRate operator""_Mbps(unsigned long long n) { return BitRate(n * 1'000'000); }
constexpr BitRate operator""_Gbps(unsigned long long n) { return BitRate(n * 1'000'000'000); }
constexpr Bytes operator""_KB(unsigned long long n) { return static_cast<Bytes>(n) * 1000; }
constexpr Bytes operator""_KiB(unsigned long long n) { return static_cast<Bytes>(n) * 1024; }
constexpr Bytes operator""_MB(unsigned long long n) { return static_cast<Bytes>(n) * 1'000'000; }
constexpr Bytes operator""_MiB(unsigned long long n) { return static_cast<Bytes>(n) * 1'048'576; }

/// Host numbers in the order written (`3`, `1..8`, or `[0, 4..7]`), without duplicates.
using HostList = std::vector<HostId>;

}  // namespace dcc
