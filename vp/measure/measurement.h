// Measures the running platform by samples for the series and snapshots at both ends of `measure`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "build/host.h"
#include "build/network.h"
#include "build/platform_part.h"
#include "config/platform_config.h"
#include "debug/snapshot.h"
#include "disturb/platform_clock.h"
#include "measure/ideal_times.h"
#include "measure/results.h"
#include "measure/sampled_flows.h"
#include "parallel/partitions.h"
#include "sim/scheduler.h"
#include "stats/flow_ledger.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

class DirectTraffic;
class FlowDigest;
class FlowGates;

class Measurement final : public PlatformPart {
 public:
  explicit Measurement(Platform& platform);
  void begin() override;
  /// Adds all results except those of the balance, of hosts, and of run time and speed.
  void finish(RunResults& results) override;
  /// Number of CNPs that a host received within `measure`. Valid after finish().
  std::uint64_t cnps_received(HostId host) const { return window_.cnps_received[host]; }

  /// Counters and statistics at one moment. Valid until the next kept event of the clock.
  struct Watch {
    PicoSeconds from;  // start of the watch by the devices' clock
    Snapshot counted;
    // statistics of each queue; empty if queues are not measured
    std::vector<QueueStatistics> queues;
    std::vector<LogHistogram> rtt_ns;    // round-trip times of each host in ns
    std::vector<Reordering> reordering;  // reordering of received packets at each host
  };
  std::unique_ptr<Watch> watch() const;
  /// Extrapolates over skipped time: all counts and measurements since `watch` continue in
  /// proportion. Flows gain exactly `left_out` bytes, which the flows' records contain already.
  void repeat_since(const Watch& watch, PicoSeconds skipped, const std::vector<Bytes>& left_out);

  /// Counts and measurements between two moments at which the network was quiescent.
  struct Stretch {
    Snapshot counted;
    // statistics of queues at both moments; empty if queues are not measured
    std::vector<QueueStatistics> queues_from, queues_to;
    LogHistogram rtt_ns;  // round-trip times that all NICs measured, in ns
  };
  Stretch stretch_since(const Watch& watch) const;
  /// Counts the events of a stretch `times` more times, instead of simulating as much quiescent
  /// time. Precondition: `measure` neither began nor ended during the stretch.
  void repeat(const Stretch& stretch, std::int64_t times);
  /// A flow of a round in the plan, and the flow's record for a round that is not simulated.
  struct LeftOut {
    const PlannedFlow* flow;
    FlowRecord record;
  };
  /// Adds the flows and the queries of `times` rounds that are left out (RepeatedRounds), from the
  /// round `first` on, one every `period`. `last`: all flows of the last of these rounds.
  /// Preconditions: results list no flows; `measure` neither begins nor ends within these rounds.
  void add_left_out(std::uint64_t first, std::uint64_t times, PicoSeconds period,
                    std::vector<LeftOut> last);
  /// Calls `action` before `measure` begins and before it ends.
  void before_edges(std::function<void()> action) { before_edges_ = std::move(action); }

 private:
  Snapshot snapshot() const;
  void read_by_name(std::vector<std::uint64_t>& to) const;
  void read_peaks();
  void collect_by_name(RunResults& results) const;
  PicoSeconds pause_of(const Wire& wire) const;
  /// The remaining transmission time of the packet that is on the wire.
  PicoSeconds busy_ahead(const Wire& wire) const;
  void measure_from();
  void measure_to();
  void sample();
  void sample_flows(PicoSeconds now, double interval_s);
  /// The state of a flow at its sender and at the sender's algorithm.
  struct Sending {
    std::int64_t rate = 0;  // rate of the flow in units of Rate::raw
    std::int64_t target = 0;
    double alpha = 0;
  };
  std::vector<Sending> senders() const;
  /// Records of all flows with the numbers of both ends, if processes share the run; else empty,
  /// because the ledger is complete.
  std::vector<FlowRecord> complete_records() const;
  bool is_here(HostId host) const;
  void all_reduce();
  void all_reduce_delays();
  void all_reduce_reordering();
  void measure_buffers();
  void sample_queues(PicoSeconds now);
  /// The results of a flow with this ledger record, in a run that ended at `end`.
  FlowResult result_of(const PlannedFlow& flow, const FlowRecord& record, PicoSeconds end) const;
  void add_answer(const FlowSpec& spec, const FlowResult& flow);
  /// Adds flows and queries to the results for those rounds of collectives that had not begun when
  /// the run ended.
  void digest_rounds_left(RunResults& results);
  void collect_flows(RunResults& results);
  void digest_flows(RunResults& results);
  void shift_queries(RunResults& results) const;
  void collect_links(RunResults& results) const;
  void collect_queues(RunResults& results);
  void collect_counters(RunResults& results) const;

  const PlatformConfig& config_;
  Scheduler& scheduler_;  // clock of the devices, by which queues are averaged
  PlatformClock& clock_;
  Network& network_;
  std::vector<std::unique_ptr<Host>>& hosts_;
  const FlowPlan& plan_;
  FlowLedger& ledger_;
  FlowGates& gates_;
  DirectTraffic& traffic_;
  const Partitions& partitions_;
  const IdealTimes ideal_times_;
  // digest of flows; null if the results contain the list of flows
  std::shared_ptr<FlowDigest> digest_;
  std::vector<QueryResult> queries_;

  std::function<void()> before_edges_;
  Snapshot from_;     // counters at the beginning of the measured window
  Snapshot window_;   // counts within the measured window
  Snapshot skipped_;  // counts of devices for skipped time; empty: no time was skipped
  bool measuring_ = false;
  bool measured_ = false;
  PicoSeconds measured_to_{};
  std::vector<QueueStatistics::Figures> queue_figures_;
  /// Occupancy of a switch's memory: mean over time, and maximum.
  struct BufferUse {
    NodeId node = 0;
    Bytes mean = 0;
    Bytes peak = 0;
  };
  std::vector<BufferUse> buffers_;
  LogHistogram rtt_ns_;
  Reordering reordering_;
  // delay statistics of each host; empty if delays are not recorded
  std::vector<std::unique_ptr<DelaysByClass>> host_delays_;
  std::vector<DelayResult> delays_;  // delays of the packets of each class

  bool report_by_name_ = false;  // true if the counters of measure/field_counters.h are reported
  bool sample_flow_series_ = false;
  // bytes that each flow of a complete plan had received at the last sample
  std::vector<Bytes> sampled_received_;
  SampledFlows sampled_;
  std::vector<unsigned> dscps_;  // DSCPs that traffic uses, ascending
  FlowRateColumns flow_rates_;
  // queues of all sampled ports, from which finish() chooses
  QueueColumns queue_series_;
  std::vector<std::size_t> sampled_queues_;  // indices into Network::queues()
  ClassColumns class_series_;
  Event from_event_;
  Event to_event_;
  Event sample_event_;
};

}  // namespace dcc::vp
