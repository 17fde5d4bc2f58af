// AuTO for PIAS, second part: a central agent sets priority, rate and path of single long messages,
// by a policy that was trained outside of the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "nic/transmitter.h"
#include "nic/transport_agent.h"
#include "sim/scheduler.h"

namespace dcc {

class ParameterVisitor;

/// Chen et al., "AuTO", SIGCOMM 2018, section 4: hosts report long flows, and an agent answers with
/// priority, rate and path of each. Here the agent's policy is a table from nine states of a flow
/// to twelve actions, which `python/tool.py long-flow-policy` trains.
struct LongFlowTuning {
  // number of levels of bytes sent; the levels end at 4 and 16 times long_from
  static constexpr std::size_t kLevels = 3;
  // number of levels of a receiver's long flows: 1, 2 or 3, more
  static constexpr std::size_t kCrowds = 3;
  static constexpr unsigned kPriorityChoices = 2, kRateChoices = 3, kWayChoices = 2;
  static constexpr unsigned kActions = kPriorityChoices * kRateChoices * kWayChoices;

  std::optional<PicoSeconds> every;  // time between two decisions of the agent; empty: no agent
  Bytes from = 1_MB;
  // number of the policy's action for each state of a flow
  std::vector<unsigned> policy = std::vector<unsigned>(kLevels * kCrowds, 0);
  unsigned ways = 2;  // number of ports at the first switch among which long flows are spread

  void describe(ParameterVisitor& v);

  /// State number of a flow that has sent `sent` bytes to a receiver with `crowd` long flows.
  std::size_t state_of(Bytes sent, std::size_t crowd) const;
  /// Action of the policy for a long flow, with the number priority + 2 (rate + 3 way).
  struct Action {
    std::uint8_t priority;  // priority of the long flow: 0 or 1
    unsigned divisor;       // divisor of the line rate that gives the flow's rate: 1, 2 or 4
    bool spreads;  // true: the flow takes the path with the fewest long flows; false: any path
  };
  static Action action(unsigned number);
  /// True if the policy chooses the path of a flow in one state at least.
  bool spreads() const;
};

/// Every period the agent reads the long messages of all hosts and gives each message an order for
/// priority, rate and path. The agent withdraws the order when the message has ended. A message
/// keeps its first path, since packets that change their path overtake each other.
class LongFlowAgent final : public TransportAgent {
 public:
  /// `rank`: order of the agent's events among the events of one instant.
  LongFlowAgent(Scheduler& scheduler, std::uint32_t rank, const LongFlowTuning& tuning);

  void add_host(Transmitter& host, BitRate line_rate) override;
  void begin() override;
  void add_state(StateDigest& d) const override;

 private:
  // name of a flow: number of its host, and its queue pair
  using Name = std::pair<std::size_t, Qpn>;

  void decide();

  Scheduler& scheduler_;
  const LongFlowTuning tuning_;
  std::vector<Transmitter*> hosts_;
  // flows that have an order of the agent, with the number of their path; 0: any path
  std::map<Name, std::uint8_t> ways_;
  Event period_;
};

}  // namespace dcc
