// TIMELY: the sender's rate follows the gradient of the round-trip time.
#pragma once

#include <cstdint>
#include <optional>

#include "describe/enum_names.h"
#include "nic/algorithm/algorithm.h"
#include "nic/algorithm/algorithm_parameters.h"
#include "stats/numbered_table.h"

namespace dcc {

/// Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015,
/// algorithm 1 and section 5; patched as by Zhu et al., "ECN or Delay", CoNEXT 2016, algorithm 2.
struct TimelyParameters final : AlgorithmParameters {
  enum class Variant : std::uint8_t { kOriginal, kPatched };
  /// Kind of a completion event: the ACK that completes a segment, or (as in some simulators) the
  /// first ACK of a packet sent after the last update, once per round trip.
  enum class Update : std::uint8_t { kSegment, kRoundTrip };
  Variant variant = Variant::kOriginal;
  Update update = Update::kSegment;
  /// Start of a packet's RTT: the time at which pacing handed the packet to the NIC, or the time at
  /// which the packet got the wire. The latter hides a congested sending NIC (section 5).
  enum class Timestamp : std::uint8_t { kNicQueue, kWire };
  Timestamp timestamp = Timestamp::kNicQueue;
  Ratio ewma{1, 50};  // α, weight of a new RTT difference in the smoothed difference
  Ratio beta{4, 5};   // β, gain of a rate decrease (patched form: 0.008)
  /// Greatest share of the rate that one completion event may remove, because β times a gradient
  /// has no bound.
  Ratio max_decrease{1, 2};
  /// A smoothed RTT difference below the clock's resolution counts as gradient zero.
  PicoSeconds resolution = kNanoSecond;
  BitRate additive_step = 10_Mbps;
  // low RTT threshold T_low; also the reference RTT of the patched form
  PicoSeconds t_low = kMicroSecond * 50;
  PicoSeconds t_high = kMicroSecond * 500;
  PicoSeconds min_rtt = kMicroSecond * 20;
  unsigned hai_after = 5;
  unsigned hai_factor = 5;
  // true: hyperactive increase (HAI) also counts increases below T_low and replaces them
  bool hai_below_low = false;
  Bytes segment = 16_KB;  // payload bytes of a segment
  bool bursts = true;
  std::optional<BitRate> burst_rate;  // rate at which a segment is sent; empty: the line rate
  Ratio app_limit{4, 5};
  std::optional<Bytes> outstanding;
  BitRate r_min = 10_Mbps;
  std::optional<BitRate> initial_rate;  // rate of a new flow; empty: the line rate

  void describe(ParameterVisitor& v) override;
  void check(Bytes largest_packet) const override;
};

DCC_ENUM_NAMES(TimelyParameters::Variant, {TimelyParameters::Variant::kOriginal, "original"},
               {TimelyParameters::Variant::kPatched, "patched"});
DCC_ENUM_NAMES(TimelyParameters::Update, {TimelyParameters::Update::kSegment, "segment"},
               {TimelyParameters::Update::kRoundTrip, "round_trip"});
DCC_ENUM_NAMES(TimelyParameters::Timestamp, {TimelyParameters::Timestamp::kNicQueue, "nic_queue"},
               {TimelyParameters::Timestamp::kWire, "wire"});

/// TIMELY here measures the RTT of the segment's last packet, measured from that packet's first
/// bit, so the segment's serialisation, which the paper subtracts from the completion time, is not
/// part of the RTT.
///
/// If several completions fall into one minimum RTT, each changes the rate by its share of one
/// update per minimum RTT (section 5, "Rate update frequency"). A higher rate applies from the next
/// packet on, a lower rate at once (section 5, lazy rate update).
class Timely final : public Algorithm {
 public:
  Timely(AlgorithmHost& host, const TimelyParameters& parameters);

  AlgorithmNeeds needs() const override;
  void on_flow_start(FlowNumber flow, const FlowStart& start) override;
  void on_sent(FlowNumber flow, const SentInfo& info) override;
  void on_ack(FlowNumber flow, const AckInfo& info) override;
  View view(FlowNumber flow) const override;
  AlgorithmCounters counters() const override { return counters_; }
  // A flow is always quiescent, since only ACKs change its state.
  bool is_quiescent(FlowNumber) const override { return true; }
  void release(FlowNumber flow) override { flows_.drop(flow); }

  /// Normalised RTT gradient of the flow after its newest completion event.
  long double gradient(FlowNumber flow) const { return flows_[flow].gradient; }

 private:
  struct Flow {
    long double rate = 0;      // sending rate R of the flow in Mb/s
    long double rtt_diff = 0;  // smoothed difference of successive RTTs of the flow in ps
    long double gradient = 0;
    PicoSeconds last_rtt{};
    bool measured = false;  // true if the flow's last RTT (last_rtt) is valid
    // number of consecutive completion events that count for hyperactive increase (HAI)
    unsigned rises = 0;
    // with Update::kRoundTrip: number of the packet whose ACK allows the next rate update
    Psn last_update = 0;
    Bytes acked = 0;  // bytes of the flow acknowledged since its last completion event
    // Bytes that the flow sent, and bytes that the rate R allowed, since the last segment ended;
    // they tell whether the application uses its rate.
    long double sent = 0, allowed = 0;
    long double given = 0;  // rate of the flow that the NIC was given last, in Mb/s
    std::uint32_t last_wire = 0;
    PicoSeconds allowed_until{};
    Bytes segment_sent = 0;
    bool app_limited = false;
    bool rise_pending = false;  // true if the NIC has not got the flow's newest, higher rate yet
  };
  void completion(FlowNumber number, Flow& flow, PicoSeconds rtt, Bytes bytes);
  long double next_rate(Flow& flow, PicoSeconds rtt);
  void account(Flow& flow);
  void give_rate(FlowNumber number, Flow& flow);

  AlgorithmHost& host_;
  TimelyParameters parameters_;
  long double line_, step_, r_min_, min_rtt_, resolution_, ewma_, beta_, least_left_, app_limit_;
  NumberedTable<Flow> flows_;
  AlgorithmCounters counters_;
};

}  // namespace dcc
