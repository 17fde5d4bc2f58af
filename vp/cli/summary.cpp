#include "cli/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/text_table.h"
#include "describe/quantity_text.h"

namespace dcc::vp {
namespace {

std::string percent_or_dash(const std::optional<double>& value) {
  return value ? decimals(*value * 100, 1) + " %" : "-";
}

std::string microseconds_or_dash(const std::optional<PicoSeconds>& time) {
  return time ? decimals(to_seconds(*time) * 1e6, 2) : "-";
}

std::string class_table(const Metrics& m) {
  TextTable table({"DSCP", "weight", "flows", "goodput Gb/s", "share", "expected", "worst flow"});
  for (const ClassMetrics& c : m.classes) {
    table.add({std::to_string(c.dscp), QuantityText<Ratio>::format(c.weight),
               std::to_string(c.flows), decimals(c.goodput_gbps, 3), percent_or_dash(c.share),
               percent_or_dash(c.expected_share), percent_or_dash(c.share_error_max)});
  }
  return table.empty() ? "" : "Classes\n" + table.text();
}

std::string tenant_table(const RunResults& r, const Metrics& m) {
  std::vector<std::string> head{"tenant", "share", "expected", "error", "any window"};
  if (r.qos) head.insert(head.end(), {"flows", "factor of one"});
  TextTable table(head);
  for (std::size_t i = 0; i < m.tenants.size(); ++i) {
    const TenantMetrics& t = m.tenants[i];
    std::vector<std::string> line{t.name, percent_or_dash(t.share),
                                  percent_or_dash(t.expected_share), percent_or_dash(t.share_error),
                                  percent_or_dash(t.share_error_window)};
    if (r.qos) {
      line.push_back(std::to_string(r.qos->tenants[i].flows));
      line.push_back(decimals(r.qos->tenants[i].factor, 2));
    }
    table.add(line);
  }
  return table.empty() ? "" : "Tenants\n" + table.text();
}

std::string flow_table(const RunResults& r, const Metrics& m) {
  constexpr std::size_t kShown = 16;
  TextTable table({"flow", "from", "to", "DSCP", "goodput Gb/s", "FCT us", "slowdown"});
  for (std::size_t i = 0; i < r.flows.size() && r.flows.size() <= kShown; ++i) {
    const FlowResult& f = r.flows[i];
    const FlowMetrics figures = m.of_flow(f);
    table.add({std::to_string(f.id), std::to_string(f.from), std::to_string(f.to),
               std::to_string(f.dscp), decimals(figures.goodput_gbps, 3),
               microseconds_or_dash(figures.fct),
               figures.slowdown ? decimals(*figures.slowdown, 2) : "-"});
  }
  return table.empty() ? "" : "Flows\n" + table.text();
}

std::string slowdown_table(const RunResults& r, const Metrics& m) {
  if (r.digest == nullptr && r.flows.size() <= 16) return "";
  TextTable table({"flow size", "flows", "mean", "p50", "p95", "p99"});
  for (const SlowdownBin& b : m.slowdown_bins) {
    table.add({b.up_to ? "up to " + QuantityText<Bytes>::format(*b.up_to) : "larger",
               std::to_string(b.flows), decimals(b.mean, 2), decimals(b.p50, 2), decimals(b.p95, 2),
               decimals(b.p99, 2)});
  }
  return table.empty() ? "" : "Slowdown (FCT against the empty network)\n" + table.text();
}

std::string queue_table(const RunResults& r) {
  constexpr std::size_t kShown = 3;
  std::vector<const QueueResult*> queues;
  queues.reserve(r.queues.size());
  for (const QueueResult& queue : r.queues) queues.push_back(&queue);
  const std::size_t shown = std::min(queues.size(), kShown);
  std::partial_sort(queues.begin(), queues.begin() + static_cast<std::ptrdiff_t>(shown),
                    queues.end(), [](const QueueResult* a, const QueueResult* b) {
                      return a->mean_bytes != b->mean_bytes ? a->mean_bytes > b->mean_bytes : a < b;
                    });
  TextTable table({"queue to", "mean KB", "p50 KB", "p99 KB", "max KB"});
  const auto kilo = [](auto bytes) { return decimals(static_cast<double>(bytes) / 1e3, 1); };
  for (std::size_t i = 0; i < shown; ++i) {
    const QueueResult& q = *queues[i];
    if (q.max_bytes == 0) break;
    table.add(
        {q.port, kilo(q.mean_bytes), kilo(q.p50_bytes), kilo(q.p99_bytes), kilo(q.max_bytes)});
  }
  return table.empty() ? "" : "Longest queues\n" + table.text();
}

/// Returns a text with the number of completed flows among the flows that have an end.
std::string completion(const FlowCensus& census) {
  const std::size_t finite = census.finite;
  const std::size_t begun = census.finite_begun;
  const std::size_t completed = census.completed;
  const std::size_t endless = census.flows - finite;
  std::string without = fmt::format("{} flows without end", endless);
  if (finite == 0) return without;
  std::string out = fmt::format("{} of {} flows completed", completed, begun);
  if (begun < finite) out += fmt::format(", {} of {} did not begin", finite - begun, finite);
  return endless == 0 ? out : out + ", " + without;
}

/// Returns the counters of the window with their labels: first counters that are not zero, then
/// zero counters, except those of devices that the network may not have.
std::string counters(const CounterTotals& totals) {
  std::string counted;
  std::string none;
  const std::vector<CounterInfo>& figures = CounterTotals::described();
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const char* const label = figures[i].about.label;
    if (totals.at(i) != 0) {
      counted += fmt::format("{}{} {}", counted.empty() ? "Counted: " : ", ", label, totals.at(i));
    } else if (!figures[i].optional) {
      none += fmt::format("{}{}", none.empty() ? "None: " : ", ", label);
    }
  }
  std::string out;
  for (const std::string& sentence : {counted, none}) {
    if (sentence.empty()) continue;
    for (const std::string& line : wrapped(sentence, 80)) out += line + '\n';
  }
  return out;
}

std::string totals(const RunResults& r, const Metrics& m) {
  std::string out = fmt::format("Goodput {:.3f} Gb/s, Jain {}, {}\n", m.goodput_gbps,
                                m.jain ? decimals(*m.jain, 4) : "-", completion(census_of(r)));
  // Jain's index of equal goodput is left out if weights differ, because equal goodput is then not
  // the goal.
  if (m.jain_weighted && std::any_of(m.classes.begin(), m.classes.end(), [&](const auto& c) {
        return c.weight.value() != m.classes.front().weight.value();
      })) {
    out += fmt::format("Jain by weight {}\n", decimals(*m.jain_weighted, 4));
  }
  if (r.rtt_ns.count() != 0) {
    out +=
        fmt::format("RTT {} us, 99th percentile {} us\n", microseconds_or_dash(mean_of(r.rtt_ns)),
                    microseconds_or_dash(quantile_of(r.rtt_ns, 990)));
  }
  out += counters(r.counters);
  const HostResult all = sum_over_hosts(r.hosts);
  const Balance& b = r.balance;
  if (b.events_started > 0) {
    out += fmt::format("Controller: at most {} slots in use; timer at most {} ticks late\n",
                       all.slots_in_use_max, all.timer_lateness_max_ticks);
    out += fmt::format("Timer events: {} started = {} expired + {} cancelled + {} pending\n",
                       b.events_started, b.events_expired, b.events_cancelled, b.events_pending);
    if (all.missed_latency > 0) {
      out += fmt::format("Timer events issued too late for their tick: {}\n", all.missed_latency);
    }
    if (all.cnps_lost + all.inputs_dropped > 0) {
      out += fmt::format(
          "Controller's inputs lost: {} CNPs found its queue full, {} inputs its reset or a "
          "byte port that is not ready\n",
          all.cnps_lost, all.inputs_dropped);
    }
  }
  if (all.messages_verified + all.payload_errors > 0) {
    out += fmt::format("Payload: {} messages compared with what was sent, {} wrong\n",
                       all.messages_verified, all.payload_errors);
  }
  if (r.qos) {
    out += fmt::format("QoS manager on host {}: {} updates, {} commands; {} messages of its own\n",
                       r.qos->manager, r.qos->updates, r.qos->commands, r.qos->messages);
  }
  if (all.instructions > 0) {
    out += fmt::format(
        "CPUs: {} instructions, {} MIPS\n", all.instructions,
        decimals(static_cast<double>(all.instructions) / std::max(r.wall_s, 1e-9) / 1e6, 1));
  }
  if (r.fast_forwarded) {
    out += fmt::format(
        "Fast forward: {} of {} skipped in steady state, the rest simulated packet by packet\n",
        text_of(*r.fast_forwarded), text_of(r.sim_time));
  }
  if (r.memo) {
    const MemoResult& memo = *r.memo;
    out += fmt::format(
        "Memory: {} of {} bursts ({} of {}) taken from memory, {} checked packet by packet",
        memo.hits, memo.hits + memo.misses + memo.checked, text_of(memo.skipped),
        text_of(r.sim_time), memo.checked);
    if (memo.error_mean) {
      out += fmt::format(
          ": arrivals differ by {:.2g} %{} on the mean, {:.2g} % at most", 100 * *memo.error_mean,
          memo.error_interval ? fmt::format(" ± {:.2g} %", 100 * *memo.error_interval) : "",
          100 * *memo.error_max);
    }
    if (memo.refused != 0) {
      out +=
          fmt::format("; {} forgotten, since they differed by more than memo_error", memo.refused);
    }
    out += '\n';
  }
  out += fmt::format("Speed: {:.2f} s for {} link traversals, {}/s{}\n", r.wall_s,
                     with_prefix(static_cast<double>(r.link_traversals)),
                     with_prefix(static_cast<double>(r.link_traversals) / std::max(r.wall_s, 1e-9)),
                     r.threads > 1 ? fmt::format(" ({} threads)", r.threads) : "");
  return out;
}

}  // namespace

std::string note_text(const Finding& finding) {
  return "Note: " + finding.text + " [" + finding.id + "]\n";
}

std::string summary_text(const RunResults& results, const Metrics& metrics, bool colour) {
  const std::string bold = colour ? "\033[1m" : "";
  const std::string red = colour ? "\033[31m" : "";
  const std::string plain = colour ? "\033[0m" : "";
  std::string out;
  for (const std::string& part :
       {class_table(metrics), tenant_table(results, metrics), flow_table(results, metrics),
        slowdown_table(results, metrics), queue_table(results)}) {
    if (part.empty()) continue;
    const std::size_t end = part.find('\n');
    out += bold + part.substr(0, end) + plain + part.substr(end);
  }
  out += totals(results, metrics);
  for (const Finding& finding : results.diagnoses) out += note_text(finding);
  if (!results.completed) out += red + "The run was stopped before its end." + plain + "\n";
  for (const std::string& failure : results.failures) {
    out += red + "FAILED: " + failure + plain + "\n";
  }
  return out;
}

}  // namespace dcc::vp
