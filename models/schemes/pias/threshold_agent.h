// AuTO for PIAS: hosts report finished messages, and a central agent sets the thresholds of all
// hosts. The agent optimises a model instead of learning.
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
/// system answers with thresholds. AuTO's agent is a neural network; the agent of this model
/// minimises FeedbackThresholds::mean_time, so the same reports give the same thresholds.
struct ThresholdTuning {
  std::optional<PicoSeconds> every;  // time between two decisions of the agent; empty: no agent
  unsigned flows = 2000;  // number of the latest finished messages whose sizes the agent uses
  // time from the end of a period to the change of thresholds at the hosts
  PicoSeconds delay = kMilliSecond;

  void describe(ParameterVisitor& v);
};

class ThresholdAgent final : public TransportAgent {
 public:
  /// Minimum number of finished messages before the agent acts.
  static constexpr std::size_t kMin = 20;

  /// `rank`: order of the agent's events among the events of one instant.
  ThresholdAgent(Scheduler& scheduler, std::uint32_t rank, const ThresholdTuning& tuning,
                 std::size_t thresholds);

  void add_host(Transmitter& host, BitRate line_rate) override;
  void begin() override;
  /// The latest thresholds that the agent chose, which hosts get after the delay; empty: the
  /// configured thresholds.
  const std::vector<Bytes>& thresholds() const { return thresholds_; }

  void add_state(StateDigest& d) const override;

 private:
  void collect();
  void apply();

  Scheduler& scheduler_;
  const ThresholdTuning tuning_;
  const std::size_t levels_;
  std::vector<Transmitter*> hosts_;
  double bytes_a_period_ = 0;  // capacity of all hosts' links per period, in bytes
  Bytes acknowledged_ = 0;
  std::deque<Bytes> ended_;  // sizes of finished messages, oldest first
  std::vector<Bytes> thresholds_;
  Event period_, applying_;
};

}  // namespace dcc
