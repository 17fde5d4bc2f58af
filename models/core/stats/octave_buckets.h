// Storage of histograms with logarithmic buckets: 32 buckets per octave, with memory only for
// quarters of octaves in use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace dcc {

/// Storage of a histogram with one number per bucket: each value up to 63 has its own bucket, then
/// come 32 buckets per octave; the last bucket takes all values from 2^kBits on. A network of a
/// million hosts has some million queues, most of which never hold a packet, and the other queues'
/// lengths are small multiples of packets. So a histogram without values needs only a pointer, and
/// memory grows by eight buckets, a cache line, at a time.
template <class T, int kBits>
class OctaveBuckets {
 public:
  OctaveBuckets() = default;
  OctaveBuckets(const OctaveBuckets& other)
      : body_(other.body_ == nullptr ? nullptr : std::make_unique<Body>(*other.body_)) {}
  OctaveBuckets(OctaveBuckets&&) noexcept = default;
  OctaveBuckets& operator=(OctaveBuckets other) noexcept {
    body_ = std::move(other.body_);
    return *this;
  }

  T& of(std::uint64_t value) {
    if (body_ == nullptr) body_ = std::make_unique<Body>();
    const std::size_t bucket = bucket_of(value);
    std::uint8_t& page = body_->page_of[bucket >> kPageBits];
    if (page == 0) {
      body_->pages.emplace_back();
      page = static_cast<std::uint8_t>(body_->pages.size());
    }
    return body_->pages[page - 1u][bucket & (kPageBuckets - 1)];
  }

  /// Calls visit(lower edge, number) for every bucket of the pages in use, in ascending order,
  /// until `visit` returns true.
  template <class Visit>
  void find(Visit visit) const {
    for (std::size_t i = 0; body_ != nullptr && i < kPages; ++i) {
      if (body_->page_of[i] == 0) continue;
      const Page& page = body_->pages[body_->page_of[i] - 1u];
      for (std::size_t j = 0; j < kPageBuckets; ++j) {
        if (visit(lower_edge(i << kPageBits | j), page[j])) return;
      }
    }
  }

  /// Lower edge of the histogram's last bucket.
  static std::uint64_t last_edge() { return lower_edge(kBuckets - 1); }
  /// The greatest value in the bucket that begins at `lower_edge`. The last bucket has no end.
  static std::uint64_t upper_edge(std::uint64_t lower_edge) {
    if (lower_edge < 2 * kOctaveBuckets) return lower_edge;
    if (lower_edge >= last_edge()) return std::numeric_limits<std::uint64_t>::max();
    const int octave = 63 - __builtin_clzll(lower_edge);
    return lower_edge + (std::uint64_t{1} << (octave - kSubBits)) - 1;
  }

 private:
  static constexpr int kSubBits = 5;
  static constexpr int kPageBits = 3;
  static constexpr std::size_t kOctaveBuckets = 1u << kSubBits;
  static constexpr std::size_t kPageBuckets = 1u << kPageBits;
  static constexpr std::size_t kBuckets = (kBits - kSubBits) * kOctaveBuckets;
  static constexpr std::size_t kPages = kBuckets / kPageBuckets;
  static_assert(kPages < 256);
  using Page = std::array<T, kPageBuckets>;
  struct Body {
    std::array<std::uint8_t, kPages> page_of{};  // index into `pages` + 1; 0: the page is unused
    std::vector<Page> pages;                     // pages in the order of their first use
  };

  static std::size_t bucket_of(std::uint64_t value) {
    if (value < 2 * kOctaveBuckets) return static_cast<std::size_t>(value);
    const int octave = 63 - __builtin_clzll(value);
    const std::size_t bucket = (static_cast<std::size_t>(octave - kSubBits) << kSubBits) +
                               static_cast<std::size_t>(value >> (octave - kSubBits));
    return bucket < kBuckets ? bucket : kBuckets - 1;
  }
  static std::uint64_t lower_edge(std::size_t bucket) {
    if (bucket < 2 * kOctaveBuckets) return bucket;
    const std::size_t octave = (bucket >> kSubBits) - 1;
    const std::size_t within = (bucket & (kOctaveBuckets - 1)) + kOctaveBuckets;
    return static_cast<std::uint64_t>(within) << octave;
  }

  std::unique_ptr<Body> body_;  // memory of the buckets; null: no bucket was used yet
};

}  // namespace dcc
