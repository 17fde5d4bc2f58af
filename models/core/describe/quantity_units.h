// Units of quantities with their sizes in base units, from the greatest to the base unit.
#pragma once

#include <array>
#include <cstdint>

namespace dcc {

struct QuantityUnit {
  const char* name;
  std::uint64_t scale;
};

inline constexpr std::array<QuantityUnit, 5> kTimeUnits{
    {{"s", 1'000'000'000'000}, {"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1'000}, {"ps", 1}}};
inline constexpr std::array<QuantityUnit, 5> kRateUnits{{{"Tbps", 1'000'000'000'000},
                                                         {"Gbps", 1'000'000'000},
                                                         {"Mbps", 1'000'000},
                                                         {"kbps", 1'000},
                                                         {"bps", 1}}};
inline constexpr std::array<QuantityUnit, 7> kSizeUnits{{{"GB", 1'000'000'000},
                                                         {"GiB", 1u << 30},
                                                         {"MB", 1'000'000},
                                                         {"MiB", 1u << 20},
                                                         {"KB", 1'000},
                                                         {"KiB", 1u << 10},
                                                         {"B", 1}}};
inline constexpr std::array<QuantityUnit, 4> kFrequencyUnits{
    {{"GHz", 1'000'000'000}, {"MHz", 1'000'000}, {"kHz", 1'000}, {"Hz", 1}}};

}  // namespace dcc
