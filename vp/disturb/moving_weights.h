// Moves the weight of a collective's class with the bytes sent in a round (`weight_at_end`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "build/platform_part.h"
#include "sim/scheduler.h"
#include "units.h"

namespace dcc::vp {

/// The weight of a rank's class while the rank sends its part of a round, 1.0 = 256: `begin` before
/// the first byte, `end` after the last, in proportion to `sent` of `total` bytes between.
/// Precondition: 0 <= sent <= total, total > 0.
std::uint32_t weight_of_progress(std::uint32_t begin, std::uint32_t end, Bytes sent, Bytes total);

/// The bytes of a round that determine the weight of a job that has sent `sent` of `total` bytes.
/// Without a correction, jobs that begin at the same instant and send alike would have equal
/// weights, so that no job gets ahead. Therefore the job at place 0 of `jobs` begins each round as
/// if it had sent a sixteenth of the round; the leads of the other jobs decrease in even steps down
/// to 0 for the last job. The lead vanishes towards the end of the round. A single job has no lead.
Bytes bytes_with_lead(Bytes sent, Bytes total, std::size_t place, std::size_t jobs);

/// Sets the weight of each rank's class every `weight_interval`, as an agent beside the driver
/// would. The agent reads how many bytes of the round are acknowledged to the rank, or to all
/// ranks, and calls dcc_set_weight if the weight has changed. Hosts have no software
/// (check_moving_weights()), so setting a weight takes no simulated time.
class MovingWeights final : public PlatformPart {
 public:
  explicit MovingWeights(Platform& platform);
  ~MovingWeights() override;
  void begin() override;

 private:
  class Entry;
  std::vector<std::unique_ptr<Entry>> entries_;  // entries of `traffic` whose weight moves
};

}  // namespace dcc::vp
