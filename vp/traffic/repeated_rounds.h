// The rounds of a collective as one pattern that repeats, for plans that make a round's flows only
// when they are needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "config/platform_config.h"
#include "traffic/traffic_spec.h"

namespace dcc::vp {

/// The flows of a run whose traffic is one collective that repeats. Flows of round 1 are the
/// pattern of all later rounds: the numbers of flows, gates and queries grow by the same amount for
/// each round, everything else is equal. Flows of round 0 wait for nothing.
///
/// A run need not make every round. Rounds that the run makes are *held* and numbered without gaps.
/// Rounds between two held rounds are *left out*, because the run knows their course
/// (disturb/round_leaps.h). The *place* of a held round is its number among all rounds.
class RepeatedRounds {
 public:
  /// The rounds of the configured traffic; empty unless results list no flows, bursts are taken
  /// from memory (`fast_forward.memo`), and the traffic is one collective without named waits whose
  /// rounds all wait for the round before them. `context` belongs to `config`. Throws TrafficError.
  static std::optional<RepeatedRounds> of(const PlatformConfig& config,
                                          const TrafficContext& context);

  /// Number of flows of one round, or of all rounds.
  std::size_t flows_each() const { return pattern_.size(); }
  std::size_t flows() const { return pattern_.size() * static_cast<std::size_t>(rounds_); }
  std::uint64_t rounds() const { return rounds_; }
  /// Returns the flows of a held round. Their hosts are numbered as in the configuration.
  std::vector<FlowSpec> round(std::size_t held) const;

  /// Number of held rounds, or of rounds after the last held round.
  std::size_t held() const { return places_.size(); }
  std::uint64_t left() const { return rounds_ - 1 - places_.back(); }
  /// The place of a held round.
  std::uint64_t place(std::size_t held) const { return places_[held]; }
  /// Holds one more round of the collective. Precondition: left() > 0.
  void hold() { places_.push_back(places_.back() + 1); }
  /// Leaves out `rounds` rounds before the last held round. Precondition: rounds <= left().
  void leave_out(std::uint64_t rounds) { places_.back() += rounds; }

 private:
  static constexpr std::size_t kHeldAtFirst = 2;
  RepeatedRounds() = default;

  std::uint64_t rounds_ = 0;
  std::uint32_t gates_each_ = 0;       // number of gates that one round adds
  std::vector<FlowSpec> first_;        // flows of the collective's round 0
  std::vector<FlowSpec> pattern_;      // flows of the collective's round 1
  std::vector<std::uint64_t> places_;  // place of each held round
};

}  // namespace dcc::vp
