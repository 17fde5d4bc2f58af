#include "traffic/traffic_expander.h"

#include <algorithm>
#include <map>

#include "describe/parameter_error.h"

namespace dcc {

namespace {

class ListSource final : public FlowSource {
 public:
  explicit ListSource(std::vector<FlowSpec> flows) : flows_(std::move(flows)) {
    std::stable_sort(flows_.begin(), flows_.end(),
                     [](const FlowSpec& a, const FlowSpec& b) { return a.start < b.start; });
  }
  bool next(FlowSpec& flow) override {
    if (next_ == flows_.size()) return false;
    flow = flows_[next_++];
    return true;
  }

 private:
  std::vector<FlowSpec> flows_;
  std::size_t next_ = 0;
};

/// Expands an entry whose flows form queries.
class Expander {
 public:
  /// Counters shared by all traffic entries: the numbers of gates and queries are unique across
  /// entries.
  struct Numbers {
    std::uint32_t gates = 0;
    std::uint32_t queries = 0;
  };
  Expander(const TrafficEntry& entry, Numbers& numbers)
      : entry_(entry), spec_(entry.spec()), context_(entry.context()), numbers_(numbers) {}

  std::vector<FlowSpec> expand() {
    switch (spec_.pattern) {
      case TrafficPattern::kPartitionAggregate:
        for (std::uint64_t round = 0; round < spec_.rounds_until(context_.end); ++round) {
          const PicoSeconds later = entry_.times(spec_.period, round);
          if (TrafficEntry::after(spec_.start, later, entry_.where()) >= entry_.stop()) break;
          nth_ = 0;
          query(later);
          ++numbers_.queries;
        }
        break;
      case TrafficPattern::kCollective:
        collective();
        break;
      default:
        break;  // flows of other patterns are made singly; an entry that computes has none
    }
    return std::move(flows_);
  }

 private:
  /// Adds the `flows` queue pairs between two hosts; each queue pair starts `stagger` after the
  /// previous queue pair.
  void connect(HostId from, HostId to, PicoSeconds later = PicoSeconds(0)) {
    for (unsigned i = 0; i < spec_.flows; ++i, ++nth_) {
      FlowSpec flow = entry_.base();
      flow.from = from;
      flow.to = to;
      flow.start = TrafficEntry::after(TrafficEntry::after(spec_.start, later, entry_.where()),
                                       entry_.times(spec_.stagger, nth_), entry_.where());
      if (spec_.stop) {
        flow.stop = TrafficEntry::after(*spec_.stop, entry_.times(spec_.stop_stagger, nth_),
                                        entry_.where());
        entry_.require(flow.stop > flow.start, "one of its flows stops before it starts");
      }
      list(flow);
    }
  }
  void incast(PicoSeconds later) {
    const HostId receiver = *spec_.receiver;
    for (const HostId from : entry_.named_or_all(spec_.senders, receiver)) {
      connect(from, receiver, later);
    }
  }

  void query(PicoSeconds later) {
    if (!spec_.fan_out.empty()) return tree(later);
    const std::size_t before = flows_.size();
    incast(later);
    for (std::size_t i = before; i < flows_.size(); ++i) flows_[i].query = numbers_.queries;
  }

  /// Adds the flows of a query down a tree: requests level by level, and the answer of each host,
  /// which waits for the answers of all hosts below it. A host has two gates: its request opens one
  /// gate, the answers from below open the other.
  void tree(PicoSeconds later) {
    const HostList hosts = entry_.named_or_all(spec_.senders, *spec_.receiver);
    struct Place {
      HostId host;
      std::uint32_t asked;  // number of the gate that the request opens
      std::uint32_t answered;
    };
    std::vector<Place> level{{*spec_.receiver, FlowSpec::kNone, numbers_.gates++}};
    std::size_t next = 0;
    for (std::size_t depth = 0; depth < spec_.fan_out.size(); ++depth) {
      const bool leaves = depth + 1 == spec_.fan_out.size();
      std::vector<Place> below;
      for (const Place& parent : level) {
        for (unsigned i = 0; i < spec_.fan_out[depth]; ++i) {
          Place place{hosts[next++], numbers_.gates++, 0};
          place.answered = leaves ? place.asked : numbers_.gates++;
          // The receiver starts the query; its requests may be staggered.
          const PicoSeconds apart = depth == 0 ? entry_.times(spec_.stagger, i) : PicoSeconds(0);
          FlowSpec request = between(parent.host, place.host, later);
          request.start = TrafficEntry::after(request.start, apart, entry_.where());
          request.bytes = spec_.request;
          // the deadline applies to the answers, from the start of the query, not to requests
          request.deadline.reset();
          request.waits_at = parent.asked;
          request.opens = place.asked;
          list(request);
          FlowSpec answer = between(place.host, parent.host, later);
          answer.waits_at = place.answered;
          answer.opens = parent.answered;
          if (depth == 0) answer.query = numbers_.queries;
          list(answer);
          below.push_back(place);
        }
      }
      level = std::move(below);
    }
  }
  FlowSpec between(HostId from, HostId to, PicoSeconds later) const {
    FlowSpec flow = entry_.base();
    flow.from = from;
    flow.to = to;
    flow.start = TrafficEntry::after(spec_.start, later, entry_.where());
    flow.stop = PicoSeconds::max();  // a started query is always answered
    flow.think = spec_.think;
    return flow;
  }
  /// Adds the flows of a collective. Each rank starts its next round as soon as its own data has
  /// arrived; no rank waits for all others.
  void collective() {
    const HostList ranks = entry_.named_or_all(spec_.hosts);
    const auto n = static_cast<std::uint32_t>(ranks.size());
    const auto part = (*spec_.bytes + n - 1) / n;
    // number of the gate that each rank's next send awaits
    std::vector<std::uint32_t> waits(n, FlowSpec::kNone);
    const std::uint64_t rounds = spec_.rounds_until(context_.end);
    for (std::uint64_t round = 0; round < rounds; ++round, ++numbers_.queries) {
      const bool last = round + 1 == rounds;
      if (spec_.shape == CollectiveShape::kTree) {
        up_and_down(ranks, waits, round, last);
        continue;
      }
      if (spec_.shape == CollectiveShape::kBroadcast || spec_.shape == CollectiveShape::kPipeline) {
        onwards(ranks);
        continue;
      }
      const bool ring = spec_.shape != CollectiveShape::kAllToAll;
      const std::uint32_t steps = spec_.shape == CollectiveShape::kRing ? 2 * (n - 1) : n - 1;
      for (std::uint32_t step = 0; step < steps; ++step) {
        const std::uint32_t on = ring ? 1 : step + 1;
        std::vector<std::uint32_t> next(n, FlowSpec::kNone);
        for (std::uint32_t i = 0; i < n; ++i) {
          const std::uint32_t to = (i + on) % n;
          if (!last || step + 1 < steps) next[to] = numbers_.gates++;
          send(ranks, i, to, part, {waits[i], next[to], step == 0 && round > 0});
        }
        waits = std::move(next);
      }
    }
  }
  /// Adds a tree all-reduce. The parent of rank i is rank (i - 1) / 2. A rank sends up after its
  /// children have sent, and down after its parent has sent; the leaves start the next round.
  void up_and_down(const HostList& ranks, std::vector<std::uint32_t>& waits, std::uint64_t round,
                   bool last) {
    const auto n = static_cast<std::uint32_t>(ranks.size());
    const auto is_leaf = [n](std::uint32_t i) { return 2 * i + 1 >= n; };
    const auto parent = [](std::uint32_t i) { return (i - 1) / 2; };
    std::vector<std::uint32_t> below(n, FlowSpec::kNone);
    for (std::uint32_t i = 0; i < n; ++i) {
      if (!is_leaf(i)) below[i] = numbers_.gates++;
    }
    for (std::uint32_t i = n - 1; i > 0; --i) {
      send(ranks, i, parent(i), *spec_.bytes,
           {is_leaf(i) ? waits[i] : below[i], below[parent(i)], is_leaf(i) && round > 0});
    }
    waits.assign(n, FlowSpec::kNone);
    for (std::uint32_t i = 1; i < n; ++i) {
      if (!is_leaf(i) || !last) waits[i] = numbers_.gates++;
      send(ranks, parent(i), i, *spec_.bytes,
           {parent(i) == 0 ? below[0] : waits[parent(i)], waits[i], false});
    }
  }
  /// Adds a broadcast or pipeline: every rank but the first receives all data from one earlier
  /// rank, in a broadcast from its parent in the tree, in a pipeline from the preceding rank.
  void onwards(const HostList& ranks) {
    const auto n = static_cast<std::uint32_t>(ranks.size());
    const bool tree = spec_.shape == CollectiveShape::kBroadcast;
    std::vector<std::uint32_t> next(n, FlowSpec::kNone);
    for (std::uint32_t i = 1; i < n; ++i) {
      const std::uint32_t from = tree ? (i - 1) / 2 : i - 1;
      const bool sends = tree ? 2 * i + 1 < n : i + 1 < n;
      if (sends) next[i] = numbers_.gates++;
      send(ranks, from, i, *spec_.bytes, {next[from], next[i], false});
    }
  }
  struct Gated {
    std::uint32_t waits_at;
    std::uint32_t opens;
    bool begins_round;  // true if the send begins a round, so that the rank waits `think` before it
  };
  void send(const HostList& ranks, std::uint32_t from, std::uint32_t to, Bytes bytes,
            const Gated& gated) {
    FlowSpec flow = between(ranks[from], ranks[to], PicoSeconds(0));
    flow.bytes = bytes;
    flow.waits_at = gated.waits_at;
    flow.opens = gated.opens;
    flow.think = gated.begins_round ? spec_.think : PicoSeconds(0);
    flow.query = numbers_.queries;
    flow.begins_query = true;
    list(flow);
  }

  void list(FlowSpec& flow) {
    entry_.finish(flow, entry_.where());
    flows_.push_back(flow);
  }

  const TrafficEntry& entry_;
  const TrafficSpec& spec_;
  const TrafficContext& context_;
  Numbers& numbers_;
  std::uint64_t nth_ = 0;  // number of flows made so far for this entry or this round
  std::vector<FlowSpec> flows_;
};

std::string more_flows(std::size_t most) { return "more than " + std::to_string(most) + " flows"; }

}  // namespace

// ---------------------------------------------------------------- TrafficEntry

void TrafficEntry::check() const {
  try {
    const std::size_t most = is_made_singly(spec_->pattern) ? kMaxFlows : kMaxHeldFlows;
    require(spec_->check(context_->hosts, context_->end) <= most, more_flows(most));
  } catch (const ParameterError& error) {
    const std::string& key = error.keys().front();
    throw TrafficError(where_ + (key.empty() ? "" : ".") + key + ": " + error.what());
  }
}

HostList TrafficEntry::named_or_all(const HostList& named, HostId but) const {
  if (!named.empty()) return named;
  HostList all;
  for (HostId host = 0; host < context_->hosts; ++host) {
    if (host != but) all.push_back(host);
  }
  return all;
}

PicoSeconds TrafficEntry::times(PicoSeconds step, std::uint64_t n) const {
  const Uint128 product = static_cast<Uint128>(step.count) * n;
  require(product < (Uint128{1} << 62), "starts after the end of time");
  return PicoSeconds(static_cast<std::int64_t>(product));
}

PicoSeconds TrafficEntry::after(PicoSeconds time, PicoSeconds more, const std::string& place) {
  if (more >= PicoSeconds::max() - time) {
    throw TrafficError(place + ": starts or stops after the end of time, 106 days");
  }
  return time + more;
}

FlowSpec TrafficEntry::base() const {
  FlowSpec flow;
  flow.dscp = static_cast<std::uint8_t>(spec_->dscp);
  flow.background = spec_->pattern == TrafficPattern::kBackground;
  flow.bytes = spec_->bytes.value_or(0);
  flow.message = spec_->message;
  flow.operation = spec_->operation;
  flow.service = spec_->service;
  flow.ee_context = static_cast<std::uint8_t>(spec_->ee_context);
  flow.rd_domain = static_cast<std::uint8_t>(spec_->rd_domain);
  flow.start = spec_->start;
  flow.stop = stop();
  flow.rate = spec_->rate.value_or(BitRate());
  flow.initial_rate = spec_->initial_rate.value_or(BitRate());
  flow.deadline = spec_->deadline;
  flow.entry = static_cast<std::uint16_t>(index_);
  return flow;
}

void TrafficEntry::finish(FlowSpec& flow, const std::string& place) const {
  // checks the deadline; throws TrafficError if it is too large
  if (flow.deadline) after(flow.start, *flow.deadline, place);
  flow.priority = context_->priority_of_dscp[flow.dscp];
}

std::unique_ptr<FlowSource> list_source(std::vector<FlowSpec> flows) {
  return std::make_unique<ListSource>(std::move(flows));
}

// ---------------------------------------------------------------- FlowStream

FlowStream::FlowStream(const std::vector<TrafficSpec>& specs, const TrafficContext& context) {
  std::uint64_t index = 0;
  Expander::Numbers numbers;
  std::map<std::string, std::uint64_t> ids;
  for (const TrafficSpec& spec : specs) {
    const TrafficEntry entry(spec, context, index++);
    entry.check();
    if (!spec.id.empty()) {
      const auto [other, added] = ids.emplace(spec.id, index - 1);
      if (!added) {
        throw TrafficError(entry.where() + ".id: '" + spec.id + "' is the name of traffic." +
                           std::to_string(other->second));
      }
    }
    waits_ = waits_ || spec.waits() || spec.pattern == TrafficPattern::kCompute;
    if (spec.pattern == TrafficPattern::kPoisson) {
      for (auto& source : poisson_sources(entry)) add(std::move(source), entry.where());
      if (spec.has_random_incasts()) add(random_incast_source(entry), entry.where());
    } else if (spec.pattern == TrafficPattern::kTrace) {
      add(trace_source(entry), entry.where());
      waits_ = waits_ || context.traces->at(spec.file).waits;
    } else if (spec.has_random_incasts()) {
      add(random_incast_source(entry), entry.where());
    } else if (is_made_singly(spec.pattern)) {
      add(pair_source(entry), entry.where());
    } else {
      add(list_source(Expander(entry, numbers).expand()), entry.where());
    }
  }
}

FlowStream::~FlowStream() = default;

void FlowStream::add(std::unique_ptr<FlowSource> source, const std::string& where) {
  Line line;
  if (!source->next(line.flow)) return;
  if (wheres_.empty() || wheres_.back() != where) wheres_.push_back(where);
  line.source = std::move(source);
  line.entry = wheres_.size() - 1;
  order_.push_back({line.flow.start, lines_.size()});
  lines_.push_back(std::move(line));
  std::push_heap(order_.begin(), order_.end(), Turn::later);
}

bool FlowStream::next(FlowSpec& flow) {
  if (order_.empty()) return false;
  std::pop_heap(order_.begin(), order_.end(), Turn::later);
  Turn& turn = order_.back();
  Line& line = lines_[turn.line];
  if (next_id_ == kMaxFlows) throw TrafficError(wheres_[line.entry] + ": " + more_flows(kMaxFlows));
  flow = line.flow;
  flow.id = next_id_++;
  if (line.source->next(line.flow)) {
    turn.start = line.flow.start;
    std::push_heap(order_.begin(), order_.end(), Turn::later);
  } else {
    line.source.reset();
    order_.pop_back();
  }
  return true;
}

std::vector<FlowSpec> expand_traffic(const std::vector<TrafficSpec>& specs,
                                     const TrafficContext& context) {
  std::vector<FlowSpec> flows;
  FlowStream stream(specs, context);
  for (FlowSpec flow; stream.next(flow);) flows.push_back(flow);
  return flows;
}

}  // namespace dcc
