// The bins by which results group flows and messages by their size.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "units.h"

namespace dcc {

/// Bin b holds sizes in bytes above kEdges[b] and up to kEdges[b + 1]; the last bin has no upper
/// limit.
struct SizeBins {
  static constexpr std::array<Bytes, 10> kEdges{0,       1'000,   3'000,     10'000,    30'000,
                                                100'000, 300'000, 1'000'000, 3'000'000, 10'000'000};
  static constexpr std::size_t kCount = kEdges.size();

  /// Number of the bin of a size in bytes. Precondition: bytes > 0.
  static std::size_t of(Bytes bytes) {
    std::size_t bin = kCount - 1;
    while (bytes <= kEdges[bin]) --bin;
    return bin;
  }
  static Bytes above(std::size_t bin) { return kEdges[bin]; }
  static std::optional<Bytes> up_to(std::size_t bin) {
    return bin + 1 == kCount ? std::nullopt : std::optional(kEdges[bin + 1]);
  }
};

}  // namespace dcc
