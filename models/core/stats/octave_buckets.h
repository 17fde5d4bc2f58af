// What histograms with buckets of equal ratio are made of: 32 buckets an octave, memory only for
// octaves that were reached.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dcc {

/// One number for each bucket of values: each value up to 63 by itself, then 32 buckets an octave,
/// the last for all from 2^kBits on. A network of 65 536 hosts has a third of a million queues, and
/// what few lengths each has seen must fit the caches: the index of octaves lies in one line.
template <class T, int kBits>
class OctaveBuckets {
 public:
  T& of(std::uint64_t value) {
    const std::size_t bucket = bucket_of(value);
    std::uint8_t& page = page_of_[bucket >> kSubBits];
    if (page == 0) {
      pages_.emplace_back();
      page = static_cast<std::uint8_t>(pages_.size());
    }
    return pages_[page - 1u][bucket & (kPageBuckets - 1)];
  }

  /// Calls visit(lower edge of the bucket, its number), values ascending, for octaves that were
  /// reached, until it returns true.
  template <class Visit>
  void find(Visit visit) const {
    for (std::size_t i = 0; i < kPages; ++i) {
      if (page_of_[i] == 0) continue;
      const Page& page = pages_[page_of_[i] - 1u];
      for (std::size_t j = 0; j < kPageBuckets; ++j) {
        if (visit(lower_edge(i << kSubBits | j), page[j])) return;
      }
    }
  }

  /// Lower edge of the last bucket.
  static std::uint64_t last_edge() { return lower_edge(kBuckets - 1); }

 private:
  static constexpr int kSubBits = 5;
  static constexpr std::size_t kPageBuckets = 1u << kSubBits;
  static constexpr std::size_t kPages = kBits - kSubBits;
  static constexpr std::size_t kBuckets = kPages * kPageBuckets;
  static_assert(kPages < 256);
  using Page = std::array<T, kPageBuckets>;

  static std::size_t bucket_of(std::uint64_t value) {
    if (value < 2 * kPageBuckets) return static_cast<std::size_t>(value);
    const int octave = 63 - __builtin_clzll(value);
    const std::size_t bucket = (static_cast<std::size_t>(octave - kSubBits) << kSubBits) +
                               static_cast<std::size_t>(value >> (octave - kSubBits));
    return bucket < kBuckets ? bucket : kBuckets - 1;
  }
  static std::uint64_t lower_edge(std::size_t bucket) {
    if (bucket < 2 * kPageBuckets) return bucket;
    const std::size_t octave = (bucket >> kSubBits) - 1;
    const std::size_t within = (bucket & (kPageBuckets - 1)) + kPageBuckets;
    return static_cast<std::uint64_t>(within) << octave;
  }

  std::vector<Page> pages_;                     // as they were reached
  std::array<std::uint8_t, kPages> page_of_{};  // by octave, one more than the index; 0: not yet
};

}  // namespace dcc
