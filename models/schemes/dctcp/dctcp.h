// DCTCP over RDMA: the share of marked packets within a window sets the depth of the cut.
#pragma once

#include <cstdint>
#include <optional>

#include "describe/enum_names.h"
#include "nic/algorithm/algorithm.h"
#include "nic/algorithm/algorithm_parameters.h"
#include "stats/numbered_table.h"

namespace dcc {

/// Alizadeh et al., "Data Center TCP", SIGCOMM 2010, section 3.3; RFC 8257.
struct DctcpParameters final : AlgorithmParameters {
  enum class Form : std::uint8_t {
    kWindow,  // window form (RFC 8257): a congestion window that grows by one packet per round trip
    // rate form: the same rules on a pacing rate that grows by `r_ai` per round trip, window = rate
    // × base RTT
    kRate,
  };
  Form form = Form::kWindow;
  Ratio g{1, 16};  // weight of the newest window's share of marks in α
  BitRate r_ai = 615_Mbps;
  BitRate r_min = 100_Mbps;
  std::optional<Bytes> initial_window;  // first window in bytes; empty: line rate × base RTT
  // exponent d of D2TCP (SIGCOMM 2012): a cut removes the share α^d / 2 of the window
  Ratio d2tcp_exponent{1};
  // true: for flows with a deadline, D2TCP's exponent d follows the time that is left
  bool d2tcp_deadlines = false;
  // D2TCP: least value of the exponent d; its inverse is the greatest value
  Ratio d2tcp_least{1, 2};
  Ratio d2tcp_most{2};

  void describe(ParameterVisitor& v) override;
  void check(Bytes largest_packet) const override;
  void ask_marking(EcnParameters& ecn) const override;
};

DCC_ENUM_NAMES(DctcpParameters::Form, {DctcpParameters::Form::kWindow, "window"},
               {DctcpParameters::Form::kRate, "rate"});

/// In DCTCP, a *round* ends with the ACK of the first packet sent after the round began. At its end
/// α ← (1−g)·α + g·F, where F is the share of the round's ACKs that echo CE. The first CE of a
/// round cuts by α^d / 2 and stops increases until all packets then in flight are acknowledged (RFC
/// 8257, 3.3). Flows begin with a full bandwidth-delay product and α = 1, without slow start: an
/// RDMA NIC starts at line rate.
///
/// D2TCP (Vamanan et al., SIGCOMM 2012, 3.2): d = T_c / D. D is the time left to the deadline, T_c
/// the time the flow still needs at three quarters of its window, the mean of DCTCP's saw-tooth. A
/// late flow is cut less. Without a deadline, or past it, d is `d2tcp_exponent`.
class Dctcp final : public Algorithm {
 public:
  /// `mtu`: payload bytes of a packet, the unit of the window. `base_rtt`: base RTT of all flows;
  /// zero: each flow uses its own.
  Dctcp(AlgorithmHost& host, const DctcpParameters& parameters, std::uint32_t mtu,
        PicoSeconds base_rtt = {});

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_ack(FlowNumber flow, const AckInfo& info) override;
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override { return counters_; }
  // A flow is always quiescent, because only ACKs change its rate and window.
  bool is_quiescent(FlowNumber) const override { return true; }
  void release(FlowNumber flow) override { flows_.drop(flow); }

 private:
  struct Flow {
    long double level = 0;  // rate of the flow in Mb/s (kRate) or window in bytes (kWindow)
    long double alpha = 1;
    PicoSeconds rtt{};  // base round-trip time of the flow in the empty network
    // number of a packet whose ACK, or the ACK of a later packet, ends the round
    Psn round_end = 0;
    Psn cut_end = 0;  // number of a packet until whose ACK the window stays reduced
    bool reduced = false;
    std::uint32_t acks = 0;    // number of ACKs that the flow received in this round
    std::uint32_t marked = 0;  // number of ACKs of this round that echo CE
    // bytes of the flow that are not acknowledged; counted for flows with a deadline only
    Bytes left = 0;
    PicoSeconds deadline = PicoSeconds::max();
  };
  void apply(FlowNumber number, const Flow& flow);
  long double exponent(const Flow& flow, PicoSeconds rtt) const;
  static long double penalty(long double alpha, long double exponent);

  AlgorithmHost& host_;
  DctcpParameters parameters_;
  std::uint32_t mtu_;
  PicoSeconds base_rtt_;
  long double line_, r_ai_, r_min_;  // line rate, increase step and minimum rate in Mb/s
  long double g_, exponent_;
  NumberedTable<Flow> flows_;
  AlgorithmCounters counters_;
};

}  // namespace dcc
