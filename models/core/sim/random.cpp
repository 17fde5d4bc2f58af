#include "sim/random.h"

namespace dcc {

namespace {
__extension__ using Product = unsigned __int128;
constexpr std::uint64_t kLn2Q64 = 0xB17217F7D1CF79ABu;  // the constant ln 2 · 2^64
}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name, std::uint64_t index) {
  // The hash FNV-1a folds the name; splitmix64 turns (seed, name, index) into four state words that
  // are never all zero together.
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  std::uint64_t x = mix64(mix64(mix64(seed) ^ hash) ^ index);
  for (std::uint64_t& word : state_) {
    word = mix64(x);
    x += 0x9E3779B97F4A7C15u;
  }
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  // Unbiased range reduction (Lemire 2019): multiply, and reject the few values that would be
  // over-represented.
  Product product = Product{next_u64()} * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t reject_below = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < reject_below)
      product = Product{next_u64()} * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t log2_q32(std::uint64_t x) {
  const int whole = 63 - __builtin_clzll(x);
  // Mantissa of x in [1, 2) as 1.63 fixed point; each squaring yields the next binary digit of the
  // logarithm.
  std::uint64_t mantissa = x << (63 - whole);
  std::uint64_t fraction = 0;
  for (int digit = 0; digit < 32; ++digit) {
    const Product square = Product{mantissa} * mantissa;  // the square in 2.126 fixed point
    const bool carry = (square >> 127) != 0;
    fraction = fraction << 1 | (carry ? 1u : 0u);
    mantissa = static_cast<std::uint64_t>(carry ? square >> 64 : square >> 63);
  }
  return static_cast<std::uint64_t>(whole) << 32 | fraction;
}

std::uint64_t RandomStream::exponential_q32() {
  // never zero, since the logarithm of 0 does not exist; the lowest bit has no visible effect
  const std::uint64_t u = next_u64() | 1;
  const std::uint64_t minus_log2 = (std::uint64_t{64} << 32) - log2_q32(u);
  return static_cast<std::uint64_t>(Product{minus_log2} * kLn2Q64 >> 64);
}

std::uint64_t RandomStream::exponential(std::uint64_t mean) {
  const Product product = Product{exponential_q32()} * mean;
  return static_cast<std::uint64_t>((product + (Product{1} << 31)) >> 32);
}

}  // namespace dcc
