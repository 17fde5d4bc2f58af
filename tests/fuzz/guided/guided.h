// Common part of the coverage-guided fuzz targets: a check that is active in every build, and a
// reader of the input's bytes as numbers.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

/// Ends the process if the condition is false. The fuzzer then records the input as a finding.
#define DCC_REQUIRE(condition)                                                            \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)

namespace dcc::fuzz {

/// Reads numbers from an input, from front to back. Beyond the end of the input every number is
/// zero.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  bool at_end() const { return at_ == end_; }
  std::uint8_t u8() { return at_end() ? 0 : *at_++; }
  std::uint16_t u16() {
    const std::uint16_t low = u8();
    return static_cast<std::uint16_t>(low | u8() << 8);
  }
  std::uint32_t u32() {
    const std::uint32_t low = u16();
    return low | std::uint32_t{u16()} << 16;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

}  // namespace dcc::fuzz
