// Stores real numbers in the 64-bit fields of a packet's header.
#pragma once

#include <cstdint>
#include <cstring>

namespace dcc {

inline std::uint64_t bits_of(double number) {
  std::uint64_t bits = 0;
  static_assert(sizeof bits == sizeof number);
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

inline double number_of(std::uint64_t bits) {
  double number = 0;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

}  // namespace dcc
