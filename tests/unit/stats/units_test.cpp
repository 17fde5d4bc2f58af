// Serialisation times are rounded up to the picosecond, in 64-bit and in 128-bit arithmetic.
#include "units.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace dcc {
namespace {

/// The time of `bytes` at `rate` as ⌈bytes · 8·10^12 / rate⌉, computed with 128 bits.
std::int64_t exact(Bytes bytes, std::uint64_t rate) {
  const Uint128 bits = static_cast<Uint128>(bytes) * 8'000'000'000'000u;
  return static_cast<std::int64_t>(bits / rate + (bits % rate != 0 ? 1u : 0u));
}

TEST(Units, SerialisationTimeIsExactInBothWidths) {
  const Bytes edge = Bytes{1} << 21;  // from this size on the function uses 128 bits
  for (const std::uint64_t rate :
       {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{25'000'000'000},
        std::uint64_t{101'000'000'000}, std::uint64_t{419'000'000'000},
        std::uint64_t{18'000'000'000'000'000'000u}}) {
    for (const Bytes bytes : {Bytes{0}, Bytes{1}, Bytes{64}, Bytes{1048}, Bytes{9216}, edge - 1}) {
      EXPECT_EQ(serialization_time(bytes, BitRate(rate)).count, exact(bytes, rate))
          << bytes << " bytes at " << rate;
    }
    if (rate < 25) continue;  // the result would exceed 106 days
    for (const Bytes bytes : {edge, edge + 1, Bytes{1} << 30}) {
      EXPECT_EQ(serialization_time(bytes, BitRate(rate)).count, exact(bytes, rate))
          << bytes << " bytes at " << rate;
    }
  }
}

TEST(Units, SerialisationTimeRoundsUp) {
  EXPECT_EQ(serialization_time(1048, BitRate(100'000'000'000)), PicoSeconds(83'840));
  // the exact value is 83 009.9
  EXPECT_EQ(serialization_time(1048, BitRate(101'000'000'000)), PicoSeconds(83'010));
}

}  // namespace
}  // namespace dcc
