// HULL: DCTCP driven by the marks of phantom queues, with a pacer for flows that were marked.
#pragma once

#include <cstdint>
#include <vector>

#include "schemes/dctcp/dctcp.h"
#include "sim/random.h"

namespace dcc {

/// Alizadeh et al., "Less Is More: Trading a Little Bandwidth for Ultra-Low Latency in the Data
/// Center", NSDI 2012, sections 3.1, 3.3 and 4.
struct HullParameters final : AlgorithmParameters {
  Ratio g{1, 16};             // DCTCP's gain g, the weight of a window's share of marks
  Ratio drain{95, 100};       // drain rate of phantom queues, as a share of the port's rate
  Bytes mark_above = 15'000;  // length in bytes from which a phantom queue marks packets
  PicoSeconds period = kMicroSecond * 64;  // time between two updates of the pacer's rate
  Ratio eta{1, 8};                         // weight of the newest period in the pacer's rate
  unsigned beta = 16;       // rate in Mb/s that the pacer adds for each KB that it holds back
  Ratio pace_chance{1, 8};  // probability that a mark makes its flow a paced flow
  // time for which a flow stays paced after a mark has made it a paced flow
  PicoSeconds pace_time = kMilliSecond * 10;

  void describe(ParameterVisitor& v) override;
  void ask_switch(SwitchParameters& parameters) const override;
};

/// Windows are DCTCP's. An ACK that reports a mark turns its flow into a paced flow for a while,
/// with a small probability, so short flows are nearly never paced. All paced flows of a NIC share
/// one rate R. Every period R <- (1 - eta) R + eta * (bytes that paced flows sent) + beta * (bytes
/// that the pacer held back). Each paced flow gets an equal part of R; a flow that is not paced may
/// use the line rate.
class Hull final : public Algorithm, private AlgorithmHost {
 public:
  /// `seed` makes the random numbers differ from NIC to NIC.
  Hull(AlgorithmHost& host, const HullParameters& parameters, std::uint32_t mtu,
       PicoSeconds base_rtt, std::uint64_t seed);

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_flow_end(FlowNumber flow) override;
  void on_sent(FlowNumber flow, const SentInfo& info) override;
  void on_ack(FlowNumber flow, const AckInfo& info) override;
  void on_timer(FlowNumber flow, int id) override;
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override { return dctcp_.counters(); }

 private:
  // number of the flow timer whose expiry ends the pacing of the flow
  static constexpr int kRelease = 0;
  // number of the flow timer whose expiry updates the pacer's rate
  static constexpr int kPeriod = 1;
  static constexpr FlowNumber kNone = 0xFFFFFFFF;

  struct Flow {
    bool paced = false;
    bool waiting = false;  // true if the flow has more to send than its window allowed
    Bytes window = 0;
    Bytes in_flight = 0;
  };

  // Functions of AlgorithmHost, by which HULL serves the DCTCP algorithm inside it.
  PicoSeconds now() const override { return host_.now(); }
  void set_rate(FlowNumber, Rate) override {}
  void set_window(FlowNumber flow, Bytes bytes) override;
  void start_timer(FlowNumber, int, PicoSeconds) override {}
  void stop_timer(FlowNumber, int) override {}
  Rate line_rate() const override { return host_.line_rate(); }

  void pace(FlowNumber number);
  void unpace(FlowNumber number);
  void new_period();
  void share_rate();

  AlgorithmHost& host_;
  HullParameters parameters_;
  RandomStream random_;
  std::uint64_t chance_q32_;
  Dctcp dctcp_;
  std::vector<Flow> flows_;
  std::vector<FlowNumber> paced_;
  FlowNumber clock_ = kNone;  // flow whose timer measures the pacer's periods; kNone: no flow
  long double rate_;          // total rate of all paced flows in Mb/s
  Bytes sent_ = 0;            // bytes that paced flows sent in the present period of the pacer
};

}  // namespace dcc
