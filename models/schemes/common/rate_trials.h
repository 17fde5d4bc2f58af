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

/// Parameters that all these algorithms share; `describe_limits` adds them to an algorithm's own.
struct RateTrialsParameters : AlgorithmParameters {
  std::uint32_t packets = 10;      // least duration of an interval, in packets of the MTU
  BitRate r_min{1'000'000};        // a rate is never cut below this
  std::optional<BitRate> initial;  // rate of a new flow; empty: chosen by the algorithm

  /// Throws ParameterError if a flow would start below r_min.
  void check(Bytes largest_packet) const override;

 protected:
  void describe_limits(ParameterVisitor& v, const char* paper, const char* initial_meaning);
};

/// Base of a congestion-control algorithm with one rate per flow. A flow starts with intervals at
/// its rate and doubles the rate from one to the next until the utility of an interval falls. From
/// then on the derived class plans one to four intervals with a rate each; they are sent one behind
/// the other, then the flow sends at its own rate until all packets of the intervals are
/// acknowledged; then the derived class judges them and moves the rate. An interval is one round
/// trip, or `packets` at the flow's rate if that is longer, and up to a tenth more by chance. A
/// packet that is sent again counts as lost in its first interval.
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
    long double rate = 0;  // Mb/s
    Psn first = 0, end = 0;
    std::uint64_t sent = 0, lost = 0;
    PicoSeconds begin{};
    // Sums over ACKs for the slope of the RTT over the time at which a packet left, in ps.
    long double n = 0, t = 0, tt = 0, rtt = 0, t_rtt = 0;

    bool holds(Psn psn) const { return first <= psn && psn < end; }
    /// Growth of the RTT per time, by regression over the interval's packets.
    long double growth() const;
    /// Share of the packets that were sent again. Precondition: sent > 0.
    long double loss() const;
    /// False if the flow had too little to send in the interval, so the interval allows no
    /// judgement.
    bool is_known() const { return n >= 2; }
  };
  static constexpr std::size_t kMostIntervals = 4;
  struct Plan {
    std::array<long double, kMostIntervals> rates{};  // Mb/s
    std::size_t count = 0;                            // intervals in use
  };

  RateTrials(AlgorithmHost& host, const RateTrialsParameters& limits, std::uint32_t mtu,
             const char* stream, std::uint64_t seed, std::uint64_t index);

  /// First rate of a flow in Mb/s, where the user has set none; the base limits the value.
  virtual long double first_rate(const FlowStart& start) const = 0;
  virtual void begin(FlowNumber) {}
  /// Returns the rates of the next intervals of a flow that has ended its start and has the rate
  /// `mbps`.
  virtual Plan plan(FlowNumber number, long double mbps) = 0;
  /// Returns the flow's new rate, in Mb/s; the base limits the value. `intervals` are those that
  /// plan() asked for, of a flow with the rate `mbps`.
  virtual long double judge(FlowNumber number, long double mbps,
                            const std::array<Interval, kMostIntervals>& intervals) = 0;
  virtual long double utility_of(const Interval& interval) const = 0;

  /// True with probability 1/2.
  bool toss() { return random_.chance(std::uint64_t{1} << 31); }
  long double line() const { return line_; }
  long double mtu() const { return mtu_; }
  /// Lower limit of a flow's rate, in Mb/s.
  long double least() const { return r_min_; }

 private:
  enum class Stage : std::uint8_t {
    kReady,    // the next packet begins the first interval
    kSending,  // the intervals are being sent
    kWaiting,  // all intervals are sent, some ACKs are missing
  };
  struct Flow {
    long double rate = 0;  // r, Mb/s
    long double rtt = 0;   // smoothed RTT, ps
    Stage stage = Stage::kReady;
    bool starting = true;
    std::uint8_t count = 1;              // intervals in use
    std::uint8_t current = 0;            // index of the interval that is being sent
    std::optional<long double> utility;  // utility of the last interval, during the start
    std::array<Interval, kMostIntervals> intervals;
    Psn next = 0;   // one above the newest packet sent
    Psn acked = 0;  // one above the newest packet acknowledged

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
