#include "traffic/traffic_expander.h"

#include <algorithm>
#include <set>

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
    index_ = index;
    nth_ = 0;
    check_times();
    switch (spec.pattern) {
      case TrafficPattern::kFlow:
      case TrafficPattern::kBackground:
        require(spec.from.size() == 1 && spec.to.size() == 1, "needs one sender and one receiver");
        if (spec.pattern == TrafficPattern::kBackground) {
          require(spec.rate.bits_per_second > 0, "needs a rate");
        }
        connect(spec.from[0], spec.to[0]);
        return;
      case TrafficPattern::kIncast:
        return incast(PicoSeconds(0));
      case TrafficPattern::kOneToMany:
        require(spec.from.size() == 1, "needs one sender");
        require(!spec.to.empty(), "has no receivers");
        distinct(spec.to, "receivers");
        for (const HostId to : spec.to) connect(spec.from[0], to);
        return;
      case TrafficPattern::kPermutation:
        return permutation();
      case TrafficPattern::kAllToAll:
        several_hosts();
        for (const HostId from : spec.from) {
          for (const HostId to : spec.from) {
            if (from != to) connect(from, to);
          }
        }
        return;
      case TrafficPattern::kPartitionAggregate:
        require(spec.period.count > 0, "needs a positive period");
        require(spec.bytes > 0, "needs the size of an answer");
        for (unsigned round = 0; round < spec.rounds; ++round) {
          const PicoSeconds later = times(spec.period, round);
          if (after(spec.start, later, spec.where) >= spec.stop) break;
          nth_ = 0;
          incast(later);
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
    if (!condition) throw TrafficError(spec_->where + ": " + sentence);
  }
  void check_host(HostId host, const std::string& place) const {
    if (host >= context_.hosts) {
      throw TrafficError(place + ": there is no host " + std::to_string(host) +
                         " (the topology has " + std::to_string(context_.hosts) + ")");
    }
  }
  void check_times() const {
    require(spec_->start.count >= 0, "starts before the run");
    require(spec_->stop > spec_->start, "stops before it starts");
    require(spec_->stagger.count >= 0 && spec_->stop_stagger.count >= 0, "a negative stagger");
    require(spec_->bytes >= 0, "a negative number of bytes");
    require(spec_->message > 0, "a message needs at least one byte");
    require(spec_->dscp < 64, "a DSCP is 0 … 63");
  }
  void distinct(const std::vector<HostId>& hosts, const std::string& what) const {
    require(std::set<HostId>(hosts.begin(), hosts.end()).size() == hosts.size(),
            "a host appears twice among its " + what);
  }
  void several_hosts() const {
    require(spec_->from.size() >= 2, "needs at least two hosts");
    distinct(spec_->from, "hosts");
    for (const HostId host : spec_->from) check_host(host, spec_->where);
  }
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
    flow.dscp = spec_->dscp;
    flow.background = spec_->pattern == TrafficPattern::kBackground;
    flow.bytes = spec_->bytes;
    flow.message = spec_->message;
    flow.start = spec_->start;
    flow.stop = spec_->stop;
    flow.rate = spec_->rate;
    flow.initial_rate = spec_->initial_rate;
    return flow;
  }
  void add(FlowSpec flow, const std::string& place) {
    check_host(flow.from, place);
    check_host(flow.to, place);
    if (flow.from == flow.to) {
      throw TrafficError(place + ": host " + std::to_string(flow.from) + " would send to itself");
    }
    if (flows_.size() == kMostFlows) {
      throw TrafficError(place + ": more than " + std::to_string(kMostFlows) + " flows");
    }
    flow.priority = context_.priority_of_dscp[flow.dscp];
    flows_.push_back(flow);
  }
  /// The `flows` queue pairs of a pair of hosts, each later than the one before by `stagger`.
  void connect(HostId from, HostId to, PicoSeconds later = PicoSeconds(0)) {
    require(spec_->flows >= 1, "needs at least one flow a pair of hosts");
    require(spec_->flows <= kMostFlows, "more than " + std::to_string(kMostFlows) + " flows");
    for (unsigned i = 0; i < spec_->flows; ++i, ++nth_) {
      FlowSpec flow = base();
      flow.from = from;
      flow.to = to;
      flow.start = after(after(spec_->start, later, spec_->where), times(spec_->stagger, nth_),
                         spec_->where);
      if (spec_->stop != PicoSeconds::max()) {
        flow.stop = after(spec_->stop, times(spec_->stop_stagger, nth_), spec_->where);
        require(flow.stop > flow.start, "one of its flows stops before it starts");
      }
      add(flow, spec_->where);
    }
  }
  void incast(PicoSeconds later) {
    require(!spec_->from.empty(), "has no senders");
    require(spec_->to.size() == 1, "needs one receiver");
    distinct(spec_->from, "senders");
    for (const HostId from : spec_->from) connect(from, spec_->to[0], later);
  }

  void permutation() {
    // Sattolo's shuffle yields one cycle through all hosts: nobody is sent to itself.
    several_hosts();
    std::vector<HostId> to = spec_->from;
    RandomStream random(context_.seed, "permutation", index_);
    for (std::size_t i = to.size() - 1; i > 0; --i) std::swap(to[i], to[random.below(i)]);
    for (std::size_t i = 0; i < to.size(); ++i) connect(spec_->from[i], to[i]);
  }

  void poisson() {
    several_hosts();
    require(spec_->load_ppm > 0, "needs a load above 0");
    require(spec_->load_ppm <= 10'000'000, "a load above 10 times the link");
    const FlowSizes sizes = FlowSizes::named_or_file(spec_->sizes);
    const std::uint64_t others = spec_->from.size() - 1;
    for (std::size_t h = 0; h < spec_->from.size(); ++h) {
      const HostId from = spec_->from[h];
      const BitRate rate = context_.link_rate(from);
      require(rate.bits_per_second > 0, "host " + std::to_string(from) + " has no link");
      // Mean gap in ps: mean bits / (rate · load); the mean is in 10^-6 bytes, the load in 10^-6.
      const Uint128 mean = static_cast<Uint128>(sizes.mean_micro_bytes()) * 8'000'000'000'000u /
                           rate.bits_per_second / spec_->load_ppm;
      require(mean > 0 && mean < (Uint128{1} << 50),
              "its flows would come more than 18 minutes or "
              "less than a picosecond apart");
      RandomStream random(context_.seed, "poisson", index_ << 32 | from);
      FlowSpec flow = base();
      flow.from = from;
      for (unsigned n = 0; n < spec_->flows_per_host; ++n) {
        const PicoSeconds gap(
            static_cast<std::int64_t>(random.exponential(static_cast<std::uint64_t>(mean))));
        flow.start = after(flow.start, gap, spec_->where);
        if (flow.start >= spec_->stop) break;
        const std::uint64_t pick = random.below(others);
        flow.to = spec_->from[pick < h ? pick : pick + 1];
        flow.bytes = sizes.draw(random);
        add(flow, spec_->where);
      }
    }
  }

  void trace() {
    require(!spec_->file.empty(), "needs a file");
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
      if (mapped != spec_->dscp_map.end()) flow.dscp = mapped->second;
      if (flow.dscp > 63) throw TrafficError(place() + ": a DSCP is 0 … 63");
      if (flow.start >= spec_->stop) continue;
      if (flow.from >= context_.hosts || flow.to >= context_.hosts || flow.from == flow.to ||
          flows_.size() == kMostFlows) {
        add(flow, place());  // throws, naming the line
      }
      add(flow, spec_->where);
    }
  }

  const TrafficContext& context_;
  const TrafficSpec* spec_ = nullptr;
  std::uint64_t index_ = 0;
  std::uint64_t nth_ = 0;  // flows of this entry (of this round) so far
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
