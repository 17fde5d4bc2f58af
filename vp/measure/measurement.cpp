#include "measure/measurement.h"

#include <algorithm>

#include "build/platform.h"
#include "build/ranks.h"
#include "measure/dependency_results.h"
#include "measure/flow_digest.h"
#include "measure/program_results.h"
#include "parallel/all_reduce.h"
#include "traffic/direct_traffic.h"
#include "traffic/flow_gates.h"

namespace dcc::vp {

namespace {
// Maximum number of flows in a series; more flows would be unreadable and would take longer than
// the run.
constexpr std::size_t kMaxSampledFlows = kFewFlows;
static_assert(kMaxSampledFlows == kMostFlowsInSeries);
constexpr std::size_t kMaxSampledQueues = 64;
}  // namespace

Measurement::Measurement(Platform& p)
    : config_(p.config),
      scheduler_(p.scheduler),
      clock_(p.clock),
      network_(p.network),
      hosts_(p.hosts),
      plan_(p.plan),
      ledger_(p.ledger),
      gates_(*p.part<FlowGates>()),
      traffic_(*p.part<DirectTraffic>()),
      partitions_(p.partitions),
      ideal_times_(p.config, p.network),
      from_event_(Event::calling<&Measurement::measure_from>(*this, kMeasurementRank)),
      to_event_(Event::calling<&Measurement::measure_to>(*this, kMeasurementRank)),
      sample_event_(Event::calling<&Measurement::sample>(*this, kMeasurementRank)) {
  if (config_.output.flows != FlowOutput::kAll) {
    digest_ = std::make_shared<FlowDigest>(config_);
    if (!plan_.is_held()) {
      traffic_.tell_ended([this](const PlannedFlow& flow, const FlowRecord& record) {
        // A stop does not matter for a flow that has ended; the end of the run is not known yet.
        const FlowResult result = result_of(flow, record, PicoSeconds(0));
        digest_->add(result);
        add_answer(flow.spec, result);
      });
    }
  }
  clock_.keep(from_event_);
  clock_.keep(to_event_);
  for (unsigned dscp = 0; dscp < 64; ++dscp) {
    if (plan_.totals().dscps.test(dscp)) dscps_.push_back(dscp);
  }
  report_by_name_ = config_.output.counts_by_port(network_.wires().size());
  sample_flow_series_ =
      config_.output.series.flows == FlowSeries::kAll && plan_.count() <= kMaxSampledFlows;
  if (plan_.is_held() && plan_.rounds() == nullptr) sampled_received_.resize(ledger_.size());
  if (config_.output.series.queues != QueueSeries::kNone) {
    // Chooses the ports to sample, because the busiest port is known only at the end of the run. A
    // small network samples all ports and chooses the reported ports at the end; a large network
    // samples the ports to which most flows lead.
    std::vector<std::pair<std::size_t, std::size_t>> by_flows;
    const std::vector<std::uint32_t>& receivers = plan_.totals().received_by;
    for (std::size_t i = 0; i < network_.queues().size(); ++i) {
      const EgressQueue& queue = network_.queues()[i];
      const CableEnd peer = network_.topology().peer(queue.node, queue.port_number);
      const TopologyNode& node = network_.topology().node(peer.node);
      by_flows.emplace_back(node.is_host && node.host < receivers.size() ? receivers[node.host] : 0,
                            i);
    }
    std::stable_sort(by_flows.begin(), by_flows.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    if (by_flows.size() > kMaxSampledQueues) by_flows.resize(kMaxSampledQueues);
    for (const auto& [flows, index] : by_flows) sampled_queues_.push_back(index);
    std::sort(sampled_queues_.begin(), sampled_queues_.end());
  }
}

void Measurement::begin() {
  // The event at the window's begin runs after all other events of that instant, so it would miss
  // packets that start at time 0. A window that begins at 0 takes its first snapshot here.
  if (config_.measure.from == PicoSeconds(0)) from_ = snapshot();
  clock_.schedule_at(from_event_, config_.measure.from);
  clock_.schedule_at(to_event_, config_.measure_end());
  const bool series =
      sample_flow_series_ || !sampled_queues_.empty() || config_.output.series.classes;
  if (series) clock_.schedule_at(sample_event_, config_.output.series.interval);
}

// ---------------------------------------------------------------- reading the counters

PicoSeconds Measurement::pause_of(const Wire& wire) const {
  if (!network_.has_ports(wire.from)) return PicoSeconds(0);
  const TopologyNode& node = network_.topology().node(wire.from);
  if (node.is_host) return hosts_[node.host]->nic().device().transmitter().paused_time();
  return network_.switch_of(wire.from)->device().pause_time(wire.from_port);
}

PicoSeconds Measurement::busy_ahead(const Wire& wire) const {
  if (!network_.has_ports(wire.from)) return PicoSeconds(0);
  const TopologyNode& node = network_.topology().node(wire.from);
  const PicoSeconds free_at =
      node.is_host ? hosts_[node.host]->nic().device().transmitter().wire_free_at()
                   : network_.switch_of(wire.from)->device().wire_free_at(wire.from_port);
  return std::max(free_at - scheduler_.now(), PicoSeconds(0));
}

Snapshot Measurement::snapshot() const {
  Snapshot s;
  s.counters.add(ledger_.total());
  s.wires.reserve(network_.wires().size());
  s.cnps_received.reserve(hosts_.size());
  for (const Wire& wire : network_.wires()) {
    LinkCounters link = wire.link().counters();
    // corrects for a link's counting the whole time of a packet when it begins
    link.busy -= busy_ahead(wire);
    s.wires.push_back({link, pause_of(wire)});
    s.counters.add(link);
  }
  for (const auto& module : network_.switches()) {
    if (module == nullptr) continue;
    s.counters.add(module->device().totals());
    s.counters.add(module->device().pfc_totals());
  }
  for (const auto& host : hosts_) {
    const NicCounters& nic = host->nic().device().counters();
    s.counters.add(nic);
    s.cnps_received.push_back(nic.cnps_received);
    if (host->algorithm() != nullptr) s.counters.add(host->algorithm()->counters());
    if (const auto* const program = dynamic_cast<const HandlerReport*>(host->algorithm())) {
      s.counters.add(ProgramCounters(*program));
    }
  }
  if (report_by_name_) read_by_name(s.by_name);
  return skipped_.wires.empty() ? s : s.plus(skipped_);
}

// ---------------------------------------------------------------- the window

void Measurement::measure_from() {
  if (before_edges_) before_edges_();
  // A snapshot compares lock-step, which may end the run here.
  if (config_.measure.from != PicoSeconds(0)) from_ = snapshot();
  measuring_ = true;
  ledger_.begin_window();
  for (const EgressQueue& queue : network_.queues()) {
    if (queue.device == nullptr) continue;
    // Restarts the statistics of queues and buffers.
    queue.device->observe_queue(queue.port_number, &queue.statistics);
  }
  for (const auto& module : network_.switches()) {
    if (module != nullptr) module->device().restart_buffer_statistics();
  }
  for (auto& host : hosts_) {
    NicDevice& nic = host->nic().device();
    nic.transmitter().requester().reset_statistics();
    nic.reset_reordering();
    if (!config_.output.delays) continue;
    host_delays_.push_back(std::make_unique<DelaysByClass>());
    nic.observe_delays(host_delays_.back().get());
  }
}

void Measurement::measure_to() {
  if (measured_ || !measuring_) return;
  if (before_edges_) before_edges_();
  window_ = snapshot().since(from_);
  from_ = {};
  measured_ = true;
  read_peaks();
  ledger_.end_window();
  measured_to_ = clock_.now();
  queue_figures_.reserve(network_.queues().size());
  for (const EgressQueue& queue : network_.queues()) {
    queue_figures_.push_back(queue.statistics.figures(scheduler_.now()));
  }
  measure_buffers();
  for (auto& host : hosts_) {
    rtt_ns_.merge(host->nic().device().transmitter().requester().rtt_ns());
    reordering_.merge(host->nic().device().reordering());
    host->nic().device().observe_delays(nullptr);
  }
  if (!config_.output.delays) return;
  for (const unsigned dscp : dscps_) {
    DelayResult& out = delays_.emplace_back();
    out.dscp = dscp;
    for (const auto& host : host_delays_) {
      const ClassDelays* const seen = host->seen(static_cast<std::uint8_t>(dscp));
      if (seen != nullptr) out.of.merge(*seen);
    }
  }
}

/// Computes the mean occupancy of a switch's buffer as the sum of its ports' means, because every
/// packet in a switch waits for one of its ports. Only the maximum needs a measurement of its own.
void Measurement::measure_buffers() {
  const PicoSeconds now = scheduler_.now();
  std::vector<double> means(network_.switches().size());
  for (const EgressQueue& queue : network_.queues()) {
    means[static_cast<std::size_t>(queue.node)] += queue.statistics.mean(now);
  }
  for (std::size_t node = 0; node < means.size(); ++node) {
    const auto& module = network_.switches()[node];
    if (module == nullptr) continue;
    const SwitchDevice& device = module->device();
    buffers_.push_back({static_cast<NodeId>(node),
                        static_cast<Bytes>(means[node] + device.mean_held_back() + 0.5),
                        device.buffer().peak()});
  }
}

// ---------------------------------------------------------------- records

bool Measurement::is_here(HostId host) const {
  return partitions_.is_here(network_.topology().node_of(host));
}

// ---------------------------------------------------------------- results

void Measurement::finish(RunResults& results) {
  if (!measuring_) measure_from();  // the run ended before its window began, so the window is empty
  measure_to();
  all_reduce();
  results.measured_from = std::min(config_.measure.from, measured_to_);
  results.measured_to = measured_to_;
  if (digest_ != nullptr) digest_->end_run(results.measured_from, measured_to_, results.sim_time);
  const bool listed = digest_ == nullptr || plan_.dependencies().any();
  if (listed) {
    collect_flows(results);
  } else {
    digest_flows(results);
  }
  if (plan_.dependencies().any()) {
    results.dependencies = dependency_results(
        config_, plan_.dependencies(), gates_.openings(), results,
        [this](std::uint32_t flow) -> const FlowSpec& { return plan_.flow(flow).spec; });
  }
  if (digest_ != nullptr && listed) {  // the list was for the critical path alone
    for (const FlowResult& flow : results.flows) digest_->add(flow);
    results.flows = {};
  }
  results.digest = digest_;
  // The sources of each result are freed at once, so that a large network is not in memory twice.
  collect_links(results);
  window_.wires = {};
  collect_queues(results);
  queue_figures_ = {};
  collect_counters(results);
  collect_by_name(results);
  results.flow_rates = std::move(flow_rates_);
  results.class_series = std::move(class_series_);
}

/// Sums over all processes the counts of the window.
void Measurement::all_reduce() {
  AllReduce reduce(partitions_.group());
  window_.each([&](auto& number) { reduce.add(number); });
  for (auto& [mean, p50, p99, max] : queue_figures_) {
    for (Bytes* const figure : {&mean, &p50, &p99, &max}) reduce.add(*figure);
  }
  for (BufferUse& use : buffers_) {
    reduce.add(use.mean);
    reduce.add(use.peak);
  }
  reduce.finish();
  if (partitions_.group() == nullptr) return;
  rtt_ns_ = LogHistogram::of(partitions_.group()->all_gather(rtt_ns_.counts()));
  all_reduce_reordering();
  all_reduce_delays();
}

void Measurement::all_reduce_reordering() {
  ProcessGroup& group = *partitions_.group();
  const LogHistogram depths = LogHistogram::of(group.all_gather(reordering_.depths().counts()));
  const auto deepest = group.all_gather({static_cast<std::int64_t>(reordering_.deepest())});
  reordering_ = Reordering();
  reordering_.merge(depths,
                    static_cast<std::uint64_t>(*std::max_element(deepest.begin(), deepest.end())));
}

void Measurement::all_reduce_delays() {
  const auto sum_up = [&](LogHistogram& histogram) {
    histogram = LogHistogram::of(partitions_.group()->all_gather(histogram.counts()));
  };
  for (DelayResult& one : delays_) {
    for (MarkedDelays* const delays : {&one.of.round_trip, &one.of.one_way, &one.of.as_read}) {
      sum_up(delays->all);
      sum_up(delays->marked);
    }
    for (LogHistogram& messages : one.of.messages) sum_up(messages);
  }
}

void Measurement::collect_links(RunResults& results) const {
  results.links.reserve(network_.wires().size());
  for (std::size_t i = 0; i < network_.wires().size(); ++i) {
    const Wire& wire = network_.wires()[i];
    const LinkParameters& link = wire.link().parameters();
    LinkResult out;
    out.name = network_.name_of(wire);
    out.rate = link.rate;
    const WireCounters& counted = window_.wires[i];
    out.tx_bytes = counted.link.bytes;
    out.busy = counted.link.busy;
    out.pause = counted.pause;
    results.links.push_back(std::move(out));
  }
}

void Measurement::collect_queues(RunResults& results) {
  results.queues.reserve(queue_figures_.size());
  for (std::size_t i = 0; i < queue_figures_.size(); ++i) {
    const QueueStatistics::Figures& figures = queue_figures_[i];
    results.queues.push_back({network_.name_of(network_.queues()[i]),
                              static_cast<double>(figures.mean), figures.p50, figures.p99,
                              figures.max});
  }
  for (const BufferUse& use : buffers_) {
    results.buffers.push_back(
        {network_.topology().node(use.node).name, static_cast<double>(use.mean), use.peak});
  }
  if (config_.output.series.queues == QueueSeries::kBusiest && !queue_figures_.empty()) {
    const auto by_mean = [](const auto& a, const auto& b) { return a.mean < b.mean; };
    const auto busiest = static_cast<std::uint32_t>(
        std::max_element(queue_figures_.begin(), queue_figures_.end(), by_mean) -
        queue_figures_.begin());
    for (std::size_t i = 0; i < queue_series_.t.size(); ++i) {
      if (queue_series_.port[i] != busiest) continue;
      results.queue_series.t.push_back(queue_series_.t[i]);
      results.queue_series.port.push_back(busiest);
      results.queue_series.bytes.push_back(queue_series_.bytes[i]);
    }
  } else {
    results.queue_series = std::move(queue_series_);
  }
}

void Measurement::collect_counters(RunResults& results) const {
  results.counters = window_.counters;
  results.rtt_ns = rtt_ns_;
  results.reordering = reordering_;
  results.delays = delays_;
}

namespace {
const PartKind kMeasurementKind(PartKind::kMeasurement,
                                [](Platform& p) { return std::make_unique<Measurement>(p); });
}  // namespace

}  // namespace dcc::vp
