// Seawall: all flows of an entity to one destination share one rate, which follows the entity's
// weight.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "nic/algorithm/algorithm_parameters.h"
#include "nic/algorithm/weighted.h"

namespace dcc {

/// Shieh, Kandula, Greenberg, Kim and Saha, "Sharing the Data Center Network", NSDI 2011.
struct SeawallParameters final : AlgorithmParameters {
  PicoSeconds period = kMicroSecond * 50;
  BitRate step = 500_Mbps;
  Ratio cut{1, 4};
  Ratio gain{1, 16};
  BitRate r_min = 10_Mbps;

  void describe(ParameterVisitor& v) override;
  void ask_marking(EcnParameters& marking) const override;
};

/// In Seawall, an entity is a class (DSCP) of a host. The flows of an entity to one destination
/// make a tunnel with one rate. The flows of the tunnel that sent something in the last period
/// share this rate equally. Once a period, if F is the share of acknowledgements with a mark and A
/// its moving average:
///
///     A ← A + gain (F − A)
///     rate ← rate + weight · step      if F = 0
///     rate ← rate (1 − cut · A)        otherwise
///
/// Tunnels at one bottleneck see the same F, so they get rates in proportion to their weights,
/// however many flows each of them has. A starts at 1, so rates fall quickly at first; the paper
/// uses F itself, which full and empty queues make 1 or 0.
class Seawall final : public WeightedAlgorithm {
 public:
  Seawall(AlgorithmHost& host, const SeawallParameters& parameters);

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_flow_end(FlowNumber flow) override;
  /// Refuses a change of the flow's class, since a flow stays in the tunnel of its first class.
  bool change_class(FlowNumber, std::uint8_t) override { return false; }
  void on_sent(FlowNumber flow, const SentInfo& info) override;
  void on_ack(FlowNumber flow, const AckInfo& info) override;
  void on_timer(FlowNumber flow, int id) override;
  void on_weight(std::uint8_t dscp, const Ratio& weight) override;
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override { return counters_; }

 private:
  struct Tunnel {
    std::uint8_t dscp = 0;
    long double rate = 0;    // rate of the tunnel in Mb/s
    long double marked = 1;  // A, the moving average of the share of marked ACKs
    // numbers of ACKs and of marked ACKs of the tunnel in the present period
    std::uint32_t acks = 0, marks = 0;
    std::vector<FlowNumber> active;
  };
  struct Flow {
    std::size_t tunnel = 0;
    bool known = false;
    bool sent = false;    // true if the flow has sent packets in the present period
    bool active = false;  // true if the flow has a share of the tunnel's rate
  };
  void share(const Tunnel& tunnel);
  void activate(FlowNumber number, Flow& flow);

  AlgorithmHost& host_;
  const PicoSeconds period_;
  // line rate, increase step, cut, gain and minimum rate; rates in Mb/s
  const long double line_, step_, cut_, gain_, r_min_;
  std::array<long double, 64> weights_;  // weight of entities, by DSCP
  std::map<std::pair<std::uint8_t, HostId>, std::size_t> numbers_;
  std::vector<Tunnel> tunnels_;
  std::vector<Flow> flows_;
  AlgorithmCounters counters_;
};

}  // namespace dcc
