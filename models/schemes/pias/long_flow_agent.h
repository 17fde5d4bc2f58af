// AuTO for PIAS, second part: a central agent orders priority, rate and way of single long
// messages, by a policy that was trained outside of the run.
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
  static constexpr std::size_t kLevels = 3;  // levels of bytes sent: below 4 and 16 times long_from
  static constexpr std::size_t kCrowds = 3;  // long flows of the receiver: 1, to 3, more
  static constexpr unsigned kPriorityChoices = 2, kRateChoices = 3, kWayChoices = 2;
  static constexpr unsigned kActions = kPriorityChoices * kRateChoices * kWayChoices;

  std::optional<PicoSeconds> every;  // time between two decisions of the agent; empty: no agent
  Bytes from = 1_MB;
  std::vector<unsigned> policy = std::vector<unsigned>(kLevels * kCrowds, 0);  // actions by state
  unsigned ways = 2;  // ways at the first switch among which long flows are spread

  void describe(ParameterVisitor& v);

  /// Number of the state of a flow that has sent `sent` bytes, to a receiver of `crowd` long flows.
  std::size_t state_of(Bytes sent, std::size_t crowd) const;
  /// An action, of number priority + 2 (rate + 3 way).
  struct Action {
    std::uint8_t priority;  // 0 or 1
    unsigned divisor;       // the rate is the line rate divided by 1, 2 or 4
    bool spreads;           // false: any way; true: that of fewest long flows
  };
  static Action action(unsigned number);
};

/// Every period the agent reads the long messages of all hosts and gives each its order, which it
/// withdraws when the message has ended. A message keeps the way that it got, since packets that
/// change their way overtake each other.
class LongFlowAgent final : public TransportAgent {
 public:
  /// `rank`: order of the agent's events among the events of one instant.
  LongFlowAgent(Scheduler& scheduler, std::uint32_t rank, const LongFlowTuning& tuning);

  void add_host(Transmitter& host, BitRate line_rate) override;
  void begin() override;
  void add_state(StateDigest& d) const override;

 private:
  using Name = std::pair<std::size_t, Qpn>;  // host, queue pair

  void decide();

  Scheduler& scheduler_;
  const LongFlowTuning tuning_;
  std::vector<Transmitter*> hosts_;
  std::map<Name, std::uint8_t> ways_;  // flows that have an order, and their ways; 0: any
  Event period_;
};

}  // namespace dcc
