#include "measure/dependency_results.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "describe/quantity_text.h"

namespace dcc::vp {

namespace {

constexpr std::uint32_t kNone = FlowSpec::kNone;

struct Interval {
  PicoSeconds from;
  PicoSeconds to;
};
using Intervals = std::vector<Interval>;

/// Merges intervals to disjoint intervals in the order of time.
Intervals united(Intervals all) {
  std::sort(all.begin(), all.end(),
            [](const Interval& a, const Interval& b) { return a.from < b.from; });
  Intervals out;
  for (const Interval& one : all) {
    if (!out.empty() && one.from <= out.back().to) {
      out.back().to = std::max(out.back().to, one.to);
    } else {
      out.push_back(one);
    }
  }
  return out;
}

PicoSeconds length(const Intervals& united_ones) {
  PicoSeconds sum{};
  for (const Interval& one : united_ones) sum = sum + (one.to - one.from);
  return sum;
}

/// Total duration for which intervals of both lists overlap.
PicoSeconds overlap(const Intervals& a, const Intervals& b) {
  PicoSeconds sum{};
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const PicoSeconds from = std::max(a[i].from, b[j].from);
    const PicoSeconds to = std::min(a[i].to, b[j].to);
    if (from < to) sum = sum + (to - from);
    (a[i].to < b[j].to ? i : j) += 1;
  }
  return sum;
}

class Analysis {
 public:
  Analysis(const PlatformConfig& config, const Dependencies& dependencies,
           const std::vector<GateOpening>& openings, const RunResults& results,
           const std::function<const FlowSpec&(std::uint32_t)>& spec_of)
      : config_(config),
        d_(dependencies),
        openings_(openings),
        results_(results),
        spec_of_(spec_of) {}

  DependencyResult analyse() {
    list_openers();
    count();
    add_ranks();
    if (out_.completion) add_path();
    return std::move(out_);
  }

 private:
  using Kind = GateOpening::Event;
  /// A flow, a computation or a gate, and the event at which it opens a gate.
  struct Node {
    Kind kind = Kind::kReceived;
    std::uint32_t number = kNone;
    bool is_flow() const { return kind == Kind::kReceived || kind == Kind::kSent; }
  };
  struct Opener {
    std::uint32_t gate;
    Node node;
  };

  bool takes_part(const FlowResult& flow) const { return d_.takes_part[flow.entry]; }

  void list_openers() {
    for (const FlowResult& flow : results_.flows) {
      const std::uint32_t gate = spec_of_(flow.id).opens;
      if (gate != kNone) openers_.push_back({gate, {Kind::kReceived, flow.id}});
    }
    for (const auto& e : d_.received) openers_.push_back({e.gate, {Kind::kReceived, e.source}});
    for (const auto& e : d_.sent) openers_.push_back({e.gate, {Kind::kSent, e.source}});
    for (const auto& e : d_.computed) openers_.push_back({e.gate, {Kind::kComputed, e.source}});
    for (const auto& e : d_.joined) openers_.push_back({e.gate, {Kind::kGate, e.source}});
    std::stable_sort(openers_.begin(), openers_.end(),
                     [](const Opener& a, const Opener& b) { return a.gate < b.gate; });
  }
  template <class Visit>
  void each_opener(std::uint32_t gate, Visit visit) const {
    auto at = std::lower_bound(openers_.begin(), openers_.end(), gate,
                               [](const Opener& a, std::uint32_t g) { return a.gate < g; });
    for (; at != openers_.end() && at->gate == gate; ++at) visit(at->node);
  }
  PicoSeconds end_of(const Node& node) const {
    constexpr PicoSeconds kNever = PicoSeconds::max();
    switch (node.kind) {
      case Kind::kReceived:
        return results_.flows[node.number].end_rx.value_or(kNever);
      case Kind::kSent: {
        const FlowResult& flow = results_.flows[node.number];
        return flow.end.value_or(flow.end_rx.value_or(kNever));
      }
      case Kind::kComputed:
        return results_.computations[node.number].end.value_or(kNever);
      case Kind::kGate:
        return openings_[node.number].at;
    }
    return kNever;
  }
  Node opener_of(std::uint32_t gate) const {
    return {openings_[gate].event, openings_[gate].source};
  }
  std::uint32_t gate_of(const Node& node) const {
    if (node.kind == Kind::kGate) return node.number;
    return node.is_flow() ? spec_of_(node.number).waits_at : d_.computations[node.number].waits_at;
  }
  std::string place(std::uint16_t entry, std::uint32_t line) const {
    return place_of(config_.traffic, *d_.traces, entry, line);
  }

  void count() {
    PicoSeconds first = PicoSeconds::max();
    PicoSeconds last{};
    bool all_ended = true;
    const auto add = [&](const Node& node, bool waits, const std::optional<PicoSeconds>& start) {
      if (waits) ++out_.waiting;
      if (start) first = std::min(first, *start);
      const PicoSeconds end = end_of(node);
      if (end == PicoSeconds::max()) {
        all_ended = false;
      } else if (last_.number == kNone || last < end) {
        last = end;
        last_ = node;
      }
      if (!waits || start) return;
      if (out_.never_begun++ == 0) out_.first_never = reason(node);
    };
    for (const FlowResult& flow : results_.flows) {
      if (!takes_part(flow)) continue;
      std::optional<PicoSeconds> start;
      if (flow.begun) start = flow.start;
      add({Kind::kReceived, flow.id}, spec_of_(flow.id).is_gated(), start);
    }
    for (const ComputationResult& one : results_.computations) {
      if (!d_.takes_part[one.entry]) continue;
      add({Kind::kComputed, one.id}, d_.computations[one.id].waits_at != kNone, one.start);
    }
    if (all_ended && last_.number != kNone) out_.completion = last - first;
  }

  std::string text(const Node& of) const {
    return of.is_flow() ? place(spec_of_(of.number).entry, spec_of_(of.number).line)
                        : place(d_.computations[of.number].entry, d_.computations[of.number].line);
  }
  bool has_begun(const Node& of) const {
    return of.is_flow() ? results_.flows[of.number].begun
                        : results_.computations[of.number].start.has_value();
  }
  /// Returns a sentence that says why `node` did not begin.
  std::string reason(Node node) const {
    const std::string waiting = text(node);
    // The search goes back from the node to the first node that began and did not end, or that does
    // not wait.
    std::vector<Node> way{node};
    std::set<std::uint32_t> seen;  // visited gates; those that open at any event may form circles
    for (bool first = true; !way.empty(); first = false) {
      node = way.back();
      way.pop_back();
      const bool is_gate = node.kind == Kind::kGate;
      const std::string who =
          first || is_gate ? waiting : waiting + " waits for " + text(node) + ", which";
      if (!is_gate && has_begun(node)) return who + " had not ended";
      const std::uint32_t gate = gate_of(node);
      if (gate == kNone || openings_[gate].is_told()) return who + not_yet(node, gate);
      if (!seen.insert(gate).second) continue;
      const std::size_t known = way.size();
      each_opener(gate, [&](const Node& one) {
        if (results_.sim_time < end_of(one)) way.push_back(one);
      });
      if (way.size() == known) return waiting + " waits for a line that `stop` leaves out";
      std::reverse(way.begin() + static_cast<std::ptrdiff_t>(known), way.end());
    }
    return waiting;
  }
  static PicoSeconds rounded_up(PicoSeconds time) {  // returns the time rounded up to nanoseconds
    constexpr std::int64_t kStep = 1000;
    return PicoSeconds((time.count / kStep + (time.count % kStep != 0 ? 1 : 0)) * kStep);
  }
  /// Returns why a flow did not begin although all events that the flow awaits have happened.
  std::string not_yet(const Node& node, std::uint32_t gate) const {
    PicoSeconds ready = gate == kNone ? PicoSeconds(0) : openings_[gate].at;
    if (node.is_flow()) {
      const FlowSpec& spec = spec_of_(node.number);
      if (gate == kNone) ready = spec.start;
      if (gate != kNone && gate >= d_.first) {
        const PicoSeconds apart = spec.start - d_.gates[gate - d_.first].origin;
        ready = apart < PicoSeconds::max() - ready ? ready + apart : PicoSeconds::max();
      }
    }
    if (node.kind == Kind::kComputed) {
      const Computation& one = d_.computations[node.number];
      if (gate == kNone) ready = one.start;
      if (ready <= results_.sim_time) {
        return " had not begun: processor " + std::to_string(one.processor) + " of host " +
               std::to_string(results_.computations[node.number].host) + " was busy";
      }
    }
    if (ready <= results_.sim_time) return " had not begun";
    return " begins after the end of the run" +
           (ready == PicoSeconds::max() ? "" : ", at " + text_of(rounded_up(ready)));
  }
  void add_ranks() {
    // Times in which each host computes, and times in which each host communicates.
    std::map<HostId, std::pair<Intervals, Intervals>> hosts;
    for (const ComputationResult& one : results_.computations) {
      Intervals& computing = hosts[one.host].first;
      if (one.start) computing.push_back({*one.start, one.end.value_or(results_.sim_time)});
    }
    for (const FlowResult& flow : results_.flows) {
      if (!takes_part(flow)) continue;
      const PicoSeconds there = flow.end_rx.value_or(results_.sim_time);
      for (const HostId host : {flow.from, flow.to}) {
        Intervals& communicating = hosts[host].second;
        if (!flow.begun) continue;
        communicating.push_back({flow.start, host == flow.to ? there : flow.end.value_or(there)});
      }
    }
    PicoSeconds sum{}, most{};
    for (auto& [host, times] : hosts) {
      const Intervals computing = united(std::move(times.first));
      const Intervals communicating = united(std::move(times.second));
      RankResult rank;
      rank.host = host;
      rank.computing = length(computing);
      rank.communicating = length(communicating);
      rank.exposed = rank.communicating - overlap(computing, communicating);
      sum = sum + rank.exposed;
      most = std::max(most, rank.exposed);
      out_.ranks.push_back(rank);
    }
    if (out_.ranks.empty()) return;
    out_.exposed_mean = PicoSeconds(sum.count / static_cast<std::int64_t>(out_.ranks.size()));
    out_.exposed_max = most;
  }

  void add_path() {
    // key of a computation: host, processor, end
    using Key = std::tuple<HostId, unsigned, std::int64_t>;
    std::map<Key, std::uint32_t> ended;
    for (const ComputationResult& one : results_.computations) {
      // skips an entry that takes no part in dependencies, and a flow that took no time
      if (!d_.takes_part[one.entry] || one.end == one.start) continue;
      ended[{one.host, d_.computations[one.id].processor, one.end->count}] = one.id;
    }
    for (Node node = last_; node.number != kNone;) {
      PathStep step;
      step.id = node.number;
      step.end = end_of(node);
      if (node.is_flow()) {
        const FlowResult& flow = results_.flows[node.number];
        step.kind = "flow";
        step.from = flow.from;
        step.to = flow.to;
        step.start = flow.start;
        out_.path_communication = out_.path_communication + (step.end - step.start);
      } else {
        const ComputationResult& one = results_.computations[node.number];
        step.kind = "compute";
        step.from = step.to = one.host;
        step.start = *one.start;
        out_.path_compute = out_.path_compute + (step.end - step.start);
      }
      out_.path.push_back(step);
      const std::uint32_t gate = gate_of(node);
      if (!node.is_flow()) {
        const Computation& one = d_.computations[node.number];
        const PicoSeconds ready = gate == kNone ? one.start : openings_[gate].at;
        const auto before = ended.find({step.from, one.processor, step.start.count});
        if (ready < step.start && before != ended.end()) {
          node = {Kind::kComputed, before->second};
          continue;
        }
      }
      if (gate == kNone) break;
      node = opener_of(gate);
      while (node.kind == Kind::kGate) node = opener_of(node.number);
    }
    std::reverse(out_.path.begin(), out_.path.end());
    out_.path_idle = *out_.completion - out_.path_compute - out_.path_communication;
  }

  const PlatformConfig& config_;
  const Dependencies& d_;
  const std::vector<GateOpening>& openings_;
  const RunResults& results_;
  const std::function<const FlowSpec&(std::uint32_t)>& spec_of_;
  std::vector<Opener> openers_;  // event that opened each gate, by gate number
  Node last_;
  DependencyResult out_;
};

}  // namespace

DependencyResult dependency_results(const PlatformConfig& config, const Dependencies& dependencies,
                                    const std::vector<GateOpening>& openings,
                                    const RunResults& results,
                                    const std::function<const FlowSpec&(std::uint32_t)>& spec_of) {
  DependencyResult out = Analysis(config, dependencies, openings, results, spec_of).analyse();
  out.takes_part = dependencies.takes_part;
  return out;
}

}  // namespace dcc::vp
