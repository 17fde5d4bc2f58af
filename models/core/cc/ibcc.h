// InfiniBand congestion control: a table of injection delays that notifications climb.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cc/algorithm.h"

namespace dcc {

/// InfiniBand Architecture Specification vol. 1, annex A10, as the bandwidth-partition paper has it
/// in its algorithms 1 (the table) and 2 (the sender).
struct IbccParameters {
  struct Change {
    PicoSeconds at{};
    unsigned dscp = 0;
    unsigned increase = 1;
    std::optional<unsigned> min{};  // empty: as before
    std::optional<unsigned> limit{};
  };
  unsigned increase = 1;                      // CCTI_Increase
  unsigned limit = 127;                       // CCTI_Limit, < table.size()
  unsigned min = 0;                           // CCTI_Min
  PicoSeconds timer = kNanoSecond * 153'600;  // CCTI_Timer: 150 × 1.024 µs
  std::vector<PicoSeconds> table;             // CCT: IRD by CCTI, not falling
  unsigned aggregate = 4;                     // packets between two looks at the clock
  /// Algorithm 2 to the letter: `aggregate` packets in one IRD. The paper's own figures say that a
  /// packet takes `aggregate` IRDs (8192 bit / (4·IRD)), which is 16 times slower: the default.
  bool literal_gate = false;
  /// A BECN starts the timer anew (algorithm 1); else it runs free, as in the specification.
  bool timer_restart = true;
  bool by_service_level = false;  // flows of one DSCP share a CCTI; else each has its own
  /// What the central manager sets when for the flows of a DSCP, in order of time.
  std::vector<Change> schedule;
};

/// BECN (here a CNP): CCTI rises by CCTI_Increase, to CCTI_Limit at most, and the timer starts
/// anew (see timer_restart). Each CCTI_Timer without one: CCTI falls by one, to CCTI_Min at least.
/// CCT[CCTI] spaces groups of `aggregate` packets; within a group they leave back to back. Delay 0:
/// line rate.
class Ibcc final : public Algorithm {
 public:
  /// Throws std::invalid_argument for a limit outside the table or below the minimum, scheduled
  /// ones included.
  Ibcc(AlgorithmHost& host, const IbccParameters& parameters, std::uint32_t mtu);

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_flow_end(FlowNumber flow) override;
  void on_sent(FlowNumber flow, const SentInfo& info) override;
  void on_cnp(FlowNumber flow, const CnpInfo& info) override;
  void on_timer(FlowNumber flow, int id) override;
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override { return counters_; }

  unsigned ccti(FlowNumber flow) const { return group_of(flow).ccti; }
  /// Time that each packet takes of the pace at this index.
  PicoSeconds spacing(unsigned ccti) const;

 private:
  /// What shares a CCTI: a flow, or a service level's flows.
  struct Group {
    unsigned ccti = 0;
    std::vector<FlowNumber> flows;
    FlowNumber timed = 0;  // the flow whose timer runs for the group
    bool running = false;
  };
  struct Flow {
    std::size_t group = 0;
    std::uint8_t dscp = 0;
  };
  Group& group_of(FlowNumber flow) { return groups_[flows_[flow].group]; }
  const Group& group_of(FlowNumber flow) const { return groups_[flows_[flow].group]; }
  /// CCTI_Increase, CCTI_Min and CCTI_Limit as they are now for a flow.
  struct Settings {
    unsigned increase, min, limit;
  };
  Settings settings_of(const Flow& flow) const;
  Rate rate_of(unsigned ccti) const;
  void apply(const Group& group);
  void start_timer(Group& group, FlowNumber flow);

  AlgorithmHost& host_;
  IbccParameters parameters_;
  std::uint32_t mtu_;
  std::uint32_t wire_;  // of a full packet in the middle of a message: what a spacing stands for
  bool wire_seen_ = false;
  std::vector<Flow> flows_;
  std::vector<Group> groups_;
  AlgorithmCounters counters_;
};

}  // namespace dcc
