// Base of the algorithms that send at a rate for an interval and learn from the interval's ACKs and
// losses (PCC).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "nic/algorithm/algorithm.h"
#include "nic/algorithm/algorithm_parameters.h"
#include "sim/random.h"
#include "stats/numbered_table.h"

namespace dcc {

/// Parameters of all algorithms that learn a rate from trials; `describe_limits` adds them to an
/// algorithm's own parameters.
struct RateTrialsParameters : AlgorithmParameters {
  std::uint32_t packets = 10;  // minimum duration of a trial interval, in packets of the MTU
  BitRate r_min{1'000'000};    // lower limit of a flow's rate
  // first rate of a new flow; empty: the algorithm chooses the rate
  std::optional<BitRate> initial;

  /// Throws ParameterError if the first rate of a flow is below r_min.
  void check(Bytes largest_packet) const override;

 protected:
  void describe_limits(ParameterVisitor& v, const char* paper, const char* initial_meaning);
};

/// Base of a congestion-control algorithm with one rate per flow. A new flow doubles its rate from
/// one interval to the next until the utility of an interval falls. From then on the derived class
/// plans one to four intervals with a rate each. The flow sends these intervals one after another,
/// and then sends at its own rate until all packets of the intervals are acknowledged. The derived
/// class then judges the intervals and changes the flow's rate. An interval lasts one round trip,
/// or the time of `packets` at the flow's rate if that is longer, plus a random share of up to a
/// tenth. A retransmitted packet counts as lost in the interval of its first transmission.
class RateTrials : public Algorithm {
 public:
  void on_flow_start(FlowNumber number, const FlowStart& start) final;
  void on_flow_end(FlowNumber number) final;
  void on_sent(FlowNumber number, const SentInfo& info) final;
  void on_ack(FlowNumber number, const AckInfo& info) final;
  void on_timer(FlowNumber number, int id) final;
  View view(FlowNumber number) const final;
  AlgorithmNeeds needs() const override;
  AlgorithmCounters counters() const final { return counters_; }
  bool is_quiescent(FlowNumber number) const final;
  void release(FlowNumber number) override { flows_.drop(number); }

 protected:
  /// Packets sent in one interval at one rate, and figures from their ACKs and losses.
  struct Interval {
    long double rate = 0;  // rate of the interval in Mb/s
    Psn first = 0, end = 0;
    std::uint64_t sent = 0, lost = 0;
    PicoSeconds begin{};
    // Sums over the ACKs of an interval, for a regression of the RTT over the sending time, both in
    // ps.
    long double n = 0, t = 0, tt = 0, rtt = 0, t_rtt = 0;

    bool holds(Psn psn) const { return first <= psn && psn < end; }
    /// Growth of the RTT per time, by linear regression over the interval's packets.
    long double growth() const;
    /// Share of the interval's packets that were retransmitted. Precondition: sent > 0.
    long double loss() const;
    /// False if the flow had too little data in the interval for a judgement.
    bool is_known() const { return n >= 2; }
  };
  static constexpr std::size_t kMostIntervals = 4;
  struct Plan {
    std::array<long double, kMostIntervals> rates{};  // rates of the planned intervals in Mb/s
    std::size_t count = 0;                            // number of planned intervals
  };

  RateTrials(AlgorithmHost& host, const RateTrialsParameters& limits, std::uint32_t mtu,
             const char* stream, std::uint64_t seed, std::uint64_t index);

  /// First rate of a flow in Mb/s if the user has set none; the base class limits the value.
  virtual long double first_rate(const FlowStart& start) const = 0;
  virtual void begin(FlowNumber) {}
  /// Plans the rates of the next intervals of a flow that has finished its start phase and has the
  /// rate `mbps`.
  virtual Plan plan(FlowNumber number, long double mbps) = 0;
  /// Returns the flow's new rate in Mb/s, which the base class limits. `intervals`: results of the
  /// intervals that plan() requested. `mbps`: present rate of the flow.
  virtual long double judge(FlowNumber number, long double mbps,
                            const std::array<Interval, kMostIntervals>& intervals) = 0;
  virtual long double utility_of(const Interval& interval) const = 0;

  /// Draws a random bit: true with probability 1/2.
  bool toss() { return random_.chance(std::uint64_t{1} << 31); }
  long double line() const { return line_; }
  long double mtu() const { return mtu_; }
  /// Lower limit of a flow's rate, in Mb/s.
  long double least() const { return r_min_; }

 private:
  enum class Stage : std::uint8_t {
    kReady,    // the flow's next packet begins the first interval
    kSending,  // the flow is sending the packets of its intervals
    kWaiting,  // all intervals of the flow are sent, and some of their ACKs are missing
  };
  struct Flow {
    long double rate = 0;  // r, the flow's own rate in Mb/s
    long double rtt = 0;   // smoothed RTT of the flow in ps
    Stage stage = Stage::kReady;
    bool starting = true;
    std::uint8_t count = 1;    // number of intervals in use
    std::uint8_t current = 0;  // index of the interval whose packets are being sent
    // utility of the last interval during the flow's start phase
    std::optional<long double> utility;
    std::array<Interval, kMostIntervals> intervals;
    Psn next = 0;   // one above the number of the newest packet sent
    Psn acked = 0;  // one above the number of the newest packet acknowledged

    bool has_all_acks() const { return acked >= intervals[count - 1u].end; }
  };

  void prepare(FlowNumber number, Flow& flow);
  void begin_interval(FlowNumber number, Flow& flow);
  void decide(FlowNumber number, Flow& flow);
  void double_rate(Flow& flow);

  AlgorithmHost& host_;
  const long double packets_, mtu_, line_, r_min_;
  const std::optional<BitRate> initial_;
  RandomStream random_;
  NumberedTable<Flow> flows_;
  AlgorithmCounters counters_;
};

}  // namespace dcc
