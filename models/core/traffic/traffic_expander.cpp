#include "traffic/traffic_expander.h"

#include <algorithm>
#include <limits>

#include "describe/parameter_error.h"
#include "sim/random.h"
#include "traffic/flow_sizes.h"
#include "traffic/trace_file.h"

namespace dcc {

namespace {

/// Expands one entry after the other into one list.
class Expander {
 public:
  explicit Expander(const TrafficContext& context) : context_(context) {}

  void expand(const TrafficSpec& spec, std::uint64_t index) {
    spec_ = &spec;
    where_ = "traffic." + std::to_string(index);
    index_ = index;
    nth_ = 0;
    check();
    switch (spec.pattern) {
      case TrafficPattern::kFlow:
      case TrafficPattern::kBackground:
        connect(spec.from, spec.to);
        return;
      case TrafficPattern::kIncast:
        return incast(PicoSeconds(0));
      case TrafficPattern::kOneToMany:
        for (const HostId to : named_or_all(spec.receivers, spec.sender)) connect(spec.sender, to);
        return;
      case TrafficPattern::kPermutation:
        return permutation();
      case TrafficPattern::kStride: {
        const HostList hosts = named_or_all(spec.hosts);
        for (std::size_t i = 0; i < hosts.size(); ++i) {
          connect(hosts[i], hosts[(i + spec.stride) % hosts.size()]);
        }
        return;
      }
      case TrafficPattern::kStaggered:
        return staggered();
      case TrafficPattern::kAllToAll: {
        const HostList hosts = named_or_all(spec.hosts);
        for (const HostId from : hosts) {
          for (const HostId to : hosts) {
            if (from != to) connect(from, to);
          }
        }
        return;
      }
      case TrafficPattern::kPartitionAggregate:
        for (unsigned round = 0; round < spec.rounds; ++round) {
          const PicoSeconds later = times(spec.period, round);
          if (after(spec.start, later, where_) >= stop()) break;
          nth_ = 0;
          query(later);
          ++queries_;
        }
        return;
      case TrafficPattern::kPoisson:
        return poisson();
      case TrafficPattern::kTrace:
        return trace();
    }
  }

  std::vector<FlowSpec> finish() {
    std::stable_sort(flows_.begin(), flows_.end(),
                     [](const FlowSpec& a, const FlowSpec& b) { return a.start < b.start; });
    std::uint32_t id = 0;
    for (FlowSpec& flow : flows_) flow.id = id++;
    return std::move(flows_);
  }

 private:
  void require(bool condition, const std::string& sentence) const {
    if (!condition) throw TrafficError(where_ + ": " + sentence);
  }
  void check() const {
    try {
      require(spec_->check(context_.hosts) <= kMostFlows, more_flows());
    } catch (const ParameterError& error) {
      const std::string& key = error.keys().front();
      throw TrafficError(where_ + (key.empty() ? "" : ".") + key + ": " + error.what());
    }
  }
  static std::string more_flows() { return "more than " + std::to_string(kMostFlows) + " flows"; }
  /// An empty list stands for all hosts but the one at the other end.
  HostList named_or_all(const HostList& named,
                        HostId but = std::numeric_limits<HostId>::max()) const {
    if (!named.empty()) return named;
    HostList all;
    for (HostId host = 0; host < context_.hosts; ++host) {
      if (host != but) all.push_back(host);
    }
    return all;
  }
  PicoSeconds stop() const { return spec_->stop.value_or(PicoSeconds::max()); }
  PicoSeconds times(PicoSeconds step, std::uint64_t n) const {
    const Uint128 product = static_cast<Uint128>(step.count) * n;
    require(product < (Uint128{1} << 62), "starts after the end of time");
    return PicoSeconds(static_cast<std::int64_t>(product));
  }

  /// A place on the axis of time, of which the last is kept for "never".
  static PicoSeconds after(PicoSeconds time, PicoSeconds more, const std::string& place) {
    if (more >= PicoSeconds::max() - time) {
      throw TrafficError(place + ": starts or stops after the end of time, 106 days");
    }
    return time + more;
  }

  FlowSpec base() const {
    FlowSpec flow;
    flow.dscp = static_cast<std::uint8_t>(spec_->dscp);
    flow.background = spec_->pattern == TrafficPattern::kBackground;
    flow.bytes = spec_->bytes.value_or(0);
    flow.message = spec_->message;
    flow.operation = spec_->operation;
    flow.service = spec_->service;
    flow.start = spec_->start;
    flow.stop = stop();
    flow.rate = spec_->rate.value_or(BitRate());
    flow.initial_rate = spec_->initial_rate.value_or(BitRate());
    flow.deadline = spec_->deadline;
    return flow;
  }
  void add(FlowSpec flow, const std::string& place) {
    if (flow.deadline) after(flow.start, *flow.deadline, place);  // throws
    if (flows_.size() == kMostFlows) throw TrafficError(place + ": " + more_flows());
    flow.priority = context_.priority_of_dscp[flow.dscp];
    flows_.push_back(flow);
  }
  /// The `flows` queue pairs of a pair of hosts, each later than the one before by `stagger`.
  void connect(HostId from, HostId to, PicoSeconds later = PicoSeconds(0)) {
    for (unsigned i = 0; i < spec_->flows; ++i, ++nth_) {
      FlowSpec flow = base();
      flow.from = from;
      flow.to = to;
      flow.start = after(after(spec_->start, later, where_), times(spec_->stagger, nth_), where_);
      if (spec_->stop) {
        flow.stop = after(*spec_->stop, times(spec_->stop_stagger, nth_), where_);
        require(flow.stop > flow.start, "one of its flows stops before it starts");
      }
      add(flow, where_);
    }
  }
  void incast(PicoSeconds later) {
    for (const HostId from : named_or_all(spec_->senders, spec_->receiver)) {
      connect(from, spec_->receiver, later);
    }
  }

  void query(PicoSeconds later) {
    if (!spec_->fan_out.empty()) return tree(later);
    const std::size_t before = flows_.size();
    incast(later);
    for (std::size_t i = before; i < flows_.size(); ++i) flows_[i].query = queries_;
  }

  /// Requests to hosts level by level, and from each, once all below it have answered, its answer.
  /// A host's gates: one that its request opens, one for the answers of those below it.
  void tree(PicoSeconds later) {
    const HostList hosts = named_or_all(spec_->senders, spec_->receiver);
    struct Place {
      HostId host;
      std::uint32_t asked;  // gates
      std::uint32_t answered;
    };
    std::vector<Place> level{{spec_->receiver, FlowSpec::kNone, gates_++}};
    std::size_t next = 0;
    for (std::size_t depth = 0; depth < spec_->fan_out.size(); ++depth) {
      const bool leaves = depth + 1 == spec_->fan_out.size();
      std::vector<Place> below;
      for (const Place& parent : level) {
        for (unsigned i = 0; i < spec_->fan_out[depth]; ++i) {
          Place place{hosts[next++], gates_++, 0};
          place.answered = leaves ? place.asked : gates_++;
          // Who asks first is the receiver, unasked; its requests may be staggered.
          const PicoSeconds apart = depth == 0 ? times(spec_->stagger, i) : PicoSeconds(0);
          FlowSpec request = between(parent.host, place.host, later);
          request.start = after(request.start, apart, where_);
          request.bytes = spec_->request;
          request.deadline.reset();  // answers have it, from when the query is asked
          request.waits_at = parent.asked;
          request.opens = place.asked;
          add(request, where_);
          FlowSpec answer = between(place.host, parent.host, later);
          answer.waits_at = place.answered;
          answer.opens = parent.answered;
          if (depth == 0) answer.query = queries_;
          add(answer, where_);
          below.push_back(place);
        }
      }
      level = std::move(below);
    }
  }
  FlowSpec between(HostId from, HostId to, PicoSeconds later) const {
    FlowSpec flow = base();
    flow.from = from;
    flow.to = to;
    flow.start = after(spec_->start, later, where_);
    flow.stop = PicoSeconds::max();  // a query that has begun is answered
    flow.think = spec_->think;
    return flow;
  }

  void permutation() {
    // Sattolo's shuffle yields one cycle through all hosts: nobody is sent to itself.
    const HostList from = named_or_all(spec_->hosts);
    HostList to = from;
    RandomStream random(context_.seed, "permutation", index_);
    for (std::size_t i = to.size() - 1; i > 0; --i) std::swap(to[i], to[random.below(i)]);
    for (std::size_t i = 0; i < to.size(); ++i) connect(from[i], to[i]);
  }

  void staggered() {
    const HostList hosts = named_or_all(spec_->hosts);
    const std::uint64_t rack = spec_->rack;
    const std::uint64_t pod = spec_->pod;
    const auto to_rack = static_cast<std::uint64_t>(spec_->to_rack.to_fixed(32));
    const auto to_pod = static_cast<std::uint64_t>(spec_->to_pod.to_fixed(32));
    for (std::uint64_t h = 0; h < hosts.size(); ++h) {
      RandomStream random(context_.seed, "staggered", index_ << 32 | hosts[h]);
      const std::uint64_t where = random.next_u32();
      // One of `size` places from `begin` on, but not one of the `but` places around h.
      const auto pick = [&](std::uint64_t begin, std::uint64_t size, std::uint64_t but) {
        const std::uint64_t place = begin + random.below(size - but);
        return place < h / but * but ? place : place + but;
      };
      const std::uint64_t to = where < to_rack            ? pick(h / rack * rack, rack, 1)
                               : where < to_rack + to_pod ? pick(h / pod * pod, pod, rack)
                                                          : pick(0, hosts.size(), pod);
      connect(hosts[h], hosts[to]);
    }
  }

  void poisson() {
    require(Ratio{} < spec_->load, "needs a load above 0");
    const std::uint64_t load_ppm = spec_->load.numerator * 1'000'000 / spec_->load.denominator;
    const HostList hosts = named_or_all(spec_->hosts);
    const FlowSizes sizes = FlowSizes::named_or_file(spec_->sizes);
    const std::uint64_t others = hosts.size() - 1;
    for (std::size_t h = 0; h < hosts.size(); ++h) {
      const HostId from = hosts[h];
      const BitRate rate = context_.link_rate(from);
      require(rate.bits_per_second > 0, "host " + std::to_string(from) + " has no link");
      // Mean gap in ps: mean bits / (rate · load); the mean is in 10^-6 bytes, the load in 10^-6.
      const Uint128 mean = static_cast<Uint128>(sizes.mean_micro_bytes()) * 8'000'000'000'000u /
                           rate.bits_per_second / load_ppm;
      require(mean > 0 && mean < (Uint128{1} << 50),
              "its flows would come more than 18 minutes or "
              "less than a picosecond apart");
      RandomStream random(context_.seed, "poisson", index_ << 32 | from);
      FlowSpec flow = base();
      flow.from = from;
      for (unsigned n = 0; n < spec_->flows_per_host; ++n) {
        const PicoSeconds gap(
            static_cast<std::int64_t>(random.exponential(static_cast<std::uint64_t>(mean))));
        flow.start = after(flow.start, gap, where_);
        if (flow.start >= flow.stop) break;
        const std::uint64_t pick = random.below(others);
        flow.to = hosts[pick < h ? pick : pick + 1];
        flow.bytes = sizes.draw(random);
        add(flow, where_);
      }
    }
  }

  void trace() {
    for (const TraceFlow& line : read_trace(spec_->file)) {
      const auto place = [&] { return spec_->file + ":" + std::to_string(line.line); };
      if (line.start < spec_->time_offset) {
        throw TrafficError(place() + ": the flow starts before the time offset");
      }
      FlowSpec flow = base();
      flow.from = line.from;
      flow.to = line.to;
      flow.bytes = line.bytes;
      const PicoSeconds since = line.start - spec_->time_offset;
      if (since >= PicoSeconds::max() - spec_->start)
        after(spec_->start, since, place());  // throws
      flow.start = spec_->start + since;
      const auto mapped = spec_->dscp_map.find(line.priority);
      if (mapped != spec_->dscp_map.end()) flow.dscp = static_cast<std::uint8_t>(mapped->second);
      if (flow.start >= flow.stop) continue;
      if (!is_host(flow.from) || !is_host(flow.to) || flow.from == flow.to) {
        refuse(flow, place());
      }
      add(flow, where_);
    }
  }
  bool is_host(HostId host) const { return host < context_.hosts; }
  [[noreturn]] void refuse(const FlowSpec& flow, const std::string& place) const {
    const HostId wrong = is_host(flow.from) ? flow.to : flow.from;
    if (is_host(wrong)) {
      throw TrafficError(place + ": host " + std::to_string(wrong) + " would send to itself");
    }
    throw TrafficError(place + ": there is no host " + std::to_string(wrong) +
                       " (the topology has " + std::to_string(context_.hosts) + ")");
  }

  const TrafficContext& context_;
  const TrafficSpec* spec_ = nullptr;
  std::string where_;  // how messages name the entry
  std::uint64_t index_ = 0;
  std::uint64_t nth_ = 0;      // flows of this entry (of this round) so far
  std::uint32_t gates_ = 0;    // of all entries
  std::uint32_t queries_ = 0;  // the same
  std::vector<FlowSpec> flows_;
};

}  // namespace

std::vector<FlowSpec> expand_traffic(const std::vector<TrafficSpec>& specs,
                                     const TrafficContext& context) {
  Expander expander(context);
  std::uint64_t index = 0;
  for (const TrafficSpec& spec : specs) expander.expand(spec, index++);
  return expander.finish();
}

}  // namespace dcc
