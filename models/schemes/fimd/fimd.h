// FIMD and LIPD: rates that recover from a mark within one constant time, at whatever rate.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "describe/enum_names.h"
#include "nic/algorithm/algorithm.h"
#include "nic/algorithm/algorithm_parameters.h"

namespace dcc {

/// Santos, Turner and Janakiraman, "End-to-End Congestion Control for InfiniBand", INFOCOM 2003,
/// and US patent 7,920,476.
struct FimdParameters final : AlgorithmParameters {
  enum class Law : std::uint8_t {
    kFimd,  // FIMD: fast increase, multiplicative decrease
    kLipd,  // LIPD: linear inter-packet delay
    kAimd   // AIMD: additive increase, multiplicative decrease, for comparison
  };
  /// Rule by which switches mark packets.
  enum class Marks : std::uint8_t {
    // switches mark packets that wait for an output whose packets fill an input (mark_at:
    // input_full)
    kInputs,
    kQueues  // switches mark packets as switch.ecn configures
  };
  Law law = Law::kFimd;
  Marks marks = Marks::kInputs;
  Ratio factor{2};  // factor by which a mark divides the rate (laws fimd and aimd)
  // least rate of a flow; the packet time at this rate is the recovery time T
  BitRate r_min = 100_Mbps;
  // greatest number of bytes in flight; empty: bandwidth-delay product of the path
  std::optional<Bytes> window;

  void describe(ParameterVisitor& v) override;
  void ask_switch(SwitchParameters& parameters) const override;
};

DCC_ENUM_NAMES(FimdParameters::Law, {FimdParameters::Law::kFimd, "fimd"},
               {FimdParameters::Law::kLipd, "lipd"}, {FimdParameters::Law::kAimd, "aimd"});
DCC_ENUM_NAMES(FimdParameters::Marks, {FimdParameters::Marks::kInputs, "inputs"},
               {FimdParameters::Marks::kQueues, "queues"});

/// FIMD, LIPD and AIMD: the ACK of a marked packet cuts the flow's rate r, and the ACK of an
/// unmarked packet raises it. Marks of packets that were sent before a cut do not count again. The
/// laws, with T the packet time at the rate r_min:
///
///     law    at a mark                 in a time t without marks       time to recover
///     fimd   r ← r / factor            r grows by factor^(t / T)       T
///     lipd   d ← d + 1                 d falls by t / T                T
///     aimd   r ← r / factor            r grows by (factor − 1) r_min t / T    T r / (factor r_min)
///
/// d is LIPD's delay from packet to packet, in packet times at line rate. Each acknowledged packet
/// counts as a time t of one packet time at the present rate.
///
/// A constant recovery time is enough for fairness. A source that is marked with a probability in
/// proportion to its rate loses more rate than a slower source, as long as the faster source
/// recovers no faster. So the rates of sources that are marked one at a time converge. Marks that
/// reach all sources at once need a recovery that is slower at higher rates, as AIMD has.
class Fimd final : public Algorithm {
 public:
  Fimd(AlgorithmHost& host, const FimdParameters& parameters, std::uint32_t mtu);

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_ack(FlowNumber flow, const AckInfo& info) override;
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override { return counters_; }

 private:
  struct Flow {
    long double mbps = 0;
    // packets below this number were sent before the last cut, so their marks change nothing
    Psn cut_before = 0;
  };
  long double lowered(long double mbps) const;
  /// Rate of a flow after `packets` packets without a mark.
  long double raised(long double mbps, long double packets) const;
  void set_rate(FlowNumber number, long double mbps);

  AlgorithmHost& host_;
  const FimdParameters parameters_;
  const std::uint32_t mtu_;
  // line rate in Mb/s, least rate in Mb/s, and the factor of a cut
  const long double line_, r_min_, factor_;
  std::vector<Flow> flows_;
  AlgorithmCounters counters_;
};

}  // namespace dcc
