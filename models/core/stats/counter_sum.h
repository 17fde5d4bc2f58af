// The sum of several devices' counters, whatever counters they are.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace dcc {

/// Adds each of `one` to its own of `sum`. Counters: a struct of std::uint64_t and nothing else, so
/// that a counter that is added to it cannot be left out here.
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
