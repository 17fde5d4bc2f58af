// AuTO's two halves for PIAS's thresholds: hosts tell which messages have ended, and a central
// agent sets everybody's thresholds by them. By optimisation of a model, not by learning.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "nic/transmitter.h"
#include "nic/transport_agent.h"
#include "sim/scheduler.h"

namespace dcc {

class ParameterVisitor;

/// Chen et al., "AuTO: Scaling Deep Reinforcement Learning for Datacenter-Scale Automatic Traffic
/// Optimization", SIGCOMM 2018, section 4: peripheral systems report finished flows, the central
/// one answers with thresholds. Its agent is a neural network; this one minimises
/// FeedbackThresholds::mean_time, so the same reports give the same thresholds.
struct ThresholdTuning {
  std::optional<PicoSeconds> every;  // empty: thresholds stay as they are
  unsigned flows = 2000;             // the last so many that ended
  PicoSeconds delay = kMilliSecond;  // from the end of a period to new thresholds at the hosts

  void describe(ParameterVisitor& v);
};

class ThresholdAgent final : public TransportAgent {
 public:
  /// Fewer finished flows tell nothing of sizes.
  static constexpr std::size_t kMin = 20;

  /// `rank` is that of its events.
  ThresholdAgent(Scheduler& scheduler, std::uint32_t rank, const ThresholdTuning& tuning,
                 std::size_t thresholds);

  void add_host(Transmitter& host, BitRate line_rate) override;
  void begin() override;
  /// As the hosts have them, or will have after the delay; empty: as they were configured.
  const std::vector<Bytes>& thresholds() const { return thresholds_; }

  void add_state(StateDigest& d) const override;

 private:
  void collect();
  void apply();

  Scheduler& scheduler_;
  const ThresholdTuning tuning_;
  const std::size_t levels_;
  std::vector<Transmitter*> hosts_;
  double bytes_a_period_ = 0;  // of all hosts' links
  Bytes acknowledged_ = 0;
  std::deque<Bytes> ended_;  // sizes, the oldest first
  std::vector<Bytes> thresholds_;
  Event period_, applying_;
};

}  // namespace dcc
