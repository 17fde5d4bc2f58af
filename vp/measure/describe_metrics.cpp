#include "measure/describe_metrics.h"

#include <algorithm>

#include "config/config_enum_names.h"
#include "measure/flow_digest.h"

namespace dcc::vp {
namespace {

double seconds(PicoSeconds time) { return static_cast<double>(time.count) / 1e12; }

std::optional<double> share_marked(const MarkedDelays& delays) {
  if (delays.all.count() == 0) return std::nullopt;
  return static_cast<double>(delays.marked.count()) / static_cast<double>(delays.all.count());
}

void describe_marked(MetricVisitor& v, const MarkedDelays& delays, const char* of) {
  const LogHistogram& all = delays.all;
  v.figure("packets", all.count(), {"packets", of, Statistic::kSum, Span::kWindow});
  v.figure("marked_share", share_marked(delays),
           {"", "share of these packets that got a CE mark", Statistic::kRatio, Span::kWindow});
  v.figure("us_mean", mean_of(all),
           {"us", "mean of these delays", Statistic::kMean, Span::kWindow});
  const auto quantile = [&](const char* name, unsigned per_mille, const char* meaning) {
    v.figure(name, quantile_of(all, per_mille),
             {"us", meaning, Statistic::kQuantile, Span::kWindow});
  };
  quantile("us_p50", 500, "median");
  quantile("us_p90", 900, "90th percentile");
  quantile("us_p99", 990, "99th percentile");
  quantile("us_p999", 999, "99.9th percentile");
}

void describe_message_times(MetricVisitor& v, const LogHistogram& times) {
  v.figure("count", times.count(),
           {"messages", "messages that RoCE acknowledged completely; 0 for other transports",
            Statistic::kSum, Span::kWindow});
  v.figure("us_mean", mean_of(times),
           {"us", "mean time from the sending of a message's first packet to its last ACK",
            Statistic::kMean, Span::kWindow});
  const auto quantile = [&](const char* name, unsigned per_mille, const char* meaning) {
    v.figure(name, quantile_of(times, per_mille),
             {"us", meaning, Statistic::kQuantile, Span::kWindow});
  };
  quantile("us_p50", 500, "its median");
  quantile("us_p90", 900, "its 90th percentile");
  quantile("us_p99", 990, "its 99th percentile");
  quantile("us_p999", 999, "its 99.9th percentile");
}

void describe_messages(MetricVisitor& v, const ClassDelays& delays) {
  LogHistogram all;
  std::vector<std::size_t> bins;
  for (std::size_t bin = 0; bin < SizeBins::kCount; ++bin) {
    all.merge(delays.messages[bin]);
    if (delays.messages[bin].count() != 0) bins.push_back(bin);
  }
  describe_message_times(v, all);
  v.list("by_size", bins.size(), [&](std::size_t i) {
    v.figure("above_bytes", SizeBins::above(bins[i]),
             {"B", "messages of this bin have more payload"});
    v.figure("up_to_bytes", SizeBins::up_to(bins[i]),
             {"B", "and at most this payload; null: no limit"});
    describe_message_times(v, delays.messages[bins[i]]);
  });
}

void describe_delay(MetricVisitor& v, const DelayResult& delay) {
  v.figure("dscp", delay.dscp, {"", "DSCP of the class; the list exists only with output.delays"});
  v.group("round_trip", [&] {
    describe_marked(v, delay.of.round_trip, "acknowledged packets: time from sending to the ACK");
  });
  v.group("one_way", [&] {
    describe_marked(v, delay.of.one_way,
                    "packets accepted by a receiver: time from sending to acceptance");
  });
  v.group("as_read", [&] {
    describe_marked(v, delay.of.as_read,
                    "acknowledged packets: the same by a host's inexact clock (nic.clock)");
  });
  v.group("messages", [&] { describe_messages(v, delay.of); });
}

void describe_run(MetricVisitor& v, const RunResults& r) {
  v.figure("schema_version", kMetricsSchemaVersion,
           {"", "changes when a figure changes its meaning or is removed"});
  v.figure("completed", r.completed,
           {"", "true if the run reached its duration or the end of all traffic"});
  v.figure("sim_time_s", r.sim_time,
           {"s", "simulated time at the end", Statistic::kValue, Span::kEnd});
  if (r.fast_forwarded) {
    v.figure("fast_forwarded_s", *r.fast_forwarded,
             {"s",
              "simulated time that was skipped: counters, statistics and flows include it, "
              "balance, link_traversals and hosts do not; exists only with fast_forward",
              Statistic::kSum, Span::kRun});
  }
  if (r.memo) {
    v.group("memo", [&] { v.members(*r.memo); });
  }
  v.figure("wall_s", r.wall_s,
           {"s", "wall-clock time of the simulation; differs from run to run", Statistic::kSum,
            Span::kRun});
  v.figure("link_traversals", r.link_traversals,
           {"", "packets over links, data and control; each link counts one", Statistic::kSum,
            Span::kRun});
  const double wall = r.wall_s > 0 ? r.wall_s : 1e-9;
  v.group("speed", [&] {
    v.figure(
        "link_traversals_per_s", static_cast<double>(r.link_traversals) / wall,
        {"1/s", "link traversals per second of wall-clock time", Statistic::kMean, Span::kRun});
    v.figure("events_per_s", static_cast<double>(r.events) / wall,
             {"1/s", "events of the schedulers per second of wall-clock time", Statistic::kMean,
              Span::kRun});
    v.figure("threads", r.threads, {"", "threads that shared the run"});
    if (r.threads < 2) return;
    const PartitionedRun::TimeSpent& spent = r.time_spent;
    v.figure("waiting_share", spent.waiting / wall,
             {"",
              "share of wall_s in which a thread waited for others, mean of the threads; exists "
              "only with several threads"});
    v.figure(
        "alone_share", spent.alone / wall,
        {"",
         "share of wall_s in which one thread ran all partitions, because the run tried that or "
         "found it faster; exists only with several threads"});
    v.figure("platform_share", std::max(0.0, 1 - (spent.together + spent.alone) / wall),
             {"",
              "share of wall_s for the platform's own events (starts of flows, samples), during "
              "which all partitions wait; exists only with several threads"});
  });
  v.group("measure", [&] {
    v.figure("from_s", r.measured_from, {"s", "begin of the measured window"});
    v.figure("to_s", r.measured_to, {"s", "end of the measured window"});
  });
}

/// Describes the buffer figures: bytes that wait in a switch, as mean over time and all switches,
/// and the greatest number of bytes that waited in any one switch.
void describe_buffers(MetricVisitor& v, const std::vector<BufferResult>& buffers) {
  double sum = 0;
  Bytes most = 0;
  for (const BufferResult& one : buffers) {
    sum += one.mean_bytes;
    most = std::max(most, one.max_bytes);
  }
  v.figure("buffer_mean_bytes", buffers.empty() ? 0.0 : sum / static_cast<double>(buffers.size()),
           {"B", "bytes that wait in a switch, mean over time and switches", Statistic::kMean,
            Span::kWindow, "buffer used, mean"});
  v.figure("buffer_max_bytes", most,
           {"B", "greatest number of bytes that waited in one switch", Statistic::kMaximum,
            Span::kWindow, "buffer used, most"});
}

void describe_aggregate(MetricVisitor& v, const RunResults& r, const Metrics& m) {
  v.figure("goodput_gbps", m.goodput_gbps,
           {"Gb/s", "payload received by all flows except the background", Statistic::kMean,
            Span::kWindow, "goodput"});
  v.figure("goodput_half_gbps", m.goodput_half_gbps,
           {"Gb/s",
            "half the width of its 95 % confidence interval, by batch means over the class series; "
            "null: too few samples, not settled, or background flows",
            Statistic::kValue, Span::kWindow});
  v.figure("jain", m.jain,
           {"", "Jain's index over the flows' goodput while active; 1: all equal",
            Statistic::kRatio, Span::kWindow, "fairness (Jain)"});
  v.figure("jain_weighted", m.jain_weighted,
           {"",
            "Jain's index over the flows' goodput / weight while active; 1: all as their weights "
            "ask",
            Statistic::kRatio, Span::kWindow, "fairness by weight (Jain)"});
  v.figure("rtt_us_mean", mean_of(r.rtt_ns),
           {"us", "mean time from a packet's sending to its ACK", Statistic::kMean, Span::kWindow,
            "round trip, mean"});
  v.figure("rtt_us_p99", quantile_of(r.rtt_ns, 990),
           {"us", "its 99th percentile", Statistic::kQuantile, Span::kWindow, "round trip, 99 %"});
  v.figure("rtt_us_p50", quantile_of(r.rtt_ns, 500),
           {"us", "its median", Statistic::kQuantile, Span::kWindow, "round trip, median"});
  v.figure(
      "rtt_us_p999", quantile_of(r.rtt_ns, 999),
      {"us", "its 99.9th percentile", Statistic::kQuantile, Span::kWindow, "round trip, 99.9 %"});
  const std::vector<CounterInfo>& counters = CounterTotals::described();
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const CounterAbout& about = counters[i].about;
    v.figure(counters[i].name, r.counters.at(i),
             {about.unit, about.meaning, Statistic::kSum, Span::kWindow, about.label},
             counters[i].over);
  }
  describe_buffers(v, r.buffers);
  v.figure("deadlocked_links", r.deadlock.size(),
           {"", "number of entries of deadlock", Statistic::kSum, Span::kEnd, "deadlocked links"});
}

void describe_reordering(MetricVisitor& v, const RunResults& r) {
  const LogHistogram& depths = r.reordering.depths();
  const std::uint64_t late = depths.count();
  const std::uint64_t all = r.counters.of(&NicCounters::data_received);
  std::optional<double> share, mean;
  std::optional<std::uint64_t> p99;
  if (all != 0) share = static_cast<double>(late) / static_cast<double>(all);
  if (late != 0) {
    mean = static_cast<double>(depths.sum()) / static_cast<double>(late);
    p99 = depths.quantile(990);
  }
  v.figure("packets", late,
           {"packets", "data packets that arrived after a packet of their flow that was sent later",
            Statistic::kSum, Span::kWindow});
  v.figure("share", share,
           {"", "share of all data packets received", Statistic::kRatio, Span::kWindow});
  v.figure("depth_mean", mean,
           {"packets", "mean distance behind the highest number received; null: no packet was late",
            Statistic::kMean, Span::kWindow});
  v.figure("depth_p99", p99,
           {"packets", "its 99th percentile", Statistic::kQuantile, Span::kWindow});
  v.figure(
      "depth_max", r.reordering.deepest(),
      {"packets", "greatest distance; 0: no packet was late", Statistic::kMaximum, Span::kWindow});
}

void describe_qos(MetricVisitor& v, const QosResult& qos) {
  v.members(qos);
  v.list("tenants", qos.tenants.size(), [&](std::size_t i) { v.members(qos.tenants[i]); });
}

void describe_subnet(MetricVisitor& v, const SubnetResult& subnet) {
  v.members(subnet);
  v.list("requests", subnet.requests.size(), [&](std::size_t i) { v.members(subnet.requests[i]); });
}

void describe_dcbx(MetricVisitor& v, const DcbxResult& dcbx) {
  v.members(dcbx);
  v.list("differences", dcbx.differences.size(),
         [&](std::size_t i) { v.members(dcbx.differences[i]); });
}

void describe_link(MetricVisitor& v, const LinkResult& link, PicoSeconds window) {
  v.figure("name", link.name, {"", "from->to; the second of two parallel cables ends in #1"});
  v.figure("rate_gbps", static_cast<double>(link.rate.bits_per_second) / 1e9,
           {"Gb/s", "the link's rate"});
  v.figure("tx_bytes", link.tx_bytes,
           {"B", "wire bytes carried, without preamble, gap and packets lost by `faults`",
            Statistic::kSum, Span::kWindow});
  v.figure("utilisation", window.count > 0 ? seconds(link.busy) / seconds(window) : 0.0,
           {"", "share of time in which the link sends, including preamble, gap and lost packets",
            Statistic::kRatio, Span::kWindow});
  v.figure("pause_s", link.pause,
           {"s", "time in which PFC paused any priority", Statistic::kSum, Span::kWindow});
}

void describe_slowdown(MetricVisitor& v, const std::optional<SlowdownBin>& all,
                       const std::vector<SlowdownBin>& bins) {
  if (all) {
    v.group("all", [&] { v.members(*all); });
  } else {
    v.null_group("all");
  }
  v.list("bins", bins.size(), [&](std::size_t i) { v.members(bins[i]); });
}

void describe_named(MetricVisitor& v, const std::vector<FieldCounter>& table,
                    const std::vector<std::uint64_t>& values) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    v.figure(table[i].name, values[i],
             {table[i].unit, table[i].meaning,
              table[i].peak ? Statistic::kMaximum : Statistic::kSum, Span::kWindow});
  }
}

void describe_host(MetricVisitor& v, const RunResults& r, std::size_t host) {
  v.members(r.hosts[host]);
  if (!r.field_counters) return;
  v.group("counters", [&] { describe_named(v, host_counters(), r.field_counters->hosts[host]); });
}

void describe_switch_ports(MetricVisitor& v, const FieldCounts& counts) {
  v.list("switch_ports", counts.ports.size(), [&](std::size_t i) {
    const FieldCounts::Port& port = counts.ports[i];
    v.figure("port", port.port, {"", "link that begins at the port"});
    v.group("counters", [&] { describe_named(v, port_counters(), port.values); });
    std::vector<std::size_t> used;
    for (std::size_t p = 0; p < port.queues.size(); ++p) {
      const std::vector<std::uint64_t>& of = port.queues[p];
      if (std::any_of(of.begin(), of.end(), [](std::uint64_t one) { return one != 0; })) {
        used.push_back(p);
      }
    }
    v.list("queues", used.size(), [&](std::size_t q) {
      v.figure("priority", used[q], {"", "priority; queues with no count are left out"});
      describe_named(v, queue_counters(), port.queues[used[q]]);
    });
  });
}

void describe_sketch(MetricVisitor& v, const FlowDigest& digest) {
  const FlowOutput kept = digest.kept();
  v.figure("flows", name_of(kept),
           {"", "output.flows: sketch or none; the group exists only without a list of flows"});
  v.figure("quantile_error",
           kept == FlowOutput::kNone ? std::nullopt : std::optional(QuantileSketch::kError),
           {"",
            "greatest relative error of the quantiles in fct, slowdown, slowdown_received and "
            "reference_slowdown; null: they are left out"});
}

void describe_diagnoses(MetricVisitor& v, const std::vector<Finding>& diagnoses) {
  v.list("diagnoses", diagnoses.size(), [&](std::size_t i) {
    const Finding& finding = diagnoses[i];
    v.figure("id", finding.id, {"", "stable name of the diagnosis (docs/diagnoses.md)"});
    v.figure("text", finding.text, {"", "what was found, where, and what to do"});
    v.open_group("figures", {"", "numbers and names of the text, by name"}, [&] {
      for (const FindingFigure& figure : finding.figures) {
        std::visit(
            [&](const auto& value) {
              v.figure(figure.name, value, {"", ""});
            },
            figure.value);
      }
    });
  });
  std::vector<std::string> texts;
  for (const Finding& finding : diagnoses) texts.push_back(finding.text);
  v.texts("warnings", texts, {"", "the texts of diagnoses, which do not fail the run"});
}

}  // namespace

void describe_flow(MetricVisitor& v, const FlowResult& f, const FlowMetrics& m) {
  v.figure("id", f.id,
           {"", "number of the flow; metrics.json lists the first 10 000, flows.csv all"});
  v.figure("from", f.from, {"", "sending host"});
  v.figure("to", f.to, {"", "receiving host"});
  v.figure("dscp", f.dscp, {"", "DSCP of the class"});
  v.figure("weight", m.weight, {"", "weight of the class"});
  v.figure("bytes", f.bytes, {"B", "payload; null: unlimited"});
  v.figure("start_s", f.start, {"s", "first byte posted"});
  v.figure("end_s", f.completed ? f.end : std::nullopt,
           {"s", "last ACK received; null: unfinished"});
  v.figure("fct_s", m.fct, {"s", "completion time, from posting to the last ACK"});
  v.figure("fct_rx_s", m.fct_rx, {"s", "from posting to the last byte received"});
  v.figure("ideal_s", f.ideal,
           {"s", "the same flow alone in the empty network, at line rate, without a window"});
  v.figure("slowdown", m.slowdown, {"", "fct_s / ideal_s", Statistic::kRatio, Span::kRun});
  v.figure("goodput_gbps", m.goodput_gbps,
           {"Gb/s", "payload received in the window / active time in the window", Statistic::kMean,
            Span::kWindow});
  f.counts.each([&](const char* name, const CounterAbout& about, std::uint64_t value) {
    v.figure(name, value, {about.unit, about.meaning, Statistic::kSum, Span::kRun});
  });
  v.figure("completed", f.completed, {"", "true if all bytes are acknowledged"});
}

void describe_metrics(MetricVisitor& v, const RunResults& r, const Metrics& m) {
  const auto members_of = [&v](std::string_view name, const auto& list) {
    v.list(name, list.size(), [&](std::size_t i) { v.members(list[i]); });
  };
  describe_run(v, r);
  v.group("aggregate", [&] { describe_aggregate(v, r, m); });
  members_of("classes", m.classes);
  members_of("tenants", m.tenants);
  if (!r.delays.empty()) {
    v.list("delays", r.delays.size(), [&](std::size_t i) { describe_delay(v, r.delays[i]); });
  }
  if (r.qos) v.group("qos", [&] { describe_qos(v, *r.qos); });
  if (r.subnet) v.group("subnet", [&] { describe_subnet(v, *r.subnet); });
  if (r.dcbx) v.group("dcbx", [&] { describe_dcbx(v, *r.dcbx); });
  v.list("links", r.links.size(),
         [&](std::size_t i) { describe_link(v, r.links[i], r.measured_to - r.measured_from); });
  members_of("queues", r.queues);
  members_of("buffers", r.buffers);
  v.group("reordering", [&] { describe_reordering(v, r); });
  members_of("deadlock", r.deadlock);
  v.group("slowdown", [&] { describe_slowdown(v, m.slowdown, m.slowdown_bins); });
  // Slowdowns of the flows that begin within `measure`. A flow completes when its last byte is
  // received, so the time does not include the acknowledgement.
  if (m.slowdown_received) {
    v.group("slowdown_received",
            [&] { describe_slowdown(v, m.slowdown_received, m.slowdown_received_bins); });
  }
  // Slowdowns relative to the base round trip of a full packet plus the flow's wire bytes at the
  // slowest link's rate.
  v.group("reference_slowdown",
          [&] { describe_slowdown(v, m.reference_slowdown, m.reference_slowdown_bins); });
  v.group("fct", [&] { describe_flow_groups(v, m.completion_times); });
  if (m.deadlines) v.group("deadlines", [&] { v.members(*m.deadlines); });
  if (m.queries) v.group("queries", [&] { v.members(*m.queries); });
  if (r.dependencies) {
    v.group("dependencies", [&] {
      v.members(*r.dependencies);
      members_of("ranks", r.dependencies->ranks);
      v.list("critical_path", std::min(r.dependencies->path.size(), kMaxFlowsInMetrics),
             [&](std::size_t i) { v.members(r.dependencies->path[i]); });
    });
  }
  if (!r.harts.empty()) members_of("harts", r.harts);
  if (!r.races.empty()) members_of("races", r.races);
  if (!r.interrupts.empty()) {
    v.list("interrupts", r.interrupts.size(), [&](std::size_t i) {
      v.members(r.interrupts[i]);
      members_of("histogram", r.interrupts[i].histogram);
    });
  }
  if (!r.programs.empty()) {
    v.list("programs", r.programs.size(), [&](std::size_t i) {
      v.members(r.programs[i]);
      members_of("handlers", r.programs[i].handlers);
    });
  }
  if (r.reaction) v.group("reaction", [&] { v.members(*r.reaction); });
  if (r.wasted) v.group("wasted", [&] { v.members(*r.wasted); });
  if (r.digest != nullptr) v.group("sketch", [&] { describe_sketch(v, *r.digest); });
  const FlowCensus census = census_of(r);
  v.figure("flow_count", census.flows, {"", "flows of the run", Statistic::kSum, Span::kRun});
  v.figure("flows_begun", census.begun,
           {"", "flows whose first byte was posted", Statistic::kSum, Span::kRun});
  v.figure("flows_completed", census.completed,
           {"", "flows whose last byte was acknowledged, or received where nothing acknowledges",
            Statistic::kSum, Span::kRun});
  if (r.digest != nullptr && r.flows.empty()) {
    v.null_group("flows");
  } else {
    v.list("flows", std::min(r.flows.size(), kMaxFlowsInMetrics),
           [&](std::size_t i) { describe_flow(v, r.flows[i], m.of_flow(r.flows[i])); });
  }
  v.list("hosts", r.hosts.size(), [&](std::size_t i) { describe_host(v, r, i); });
  if (r.field_counters) describe_switch_ports(v, *r.field_counters);
  v.group("balance", [&] { v.members(r.balance); });
  describe_diagnoses(v, r.diagnoses);
  v.texts("failures", r.failures,
          {"", "conditions that the run violated, so that it exits with 1"});
}

}  // namespace dcc::vp
