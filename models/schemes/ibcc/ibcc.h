// InfiniBand congestion control: a table of injection delays, whose index rises with each
// notification.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "describe/enum_names.h"
#include "nic/algorithm/algorithm.h"
#include "nic/algorithm/algorithm_parameters.h"
#include "nic/algorithm/congestion_agent.h"

namespace dcc {

/// Parameters of InfiniBand congestion control (InfiniBand Architecture Specification, volume 1,
/// annex A10), with the rules of the bandwidth-partition paper: algorithms 1 (the table) and 2 (the
/// sender).
struct IbccParameters final : AlgorithmParameters {
  /// Meaning of an IRD (inter-request delay) of the table. Arithmetic: by the figures of the
  /// partition paper, `aggregate` packets take at least 8192 bit / (4·IRD), so one packet takes IRD
  /// units. Literal: by the wording of that paper's algorithm 2, `aggregate` packets leave in one
  /// IRD, which is 16 times faster.
  enum class Gate : std::uint8_t { kArithmetic, kLiteral };
  /// Change of a DSCP's congestion control parameters by the central manager, at a configured time.
  struct Change {
    PicoSeconds at{};
    unsigned dscp = 0;
    unsigned ccti_increase = 1;
    std::optional<unsigned> ccti_min{};  // new value of CCTI_Min; empty: CCTI_Min stays
    std::optional<unsigned> ccti_limit{};
    std::optional<PicoSeconds> ccti_timer{};
  };
  /// Packet that carries a BECN back: a notification packet for each FECN, or the ACK of the marked
  /// packet.
  enum class Becn : std::uint8_t { kCnp, kAck };
  unsigned ccti_increase = 1;
  unsigned ccti_limit = 127;
  unsigned ccti_min = 0;
  // CCTI_Timer: time after which CCTI decreases, by default 150 × 1.024 µs
  PicoSeconds ccti_timer = kNanoSecond * 153'600;
  // true: a BECN restarts CCTI_Timer, as in algorithm 1; false: a BECN does not, as in the
  // specification
  bool ccti_timer_restart = true;
  // The congestion control table has one of two forms, since the specification leaves its entries
  // to the manager. In the first form, that of the partition paper, the delays rise with the square
  // of the index. In the second form the rate falls by 1/cct_steps of the full rate with each entry
  // down to 1/8, and then by a fixed ratio with each entry. Since BECNs arrive in proportion to the
  // rate, the second form is a multiplicative decrease with an additive increase where few flows
  // share a link, and its steps stay small relative to the rates where many flows do. scale of the
  // form with the square of the index; empty: the form with steps of the rate
  std::optional<Ratio> cct_scale{};
  // injection delay of entry 0 of the table, which stands for the full rate
  PicoSeconds cct_base = kNanoSecond * 218;
  unsigned cct_steps = 128;
  enum class ThresholdOf : std::uint8_t { kQueue, kLoad };
  unsigned threshold = 15;  // Threshold of the switches for marking packets, 0 to 15
  ThresholdOf threshold_of = ThresholdOf::kQueue;
  unsigned marking_rate = 0;
  unsigned aggregate = 4;
  Gate gate = Gate::kArithmetic;
  Becn becn = Becn::kCnp;
  // number of BECNs of which one raises CCTI (C of the partition paper's proof)
  unsigned becn_every = 1;
  // scheduled changes of the congestion control parameters, in order of time
  std::vector<Change> schedule;
  bool per_qp = true;

  /// The congestion control table (CCT): injection delays, indexed by CCTI from 0 to ccti_limit.
  std::vector<PicoSeconds> table() const;
  void describe(ParameterVisitor& v) override;
  void check(Bytes largest_packet) const override;
  /// Makes the receiver answer every FECN with a BECN.
  void preset(CnpParameters& cnp) const override;
  /// Makes switches mark by Threshold and Marking_Rate instead of switch.ecn.
  void ask_switch(SwitchParameters& parameters) const override;
  /// Share of a link's rate above which threshold number `threshold` (1 … 15) marks packets.
  static Ratio load_of(unsigned threshold);
};

DCC_ENUM_NAMES(IbccParameters::Gate, {IbccParameters::Gate::kArithmetic, "arithmetic"},
               {IbccParameters::Gate::kLiteral, "literal"});

DCC_ENUM_NAMES(IbccParameters::ThresholdOf, {IbccParameters::ThresholdOf::kQueue, "queue"},
               {IbccParameters::ThresholdOf::kLoad, "load"});

DCC_ENUM_NAMES(IbccParameters::Becn, {IbccParameters::Becn::kCnp, "cnp"},
               {IbccParameters::Becn::kAck, "ack"});

/// InfiniBand's reaction point. A BECN is a CNP, or is in an ACK. Every BECN restarts CCTI_Timer if
/// ccti_timer_restart is set. A BECN that counts (one of becn_every) raises CCTI by CCTI_Increase,
/// to CCTI_Limit at most. After each CCTI_Timer without a BECN, CCTI falls by one, to CCTI_Min at
/// least. Where marks come by chance and each counts (becn_every: 1), CCTI of a flow stays constant
/// when BECNs raise CCTI as much as timers lower it, so the flow's rate is inversely proportional
/// to CCTI_Increase times CCTI_Timer. The weight of a flow divides this product: it divides
/// CCTI_Increase as far as possible and CCTI_Timer for the rest, because a short timer is the
/// coarser number. CCT[CCTI] is the space between groups of `aggregate` packets; the packets of a
/// group leave back to back. Delay 0 means line rate.
class Ibcc final : public Algorithm, public CongestionAgent {
 public:
  /// Throws std::invalid_argument if a CCTI limit, scheduled limits included, is outside the table
  /// or below CCTI_Min.
  Ibcc(AlgorithmHost& host, const IbccParameters& parameters, std::uint32_t mtu,
       std::vector<PicoSeconds> table);

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_flow_end(FlowNumber flow) override;
  /// Returns false if CCTIs belong to service levels, since the flow would need the CCTI of another
  /// service level.
  bool change_class(FlowNumber flow, std::uint8_t dscp) override;
  void on_sent(FlowNumber flow, const SentInfo& info) override;
  void on_cnp(FlowNumber flow, const CnpInfo& info) override;
  void on_ack(FlowNumber flow, const AckInfo& info) override;
  void on_timer(FlowNumber flow, int id) override;
  void on_weight(std::uint8_t dscp, const Ratio& weight) override;
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override { return counters_; }

  // Functions of CongestionAgent. Values that a congestion manager sets for a service level replace
  // configured values and the schedule.
  bool controls_queue_pairs() const override { return parameters_.per_qp; }
  Setting setting(std::uint8_t level) const override;
  bool set(std::uint8_t level, const Setting& setting) override;
  unsigned limit() const override { return parameters_.ccti_limit; }
  PicoSeconds entry(unsigned index) const override { return table_.at(index); }

  unsigned ccti(FlowNumber flow) const { return group_of(flow).ccti; }
  /// Time between packets of a flow at this CCTI.
  PicoSeconds spacing(unsigned ccti) const;

 private:
  /// Group of flows with a common CCTI: a single flow, or all flows of a service level.
  struct Group {
    unsigned ccti = 0;
    std::vector<FlowNumber> flows;
    FlowNumber timed = 0;  // flow whose timer counts for all flows of the group
    bool running = false;
    unsigned becns = 0;  // number of the group's BECNs since the last BECN that raised CCTI
  };
  struct Flow {
    std::size_t group = 0;
    std::uint8_t dscp = 0;
  };
  Group& group_of(FlowNumber flow) { return groups_[flows_[flow].group]; }
  const Group& group_of(FlowNumber flow) const { return groups_[flows_[flow].group]; }
  /// Present CCTI_Increase, CCTI_Min, CCTI_Limit and CCTI_Timer of a flow.
  struct Settings {
    unsigned increase, min, limit;
    PicoSeconds timer;
  };
  Settings settings_of(const Flow& flow) const;
  Rate rate_of(unsigned ccti) const;
  void apply(const Group& group);
  void becn(FlowNumber number);
  void start_timer(Group& group, FlowNumber flow);

  AlgorithmHost& host_;
  IbccParameters parameters_;
  // congestion control table: IRD of each CCTI; entries do not decrease
  std::vector<PicoSeconds> table_;
  std::uint32_t mtu_;
  std::uint32_t wire_;  // wire bytes of a full packet, the unit in which packets are spaced
  bool wire_seen_ = false;
  std::vector<Flow> flows_;
  std::vector<Group> groups_;
  /// CCTI_Increase, CCTI_Timer and CCTI_Min that a manager has set for a DSCP; zero or empty: the
  /// configured values.
  struct Managed {
    unsigned increase = 0;
    PicoSeconds timer{};
    std::optional<unsigned> min{};
  };
  std::array<Managed, 64> managed_{};
  AlgorithmCounters counters_;
};

}  // namespace dcc
