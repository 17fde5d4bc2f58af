// Weights of a collective's class that follow the bytes sent in a round (`weight_at_end`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "build/platform_part.h"
#include "sim/scheduler.h"
#include "units.h"

namespace dcc::vp {

class Platform;

/// The weight of a rank's class while the rank sends its part of a round, 1.0 = 256: `begin` before
/// the first byte, `end` after the last, in proportion to `sent` of `total` bytes between.
/// Precondition: 0 <= sent <= total, total > 0.
std::uint32_t weight_of_progress(std::uint32_t begin, std::uint32_t end, Bytes sent, Bytes total);

/// The bytes of a round that count for the weight of a job that has sent `sent` of `total`. Jobs
/// that begin at the same instant and send alike have equal weights, so that neither gets ahead.
/// Therefore the job at place 0 of `jobs` begins each round as if it had sent a sixteenth of it,
/// the last job without a lead, and those between in even steps. The lead vanishes towards the end
/// of the round; a job alone has none.
Bytes bytes_with_lead(Bytes sent, Bytes total, std::size_t place, std::size_t jobs);

/// Sets the weight of each rank's class every `weight_interval`, as an agent beside the driver
/// would: it reads how many bytes of the round are acknowledged to the rank, or to all ranks, and
/// calls dcc_set_weight if the weight differs from the weight set before. Hosts have no software
/// (check_moving_weights()), so a setting takes no time.
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
