#include "app/fixed_log.h"

int32_t fixed_log2(uint64_t x) {
  uint32_t exponent = 0;
  while (x >> exponent > 1) ++exponent;
  /* Mantissa in 1.31; each squaring yields one bit of the logarithm. */
  uint32_t mantissa = (uint32_t)(exponent > 31 ? x >> (exponent - 31) : x << (31 - exponent));
  uint32_t fraction = 0;
  for (int bit = 15; bit >= 0; --bit) {
    const uint64_t square = (uint64_t)mantissa * mantissa; /* the square is in 2.62 fixed point */
    if (square >> 63) {
      fraction |= 1u << bit;
      mantissa = (uint32_t)(square >> 32);
    } else {
      mantissa = (uint32_t)(square >> 31);
    }
  }
  return (int32_t)(exponent << 16 | fraction);
}

uint32_t fixed_exp2(int32_t y_q16) {
  /* kRoots[k - 1] is 2^(2^-k) in 1.31, k = 1 … 16. */
  static const uint32_t kRoots[16] = {
      3037000500u, 2553802834u, 2341847524u, 2242560872u, 2194507417u, 2170868212u,
      2159144272u, 2153306067u, 2150392887u, 2148937775u, 2148210589u, 2147847087u,
      2147665360u, 2147574502u, 2147529075u, 2147506361u,
  };
  const int32_t whole = y_q16 >> 16; /* the shift rounds towards minus infinity */
  if (whole >= 32) return UINT32_MAX;
  if (whole < -16) return 0;
  uint64_t mantissa = UINT64_C(1) << 31;
  for (int k = 0; k < 16; ++k) {
    if (((uint32_t)y_q16 >> (15 - k) & 1u) != 0) mantissa = mantissa * kRoots[k] >> 31;
  }
  const int32_t shift = 31 - whole;
  if (shift == 0) return (uint32_t)mantissa;
  return (uint32_t)((mantissa + (UINT64_C(1) << (shift - 1))) >> shift);
}
