// Sums the counters of several devices.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace dcc {

/// Adds every counter of `one` to the same counter of `sum`. `Counters` must be a struct of
/// std::uint64_t only, so no counter can be left out.
template <class Counters>
void add_to(Counters& sum, const Counters& one) {
  static_assert(std::is_trivially_copyable_v<Counters>);
  static_assert(std::has_unique_object_representations_v<Counters>);
  static_assert(alignof(Counters) == alignof(std::uint64_t));
  static_assert(sizeof(Counters) % sizeof(std::uint64_t) == 0);
  constexpr std::size_t kCount = sizeof(Counters) / sizeof(std::uint64_t);
  std::uint64_t sums[kCount];
  std::uint64_t more[kCount];
  std::memcpy(sums, &sum, sizeof sum);
  std::memcpy(more, &one, sizeof one);
  for (std::size_t i = 0; i < kCount; ++i) sums[i] += more[i];
  std::memcpy(&sum, sums, sizeof sum);
}

}  // namespace dcc
