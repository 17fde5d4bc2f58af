// A switch with two ports that marks packets with ECN CE depending on the length of its queues.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>

#include "app_pins.h"

namespace dcc {

/// The switch sends frames from each port to the other port. Each output has a queue for CNPs with
/// strict priority, and a queue for data. A data frame gets ECN CE when its transmission begins,
/// with a probability that rises from 0 at `kmin` to 1 at `kmax` bytes behind the frame in the
/// queue. The switch drops nothing.
class MarkingSwitch {
 public:
  static constexpr std::uint32_t kOverhead = 24;     // bytes of FCS, preamble and gap
  static constexpr std::uint32_t kBytesACycle = 50;  // bytes per cycle: 100 Gb/s at 250 MHz
  static constexpr std::uint32_t kDelay = 250;       // delay of each link in cycles: 1 us

  explicit MarkingSwitch(std::uint32_t seed) : random_(seed) {}
  std::uint32_t kmin = 55'000, kmax = 440'000;

  /// Accepts a frame that the NIC at `port` has sent.
  void take(unsigned port, Frame frame);
  /// Executes one clock cycle.
  void cycle();
  /// Called for each frame that arrives at the NIC at `port`.
  std::function<void(unsigned port, Frame)> arrive;

  std::uint64_t longest() const { return longest_; }
  std::uint64_t marked() const { return marked_; }
  /// Number of CNPs that the NIC at `port` has sent.
  std::uint64_t cnps(unsigned port) const { return cnps_.at(port); }
  bool empty() const;

 private:
  struct OnLink {
    std::uint64_t at;  // cycle in which the frame arrives
    Frame frame;
  };
  struct Output {
    std::deque<Frame> control, data;
    std::uint64_t bytes = 0;       // sum of the lengths of the frames in `data`
    std::uint64_t busy_until = 0;  // time from which the output is free, in bytes of link capacity
  };
  void mark(Frame& frame, std::uint64_t queue);

  std::mt19937 random_;
  std::uint64_t now_ = 0, longest_ = 0, marked_ = 0;
  std::array<std::uint64_t, 2> cnps_{};
  std::array<std::deque<OnLink>, 2> from_, to_;
  std::array<Output, 2> outputs_;
};

}  // namespace dcc
