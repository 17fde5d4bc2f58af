// The part of Measurement that makes the results of flows from their records.
#include <algorithm>
#include <map>

#include "build/platform.h"
#include "measure/flow_digest.h"
#include "measure/measurement.h"
#include "parallel/all_reduce.h"
#include "traffic/direct_traffic.h"

namespace dcc::vp {

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

namespace {
constexpr QueryResult kNoFlowYet{PicoSeconds::max(), PicoSeconds(0)};

/// Adds a flow of a query to the query's times.
void add_to(QueryResult& query, const FlowSpec& spec, const FlowResult& flow) {
  query.asked = std::min(query.asked, spec.begins_query ? flow.start : spec.start);
  if (!flow.end_rx) query.answered.reset();
  if (query.answered) query.answered = std::max(*query.answered, *flow.end_rx);
}
}  // namespace

/// Sets the times of queries. A query begins with its first flow and is answered when its last flow
/// has arrived. If the traffic entry waits for others, shift_queries() adds the time until the
/// entry began.
void Measurement::add_answer(const FlowSpec& spec, const FlowResult& flow) {
  if (spec.query == FlowSpec::kNone) return;
  const RepeatedRounds* const rounds = plan_.rounds();
  const std::size_t number = rounds != nullptr ? rounds->place(spec.query) : spec.query;
  if (queries_.size() <= number) queries_.resize(number + 1, kNoFlowYet);
  add_to(queries_[number], spec, flow);
}

namespace {

/// True if the sender's transport has ended an unfinished flow (PDQ's early termination): all data
/// that is still posted has arrived. RoCE does not end flows.
bool is_given_up(const FlowResult& flow, const TransportParameters* transport) {
  return transport != nullptr && !transport->on_roce() && flow.begun &&
         flow.delivered_total < flow.bytes.value_or(0) && !flow.waiting;
}
}  // namespace

FlowResult Measurement::result_of(const PlannedFlow& flow, const FlowRecord& record,
                                  PicoSeconds end) const {
  const FlowSpec& spec = flow.spec;
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
  if (spec.stop != PicoSeconds::max() && spec.stop < end) out.stopped = spec.stop;
  out.deadline = spec.deadline;
  if (spec.is_gated() && out.deadline) *out.deadline = *out.deadline + spec.start - out.start;
  const bool acknowledged = (config_.nic.ack != AckMode::kNone && is_reliable(spec.service)) ||
                            expects_response(spec.operation);
  if (spec.bytes != 0) {
    out.bytes = spec.bytes;
    const bool software = !hosts_[spec.from]->is_direct();
    if (config_.output.flows != FlowOutput::kNone) {
      out.ideal = ideal_times_.of(spec, config_.nic.ack, software);
      if (config_.transport_of(spec.from).chosen() != nullptr) {
        out.ideal_rx = ideal_times_.of(spec, AckMode::kNone, software);
      }
      out.reference_ideal = ideal_times_.of_reference(flow);
    }
    out.completed = FlowLedger::finished(record);
    if (out.completed && acknowledged) out.end = clock_.simulated(record.last_ack);
    if (record.received_bytes >= spec.bytes) out.end_rx = clock_.simulated(record.last_received);
    if (!acknowledged) out.completed = out.end_rx.has_value();
  }
  out.progress = out.start;
  for (const PicoSeconds last : {record.last_received, record.last_ack}) {
    if (out.begun && last.count > 0) out.progress = std::max(out.progress, clock_.simulated(last));
  }
  out.rate_cap = spec.rate;
  out.waiting = is_reliable(spec.service) && record.posted_bytes > record.received_bytes;
  out.unacknowledged = acknowledged && record.posted_bytes > record.acked_bytes;
  out.reversed = expects_response(spec.operation);
  out.delivered_total = record.received_bytes;
  if (!out.stopped && is_given_up(out, config_.transport_of(spec.from).chosen())) {
    out.stopped = out.progress;
  }
  out.delivered_measured = record.received_measured;
  out.counts = FlowCounts(record);
  return out;
}

void Measurement::collect_flows(RunResults& results) {
  const std::vector<FlowRecord> gathered = complete_records();
  results.flows.reserve(plan_.count());
  plan_.each([&](const PlannedFlow& flow) {
    const FlowSpec& spec = flow.spec;
    results.flows.push_back(result_of(
        flow,
        gathered.empty() ? ledger_.record(spec.id, spec.start, spec.bytes) : gathered[spec.id],
        results.sim_time));
    add_answer(spec, results.flows.back());
  });
  results.queries = std::move(queries_);
  shift_queries(results);
}

/// Adds the flows that have not been added when they ended.
void Measurement::digest_flows(RunResults& results) {
  const std::vector<FlowRecord> gathered = complete_records();
  const auto add = [&](const PlannedFlow& flow) {
    const FlowSpec& spec = flow.spec;
    const FlowResult result = result_of(
        flow,
        gathered.empty() ? ledger_.record(spec.id, spec.start, spec.bytes) : gathered[spec.id],
        results.sim_time);
    digest_->add(result);
    add_answer(spec, result);
  };
  if (plan_.is_held()) {
    for (const PlannedFlow& flow : plan_.flows()) add(flow);
  } else {
    traffic_.each_left(add);
  }
  if (plan_.rounds() != nullptr) digest_rounds_left(results);
  results.queries = std::move(queries_);
}

void Measurement::digest_rounds_left(RunResults& results) {
  const RepeatedRounds& rounds = *plan_.rounds();
  const std::uint64_t left = rounds.left();
  if (left == 0) return;
  QueryResult query = kNoFlowYet;
  for (std::size_t i = plan_.flows().size() - rounds.flows_each(); i < plan_.flows().size(); ++i) {
    const PlannedFlow& flow = plan_.flows()[i];
    FlowRecord record;
    record.target_bytes = flow.spec.bytes;
    const FlowResult result = result_of(flow, record, results.sim_time);
    digest_->add(result, left);
    add_to(query, flow.spec, result);
  }
  queries_.resize(rounds.rounds(), query);
}

void Measurement::add_left_out(std::uint64_t first, std::uint64_t times, PicoSeconds period,
                               std::vector<LeftOut> last) {
  QueryResult query = kNoFlowYet;
  for (LeftOut& one : last) {
    if (measuring_ && !measured_) one.record.received_measured = one.record.received_bytes;
    const FlowResult result = result_of(*one.flow, one.record, PicoSeconds(0));
    digest_->add(result, times);
    add_to(query, one.flow->spec, result);
  }
  if (queries_.size() < first + times) queries_.resize(first + times, kNoFlowYet);
  for (std::uint64_t i = 0; i < times; ++i) {
    const PicoSeconds before = period * static_cast<std::int64_t>(times - 1 - i);
    queries_[first + i] = {query.asked - before, *query.answered - before};
  }
}

/// Shifts the queries of traffic entries that wait for others, because their times count from the
/// begin of the entry. Such queries begin later than their `start` by the delay of the first flow
/// that the entry's gates hold. Queries that would begin after the end of the run are not sent.
void Measurement::shift_queries(RunResults& results) const {
  if (!plan_.is_held() || !plan_.dependencies().any()) return;
  std::map<std::uint16_t, PicoSeconds> waited;  // time that each traffic entry waited for others
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

}  // namespace dcc::vp
