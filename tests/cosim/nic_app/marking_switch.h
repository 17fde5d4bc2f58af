// A switch between two ports that marks packets by the length of its queue.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>

#include "app_pins.h"

namespace dcc {

/// Frames go from each port to the other one. Each output has a queue for CNPs, which comes first,
/// and a queue for data. A data frame gets ECN CE when its transmission begins, with a probability
/// that rises from 0 at `kKmin` to 1 at `kKmax` bytes behind it in the queue. Nothing is dropped.
class MarkingSwitch {
 public:
  static constexpr std::uint32_t kKmin = 55'000, kKmax = 440'000;
  static constexpr std::uint32_t kOverhead = 24;     // bytes of FCS, preamble and gap
  static constexpr std::uint32_t kBytesACycle = 50;  // 100 Gb/s at 250 MHz
  static constexpr std::uint32_t kDelay = 250;       // cycles of each link: 1 us

  explicit MarkingSwitch(std::uint32_t seed) : random_(seed) {}

  /// A frame left the NIC at `port`.
  void take(unsigned port, Frame frame);
  /// Executes one clock cycle.
  void cycle();
  /// A frame arrives at the NIC at `port`.
  std::function<void(unsigned port, Frame)> arrive;

  std::uint64_t longest() const { return longest_; }
  std::uint64_t marked() const { return marked_; }
  /// CNPs that arrived from the NIC at `port`.
  std::uint64_t cnps(unsigned port) const { return cnps_.at(port); }
  bool empty() const;

 private:
  struct OnLink {
    std::uint64_t at;  // cycle of its arrival
    Frame frame;
  };
  struct Output {
    std::deque<Frame> control, data;
    std::uint64_t bytes = 0;       // sum of the frames in `data`
    std::uint64_t busy_until = 0;  // in bytes of the line
  };
  void mark(Frame& frame, std::uint64_t queue);

  std::mt19937 random_;
  std::uint64_t now_ = 0, longest_ = 0, marked_ = 0;
  std::array<std::uint64_t, 2> cnps_{};
  std::array<std::deque<OnLink>, 2> from_, to_;
  std::array<Output, 2> outputs_;
};

}  // namespace dcc
