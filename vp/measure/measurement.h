// Looks at the running platform: samples for the series, snapshots at both ends of `measure`.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "build/host.h"
#include "build/network.h"
#include "build/platform_part.h"
#include "config/platform_config.h"
#include "debug/snapshot.h"
#include "disturb/platform_clock.h"
#include "measure/results.h"
#include "parallel/partitions.h"
#include "sim/scheduler.h"
#include "stats/flow_ledger.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

class Measurement final : public PlatformPart {
 public:
  /// `rank` must be the greatest: a sample at t sees everything that happened at t.
  Measurement(const PlatformConfig& config, Scheduler& scheduler, PlatformClock& clock,
              Network& network, std::vector<std::unique_ptr<Host>>& hosts, const FlowPlan& plan,
              FlowLedger& ledger, const Partitions& partitions, std::uint32_t rank);
  void begin() override;
  /// Adds everything but the balance, hosts, time and speed.
  void finish(RunResults& results) override;
  /// CNPs that a host received within `measure`. Valid after finish().
  std::uint64_t cnps_received(HostId host) const { return window_.cnps_received[host]; }

  /// What was counted and measured, at a moment. Good until a kept event of the clock.
  struct Watch {
    PicoSeconds from;  // the devices' time
    Snapshot counted;
    std::vector<QueueStatistics> queues;  // empty: they are not looked at now
    std::vector<LogHistogram> rtt_ns;     // by host
    std::vector<Reordering> reordering;   // the same
  };
  std::unique_ptr<Watch> watch() const;
  /// Time is skipped: everything that was counted and measured since then goes on in the same
  /// proportion, of flows exactly `left_out` bytes, which their records have by now.
  void repeat_since(const Watch& watch, PicoSeconds skipped, const std::vector<Bytes>& left_out);

 private:
  Snapshot snapshot() const;
  PicoSeconds pause_of(const Wire& wire) const;
  void measure_from();
  void measure_to();
  void sample();
  void sample_flows(PicoSeconds now, double interval_s);
  /// What the sender of a flow, and its algorithm, say of it.
  struct Sending {
    std::int64_t rate = 0;  // Rate::raw
    std::int64_t target = 0;
    double alpha = 0;
  };
  std::vector<Sending> senders() const;
  /// Both ends of every flow where processes share the run; else empty: the ledger has them.
  std::vector<FlowRecord> complete_records() const;
  bool is_here(HostId host) const;
  void all_reduce();
  void all_reduce_delays();
  void all_reduce_reordering();
  void measure_buffers();
  void sample_queues(PicoSeconds now);
  void collect_flows(RunResults& results) const;
  /// Of a flow that ends: alone in the empty network; empty beyond the axis of time.
  std::optional<PicoSeconds> ideal(const FlowSpec& spec, AckMode ack) const;
  /// The same as the reference simulator reckons it: base round trip of a full packet plus the
  /// flow's wire bytes at the slowest link's rate.
  PicoSeconds reference_ideal(const PlannedFlow& flow) const;
  void collect_links(RunResults& results) const;
  void collect_queues(RunResults& results);
  void collect_counters(RunResults& results) const;

  const PlatformConfig& config_;
  Scheduler& scheduler_;  // the devices' time, which queues are weighed by
  PlatformClock& clock_;
  Network& network_;
  std::vector<std::unique_ptr<Host>>& hosts_;
  const FlowPlan& plan_;
  FlowLedger& ledger_;
  const Partitions& partitions_;

  Snapshot from_;     // at the window's begin
  Snapshot window_;   // what was counted in it
  Snapshot skipped_;  // what devices would have counted in time that was skipped; empty: none was
  bool measuring_ = false;
  bool measured_ = false;
  PicoSeconds measured_to_{};
  std::vector<QueueStatistics::Figures> queue_figures_;
  /// Of a switch's memory, over time and at most.
  struct BufferUse {
    NodeId node = 0;
    Bytes mean = 0;
    Bytes peak = 0;
  };
  std::vector<BufferUse> buffers_;
  LogHistogram rtt_ns_;
  Reordering reordering_;
  std::vector<std::unique_ptr<DelaysByClass>> host_delays_;  // empty: not asked for
  std::vector<DelayResult> delays_;                          // by class

  bool sample_flow_series_ = false;
  std::vector<Bytes> sampled_received_;  // by flow of a held plan, at the last sample
  std::vector<unsigned> dscps_;          // in use, ascending
  FlowRateColumns flow_rates_;
  QueueColumns queue_series_;                // all switch ports, filtered in finish()
  std::vector<std::size_t> sampled_queues_;  // indices into Network::queues()
  ClassColumns class_series_;
  Event from_event_;
  Event to_event_;
  Event sample_event_;
};

}  // namespace dcc::vp
