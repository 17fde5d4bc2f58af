// PowerTCP: the window follows the power (current times voltage) of the busiest link or of the
// delay.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "describe/enum_names.h"
#include "nic/algorithm/algorithm.h"
#include "nic/algorithm/algorithm_parameters.h"
#include "schemes/common/link_records.h"
#include "stats/numbered_table.h"

namespace dcc {

/// Addanki et al., "PowerTCP: Pushing the Performance Limits of Datacenter Networks", NSDI 2022,
/// algorithms 1 and 2. The constants are those of the authors' simulation.
struct PowerTcpParameters final : AlgorithmParameters {
  enum class Variant : std::uint8_t {
    kTelemetry,  // algorithm 1, by telemetry: queue length and sent bytes of every hop
    kDelay,      // algorithm 2 (θ-PowerTCP), by delay: the round-trip time and its slope
  };
  Variant variant = Variant::kTelemetry;
  std::optional<Ratio> gamma;  // weight γ of the new rate; empty: 9/10, or 7/10 with kDelay
  Ratio utilisation{95, 100};  // for kTelemetry: target of the normalised power
  BitRate additive_increase = 150_Mbps;
  // base RTT τ, equal for all flows; empty: the longest base RTT of the topology
  std::optional<PicoSeconds> base_rtt;
  // for kDelay: an RTT up to this multiple of τ counts as an RTT without queues
  Ratio base_factor{105, 100};
  // share of a link's rate; at a lower arrival rate the link's power is ignored
  Ratio least_current{1, 2};
  BitRate r_min = 100_Mbps;

  void describe(ParameterVisitor& v) override;
};

/// PowerTCP stores the window as a rate W/τ (Mb/s). With f the normalised power, smoothed over τ,
///    rate = γ (ref · target / f + additive) + (1 − γ) ref `ref` is the paper's window of one round
///    trip ago: `ref` becomes the present rate with the first ACK of a packet that was sent after
///    the previous change of `ref`.
class PowerTcp final : public Algorithm {
 public:
  /// `longest_base_rtt`: longest base RTT of the topology; must be positive unless the parameters
  /// have their own base RTT.
  PowerTcp(AlgorithmHost& host, const PowerTcpParameters& parameters, PicoSeconds longest_base_rtt);

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_ack(FlowNumber flow, const AckInfo& info) override;
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override { return counters_; }
  // A flow is always quiescent, because only ACKs change its rate and window.
  bool is_quiescent(FlowNumber) const override { return true; }
  void release(FlowNumber flow) override { flows_.drop(flow); }

  /// Smoothed normalised power of a flow's path; 1 is a full link without a queue.
  long double power(FlowNumber flow) const { return flows_[flow].power; }

 private:
  struct Flow {
    long double current = 0;    // window W of the flow as a rate, W / τ in Mb/s
    long double reference = 0;  // rate of the flow one round trip ago, in Mb/s
    long double power = 1;
    PicoSeconds base{};      // base RTT τ of the flow
    PicoSeconds last_ack{};  // for kDelay: time of the flow's last ACK
    // for kDelay: round-trip time that the flow's last ACK measured; zero: no ACK yet
    PicoSeconds last_rtt{};
    // number of a packet whose ACK, or the ACK of a later packet, updates the reference rate
    Psn update_after = 0;
    LinkRecords links;
  };
  /// Normalised power of a link, or of the whole path, and the time that the sample covers.
  struct Sample {
    long double power = 0;
    long double over = 0;  // time in ps that the sample covers
  };
  std::optional<Sample> by_telemetry(Flow& flow, const AckInfo& info) const;
  std::optional<Sample> by_delay(Flow& flow, const AckInfo& info) const;
  void apply(FlowNumber number, const Flow& flow);

  AlgorithmHost& host_;
  PowerTcpParameters parameters_;
  PicoSeconds base_rtt_;
  long double line_, increase_, r_min_, gamma_, target_, base_factor_, least_current_;
  NumberedTable<Flow> flows_;
  AlgorithmCounters counters_;
};

DCC_ENUM_NAMES(PowerTcpParameters::Variant, {PowerTcpParameters::Variant::kTelemetry, "telemetry"},
               {PowerTcpParameters::Variant::kDelay, "delay"});

}  // namespace dcc
