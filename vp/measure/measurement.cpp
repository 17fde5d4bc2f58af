#include "measure/measurement.h"

#include <algorithm>
#include <map>

#include "build/platform.h"
#include "build/ranks.h"
#include "measure/dependency_results.h"
#include "measure/ideal_times.h"
#include "measure/program_results.h"
#include "parallel/all_reduce.h"
#include "traffic/flow_gates.h"

namespace dcc::vp {

namespace {
// Maximum number of flows in a series; more flows would be unreadable and would take longer than
// the run.
constexpr std::size_t kMaxSampledFlows = kFewFlows;
static_assert(kMaxSampledFlows == kMostFlowsInSeries);
constexpr std::size_t kMaxSampledQueues = 64;
}  // namespace

Measurement::Measurement(const PlatformConfig& config, Scheduler& scheduler, PlatformClock& clock,
                         Network& network, std::vector<std::unique_ptr<Host>>& hosts,
                         const FlowPlan& plan, FlowLedger& ledger, FlowGates& gates,
                         const Partitions& partitions, std::uint32_t rank)
    : config_(config),
      scheduler_(scheduler),
      clock_(clock),
      network_(network),
      hosts_(hosts),
      plan_(plan),
      ledger_(ledger),
      gates_(gates),
      partitions_(partitions),
      from_event_(Event::calling<&Measurement::measure_from>(*this, rank)),
      to_event_(Event::calling<&Measurement::measure_to>(*this, rank)),
      sample_event_(Event::calling<&Measurement::sample>(*this, rank)) {
  clock.keep(from_event_);
  clock.keep(to_event_);
  for (unsigned dscp = 0; dscp < 64; ++dscp) {
    if (plan.totals().dscps.test(dscp)) dscps_.push_back(dscp);
  }
  constexpr std::size_t kMostReportedPorts = 256;
  report_by_name_ = config.output.counters == CounterReport::kAll ||
                    (config.output.counters == CounterReport::kAuto &&
                     hosts.size() + network.queues().size() <= kMostReportedPorts);
  sample_flow_series_ =
      config.output.series.flows == FlowSeries::kAll && plan.count() <= kMaxSampledFlows;
  if (plan.is_held()) sampled_received_.resize(ledger.size());
  if (config.output.series.queues != QueueSeries::kNone) {
    // Chooses the ports to sample, because the busiest port is known only at the end. A small
    // network samples all ports and chooses then; a large one samples the ports that most flows
    // lead to.
    std::vector<std::pair<std::size_t, std::size_t>> by_flows;
    const std::vector<std::uint32_t>& receivers = plan.totals().received_by;
    for (std::size_t i = 0; i < network.queues().size(); ++i) {
      const EgressQueue& queue = network.queues()[i];
      const CableEnd peer = network.topology().peer(queue.node, queue.port_number);
      const TopologyNode& node = network.topology().node(peer.node);
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
  const TopologyNode& node = network_.topology().node(wire.from);
  if (node.is_host) return hosts_[node.host]->nic().device().transmitter().paused_time();
  return network_.switch_of(wire.from)->device().pause_time(wire.from_port);
}

PicoSeconds Measurement::busy_ahead(const Wire& wire) const {
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
    // restarts the statistics
    queue.device->observe_queue(queue.port_number, &queue.statistics);
  }
  for (const auto& module : network_.switches()) {
    if (module != nullptr) module->device().restart_buffer_statistics();
  }
  for (auto& host : hosts_) {
    NicDevice& nic = host->nic().device();
    nic.transmitter().reset_statistics();
    nic.reset_reordering();
    if (!config_.output.delays) continue;
    host_delays_.push_back(std::make_unique<DelaysByClass>());
    nic.observe_delays(host_delays_.back().get());
  }
}

void Measurement::measure_to() {
  if (measured_ || !measuring_) return;
  if (before_edges_) before_edges_();
  window_ = snapshot().since(from_);  // likewise; finish() calls measure_to() again then
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
    rtt_ns_.merge(host->nic().device().transmitter().rtt_ns());
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

/// Every packet in a switch waits for one of its ports, so the mean of the buffer is the sum of the
/// ports' means. Only the maximum needs a measurement of its own.
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

std::vector<FlowRecord> Measurement::complete_records() const {
  std::vector<FlowRecord> records;
  if (partitions_.group() == nullptr) return records;
  for (std::size_t i = 0; i < ledger_.size(); ++i) records.push_back(ledger_[i]);
  AllReduce reduce(partitions_.group());
  for (std::size_t i = 0; i < records.size(); ++i) {
    FlowRecord& record = records[i];
    if (!is_here(plan_.flow(static_cast<std::uint32_t>(i)).spec.from)) {
      record.posted = PicoSeconds(0);  // the process of the sender adds the value
    }
    reduce.add(record.posted);
    reduce.add(record.last_ack);
    reduce.add(record.posted_bytes);
    reduce.add(record.acked_bytes);
    reduce.add(record.sent_wire_bits);
    reduce.add(record.packets);
    reduce.add(record.last_received);
    reduce.add(record.received_bytes);
    reduce.add(record.ce_received);
    reduce.add(record.cnps_sent);
    reduce.add(record.received_measured);
    FlowRecord::describe(
        [&](auto counter, const char*, const CounterAbout&) { reduce.add(record.*counter); });
  }
  reduce.finish();
  return records;
}

// ---------------------------------------------------------------- results

void Measurement::finish(RunResults& results) {
  if (!measuring_) measure_from();  // the run ended before its window began, so the window is empty
  measure_to();
  all_reduce();
  results.measured_from = std::min(config_.measure.from, measured_to_);
  results.measured_to = measured_to_;
  collect_flows(results);
  if (plan_.dependencies().any()) {
    results.dependencies = dependency_results(
        config_, plan_.dependencies(), gates_.openings(), results,
        [this](std::uint32_t flow) -> const FlowSpec& { return plan_.flow(flow).spec; });
  }
  // Results are collected and their inputs freed at once, so that a large network's results are
  // stored only once.
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

namespace {
/// A query begins with the first of its flows and is answered when the last of them has arrived.
/// Where the entry waits, shift_queries() adds the time until it began.
void add_answer(std::vector<QueryResult>& queries, const FlowSpec& spec, PicoSeconds start,
                const std::optional<PicoSeconds>& end) {
  if (queries.size() <= spec.query) {
    queries.resize(spec.query + 1, {PicoSeconds::max(), PicoSeconds(0)});
  }
  QueryResult& query = queries[spec.query];
  query.asked = std::min(query.asked, spec.begins_query ? start : spec.start);
  if (!end) query.answered.reset();
  if (query.answered && end) query.answered = std::max(*query.answered, *end);
}

/// True if the sender's transport has ended an unfinished flow (PDQ's early termination): all data
/// that is still posted has arrived. RoCE does not end flows.
bool is_given_up(const FlowResult& flow, const TransportParameters* transport) {
  return transport != nullptr && !transport->on_roce() && flow.begun &&
         flow.delivered_total < flow.bytes.value_or(0) && !flow.waiting;
}
}  // namespace

void Measurement::collect_flows(RunResults& results) const {
  const std::vector<FlowRecord> gathered = complete_records();
  const IdealTimes ideal_times(config_, network_);
  results.flows.reserve(plan_.count());
  plan_.each([&](const PlannedFlow& flow) {
    const FlowSpec& spec = flow.spec;
    const FlowRecord record =
        gathered.empty() ? ledger_.record(spec.id, spec.start, spec.bytes) : gathered[spec.id];
    FlowResult out;
    out.id = spec.id;
    const HostPorts& ports = network_.topology().host_ports();
    out.from = ports.host_of(spec.from);
    out.to = ports.host_of(spec.to);
    out.from_port = static_cast<std::uint16_t>(spec.from - ports.first_port(out.from));
    out.to_port = static_cast<std::uint16_t>(spec.to - ports.first_port(out.to));
    out.dscp = spec.dscp;
    out.entry = spec.entry;
    out.of_incast = spec.of_incast;
    out.background = spec.background;
    out.begun = record.posted != PicoSeconds::max();
    out.start = out.begun ? clock_.simulated(record.posted) : spec.start;
    if (spec.stop != PicoSeconds::max() && spec.stop < results.sim_time) out.stopped = spec.stop;
    out.deadline = spec.deadline;
    if (spec.is_gated() && out.deadline) *out.deadline = *out.deadline + spec.start - out.start;
    if (spec.bytes != 0) {
      out.bytes = spec.bytes;
      const bool software = !hosts_[spec.from]->is_direct();
      out.ideal = ideal_times.of(spec, config_.nic.ack, software);
      if (config_.transport_of(spec.from).chosen() != nullptr) {
        out.ideal_rx = ideal_times.of(spec, AckMode::kNone, software);
      }
      out.reference_ideal = ideal_times.of_reference(flow);
      out.completed = FlowLedger::finished(record);
      const bool acknowledged =
          (config_.nic.ack != AckMode::kNone && spec.service == Service::kRc) ||
          expects_response(spec.operation);
      if (out.completed && acknowledged) out.end = clock_.simulated(record.last_ack);
      if (record.received_bytes >= spec.bytes) out.end_rx = clock_.simulated(record.last_received);
      if (!acknowledged) out.completed = out.end_rx.has_value();
    }
    out.progress = out.start;
    for (const PicoSeconds last : {record.last_received, record.last_ack}) {
      if (out.begun && last.count > 0)
        out.progress = std::max(out.progress, clock_.simulated(last));
    }
    out.rate_cap = spec.rate;
    out.waiting = spec.service == Service::kRc && record.posted_bytes > record.received_bytes;
    out.reversed = expects_response(spec.operation);
    out.delivered_total = record.received_bytes;
    if (!out.stopped && is_given_up(out, config_.transport_of(spec.from).chosen())) {
      out.stopped = out.progress;
    }
    out.delivered_measured = record.received_measured;
    out.counts = FlowCounts(record);
    results.flows.push_back(out);
    if (spec.query != FlowSpec::kNone) add_answer(results.queries, spec, out.start, out.end_rx);
  });
  shift_queries(results);
}

/// The times of an entry that waits count from its begin. So its queries are asked later than at
/// their `start`, by as much as the first flow that the entry's own gates hold. Queries that would
/// be asked after the end of the run are not asked.
void Measurement::shift_queries(RunResults& results) const {
  if (!plan_.is_held() || !plan_.dependencies().any()) return;
  std::map<std::uint16_t, PicoSeconds> waited;  // time that each entry waited
  for (const PlannedFlow& flow : plan_.flows()) {
    const FlowSpec& spec = flow.spec;
    if (!spec.is_gated() || spec.waits_at < plan_.dependencies().first) continue;
    if (!results.flows[spec.id].begun) continue;
    const PicoSeconds by = results.flows[spec.id].start - spec.start;
    const auto [found, added] = waited.emplace(spec.entry, by);
    if (!added) found->second = std::min(found->second, by);
  }
  std::vector<bool> done(results.queries.size(), false);
  for (const PlannedFlow& flow : plan_.flows()) {
    const FlowSpec& spec = flow.spec;
    if (spec.query == FlowSpec::kNone || spec.begins_query || done[spec.query]) continue;
    if (!config_.traffic[spec.entry].waits()) continue;
    done[spec.query] = true;
    QueryResult& query = results.queries[spec.query];
    const auto found = waited.find(spec.entry);
    const bool is_asked = found != waited.end() && query.asked <= results.sim_time - found->second;
    query.asked = is_asked ? query.asked + found->second : PicoSeconds::max();
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
                                [](Platform& p) -> std::unique_ptr<PlatformPart> {
                                  return std::make_unique<Measurement>(
                                      p.config, p.scheduler, p.clock, p.network, p.hosts, p.plan,
                                      p.ledger, *p.part<FlowGates>(), p.partitions,
                                      kMeasurementRank);
                                });
}  // namespace

}  // namespace dcc::vp
