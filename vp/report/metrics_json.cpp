#include "report/metrics_json.h"

#include <charconv>
#include <limits>

#include "report/numbers.h"

namespace dcc::vp {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(rounded(*value)) : Json(nullptr);
}
Json seconds_or_null(const std::optional<PicoSeconds>& time) {
  return time ? Json(exact_seconds(*time)) : Json(nullptr);
}
Json microseconds_or_null(const std::optional<PicoSeconds>& time) {
  return time ? Json(static_cast<double>(time->count) / 1e6) : Json(nullptr);
}
/// Whole numbers stay whole.
Json weight(const Ratio& ratio) {
  return ratio.denominator == 1 ? Json(ratio.numerator) : Json(rounded(ratio.value()));
}

Json aggregate(const RunResults& r, const Metrics& m) {
  const AggregateCounters& a = r.aggregate;
  return {{"goodput_gbps", rounded(m.goodput_gbps)},
          {"jain", number_or_null(m.jain)},
          {"rtt_us_mean", microseconds_or_null(a.rtt_mean)},
          {"rtt_us_p99", microseconds_or_null(a.rtt_p99)},
          {"drops", a.drops},
          {"pfc_pauses", a.pfc_pauses},
          {"ecn_marks", a.ecn_marks},
          {"cnps_sent", a.cnps_sent},
          {"cnps_received", a.cnps_received},
          {"cnps_dropped_no_slot", a.cnps_dropped_no_slot},
          {"rate_decreases", a.rate_decreases},
          {"rate_increases", a.rate_increases},
          {"retransmits", a.retransmits},
          {"deadlocked_links", r.deadlock.size()}};
}

Json classes(const Metrics& m) {
  Json list = Json::array();
  for (const ClassMetrics& c : m.classes) {
    list.push_back({{"dscp", c.dscp},
                    {"weight", weight(c.weight)},
                    {"flows", c.flows},
                    {"goodput_gbps", rounded(c.goodput_gbps)},
                    {"share", number_or_null(c.share)},
                    {"expected_share", number_or_null(c.expected_share)},
                    {"share_error_max", number_or_null(c.share_error_max)}});
  }
  return list;
}

Json tenants(const Metrics& m) {
  Json list = Json::array();
  for (const TenantMetrics& t : m.tenants) {
    list.push_back({{"name", t.name},
                    {"share", number_or_null(t.share)},
                    {"expected_share", number_or_null(t.expected_share)},
                    {"share_error", number_or_null(t.share_error)},
                    {"share_error_window", number_or_null(t.share_error_window)}});
  }
  return list;
}

Json qos(const QosResult& q) {
  Json tenants = Json::array();
  for (const QosTenantResult& t : q.tenants) {
    tenants.push_back({{"name", t.name},
                       {"dscp", t.dscp},
                       {"flows", t.flows},
                       {"factor", rounded(t.factor)},
                       {"correction_octaves", rounded(t.correction)}});
  }
  return {{"manager", q.manager},   {"updates", q.updates}, {"commands", q.commands},
          {"messages", q.messages}, {"bytes", q.bytes},     {"tenants", tenants}};
}

Json links(const RunResults& r) {
  const double window = exact_seconds(r.measured_to - r.measured_from);
  Json list = Json::array();
  for (const LinkResult& l : r.links) {
    const auto rate = static_cast<double>(l.rate.bits_per_second);
    list.push_back({{"name", l.name},
                    {"rate_gbps", rounded(rate / 1e9)},
                    {"tx_bytes", l.tx_bytes},
                    {"utilisation", window > 0 ? rounded(exact_seconds(l.busy) / window) : 0.0},
                    {"pause_s", exact_seconds(l.pause)}});
  }
  return list;
}

Json queues(const RunResults& r) {
  Json list = Json::array();
  for (const QueueResult& q : r.queues) {
    list.push_back({{"port", q.port},
                    {"mean_bytes", rounded(q.mean_bytes)},
                    {"p50_bytes", q.p50_bytes},
                    {"p99_bytes", q.p99_bytes},
                    {"max_bytes", q.max_bytes}});
  }
  return list;
}

Json deadlock(const RunResults& r) {
  Json list = Json::array();
  for (const DeadlockedWire& wire : r.deadlock) {
    list.push_back({{"link", wire.link}, {"priority", wire.priority}});
  }
  return list;
}

Json flows(const RunResults& r, const Metrics& m) {
  Json list = Json::array();
  for (std::size_t i = 0; i < r.flows.size() && i < kMostFlowsInMetrics; ++i) {
    const FlowResult& f = r.flows[i];
    const FlowMetrics& d = m.flows[i];
    list.push_back({{"id", f.id},
                    {"from", f.from},
                    {"to", f.to},
                    {"dscp", f.dscp},
                    {"weight", weight(d.weight)},
                    {"bytes", f.bytes ? Json(*f.bytes) : Json(nullptr)},
                    {"start_s", exact_seconds(f.start)},
                    {"end_s", f.completed ? seconds_or_null(f.end) : Json(nullptr)},
                    {"fct_s", seconds_or_null(d.fct)},
                    {"fct_rx_s", seconds_or_null(d.fct_rx)},
                    {"ideal_s", seconds_or_null(f.ideal)},
                    {"slowdown", number_or_null(d.slowdown)},
                    {"goodput_gbps", rounded(d.goodput_gbps)},
                    {"retransmits", f.retransmits},
                    {"completed", f.completed}});
  }
  return list;
}

Json hosts(const RunResults& r) {
  Json list = Json::array();
  for (const HostResult& h : r.hosts) {
    list.push_back({{"id", h.id},
                    {"cnps_received", h.cnps_received},
                    {"slots_in_use_max", h.slots_in_use_max},
                    {"timer_events", h.timer_events},
                    {"timer_lateness_max_ticks", h.timer_lateness_max_ticks},
                    {"missed_latency", h.missed_latency},
                    {"instructions", h.instructions},
                    {"payload_errors", h.payload_errors},
                    {"messages_verified", h.messages_verified},
                    {"completions_lost", h.completions_lost}});
  }
  return list;
}

Json bin(const SlowdownBin& b) {
  const bool open = b.up_to == std::numeric_limits<Bytes>::max();
  return {{"above_bytes", b.above}, {"up_to_bytes", open ? Json(nullptr) : Json(b.up_to)},
          {"flows", b.flows},       {"mean", rounded(b.mean)},
          {"p50", rounded(b.p50)},  {"p95", rounded(b.p95)},
          {"p99", rounded(b.p99)}};
}

Json slowdown(const Metrics& m) {
  Json bins = Json::array();
  for (const SlowdownBin& b : m.slowdown_bins) bins.push_back(bin(b));
  return {{"all", m.slowdown ? bin(*m.slowdown) : Json(nullptr)}, {"bins", bins}};
}

Json balance(const Balance& b) {
  return {{"packets_sent", b.packets_sent},         {"packets_delivered", b.packets_delivered},
          {"packets_dropped", b.packets_dropped},   {"packets_in_flight", b.packets_in_flight},
          {"events_started", b.events_started},     {"events_expired", b.events_expired},
          {"events_cancelled", b.events_cancelled}, {"events_pending", b.events_pending}};
}

const Json* find_path(const Json& root, const std::string& path) {
  const Json* node = &root;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    const std::string step = path.substr(start, dot - start);
    start = dot + 1;
    if (node->is_object()) {
      const auto found = node->find(step);
      if (found == node->end()) return nullptr;
      node = &*found;
    } else if (node->is_array()) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
      if (error != std::errc{} || end != step.data() + step.size() || index >= node->size()) {
        return nullptr;
      }
      node = &(*node)[index];
    } else {
      return nullptr;
    }
  }
  return node;
}

}  // namespace

Json metrics_json(const RunResults& r, const Metrics& m) {
  Json json;
  json["schema_version"] = kMetricsSchemaVersion;
  json["completed"] = r.completed;
  json["sim_time_s"] = exact_seconds(r.sim_time);
  json["wall_s"] = r.wall_s;
  json["link_traversals"] = r.link_traversals;
  const double wall = r.wall_s > 0 ? r.wall_s : 1e-9;
  json["speed"] = {{"link_traversals_per_s", static_cast<double>(r.link_traversals) / wall},
                   {"events_per_s", static_cast<double>(r.events) / wall},
                   {"threads", r.threads}};
  json["measure"] = {{"from_s", exact_seconds(r.measured_from)},
                     {"to_s", exact_seconds(r.measured_to)}};
  json["aggregate"] = aggregate(r, m);
  json["classes"] = classes(m);
  json["tenants"] = tenants(m);
  if (r.qos) json["qos"] = qos(*r.qos);
  json["links"] = links(r);
  json["queues"] = queues(r);
  json["deadlock"] = deadlock(r);
  json["slowdown"] = slowdown(m);
  json["flow_count"] = r.flows.size();
  json["flows"] = flows(r, m);
  json["hosts"] = hosts(r);
  json["balance"] = balance(r.balance);
  json["warnings"] = r.warnings;
  json["failures"] = r.failures;
  return json;
}

std::vector<std::string> broken_expectations(const PlatformConfig& config, const Json& metrics) {
  std::vector<std::string> broken;
  for (const ExpectConfig& expect : config.expect) {
    const Json* const value = find_path(metrics, expect.metric);
    if (value == nullptr) {
      broken.push_back("expectation: metrics.json has no " + expect.metric);
      continue;
    }
    if (!value->is_number() && !value->is_boolean()) {
      broken.push_back("expectation: " + expect.metric + " is " + value->dump() + ", not a number");
      continue;
    }
    const double number = value->is_boolean() ? value->get<bool>() : value->get<double>();
    if (expect.min && number < *expect.min) {
      broken.push_back("expectation: " + expect.metric + " is " + number_text(number) + ", below " +
                       number_text(*expect.min));
    }
    if (expect.max && number > *expect.max) {
      broken.push_back("expectation: " + expect.metric + " is " + number_text(number) + ", above " +
                       number_text(*expect.max));
    }
  }
  return broken;
}

}  // namespace dcc::vp
