// Storage of histograms with logarithmic buckets: 32 buckets per octave, with memory only for
// octaves in use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace dcc {

/// One number per bucket: each value up to 63 has its own bucket, then come 32 buckets per octave;
/// the last bucket takes all values from 2^kBits on. A network of 65 536 hosts has a third of a
/// million queues, so the index of octaves fits one cache line.
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

  /// Calls visit(lower edge, number) for every bucket of the octaves in use, ascending, until
  /// `visit` returns true.
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
  /// The greatest value in the bucket that begins at `lower_edge`. The last bucket has no end.
  static std::uint64_t upper_edge(std::uint64_t lower_edge) {
    if (lower_edge < 2 * kPageBuckets) return lower_edge;
    if (lower_edge >= last_edge()) return std::numeric_limits<std::uint64_t>::max();
    const int octave = 63 - __builtin_clzll(lower_edge);
    return lower_edge + (std::uint64_t{1} << (octave - kSubBits)) - 1;
  }

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

  std::vector<Page> pages_;                     // pages of counts, in the order of first use
  std::array<std::uint8_t, kPages> page_of_{};  // index into pages_ + 1 for each octave; 0: unused
};

}  // namespace dcc
