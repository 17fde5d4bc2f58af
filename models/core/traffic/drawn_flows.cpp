// Flows that are generated on demand: drawn at random, or read from a file.

#include "sim/random.h"
#include "traffic/flow_sizes.h"
#include "traffic/trace_file.h"
#include "traffic/traffic_entry.h"

namespace dcc {

namespace {

/// Parameters of a Poisson entry that its senders share.
struct PoissonEntry {
  TrafficEntry entry;
  HostList hosts;
  FlowSizes sizes;
};

/// Generates the flows that one host sends under a Poisson pattern.
class PoissonSource final : public FlowSource {
 public:
  /// `mean_gap`: mean time between flows in picoseconds; `place`: index of the host in the entry's
  /// list.
  PoissonSource(std::shared_ptr<const PoissonEntry> shared, std::size_t place,
                std::uint64_t mean_gap)
      : shared_(std::move(shared)),
        place_(place),
        mean_gap_(mean_gap),
        left_(shared_->entry.spec().flows_per_host.value_or(0)),
        to_the_end_(!shared_->entry.spec().flows_per_host),
        start_(shared_->entry.spec().start),
        random_(shared_->entry.context().seed, "poisson",
                shared_->entry.index() << 32 | shared_->hosts[place]) {}

  bool next(FlowSpec& flow) override {
    if (left_ == 0 && !to_the_end_) return false;
    if (!to_the_end_) --left_;
    const TrafficEntry& entry = shared_->entry;
    const PicoSeconds gap(static_cast<std::int64_t>(random_.exponential(mean_gap_)));
    start_ = TrafficEntry::after(start_, gap, entry.where());
    if (start_ >= (to_the_end_ ? entry.end() : entry.stop())) {
      left_ = 0;
      to_the_end_ = false;
      return false;
    }
    flow = entry.base();
    flow.from = shared_->hosts[place_];
    flow.start = start_;
    const std::uint64_t pick = random_.below(shared_->hosts.size() - 1);
    flow.to = shared_->hosts[pick < place_ ? pick : pick + 1];
    flow.bytes = shared_->sizes.draw(random_);
    entry.finish(flow, entry.where());
    return true;
  }

 private:
  std::shared_ptr<const PoissonEntry> shared_;
  std::size_t place_;
  std::uint64_t mean_gap_;
  unsigned left_;
  bool to_the_end_;  // true if flows are drawn to the end of the run
  PicoSeconds start_;
  RandomStream random_;
};

/// Generates incasts at random instants. Each incast draws one receiver, and then distinct other
/// hosts as senders.
class RandomIncastSource final : public FlowSource {
 public:
  RandomIncastSource(const TrafficEntry& entry, HostList senders, HostList receivers,
                     std::uint64_t mean_gap)
      : entry_(entry),
        senders_(std::move(senders)),
        receivers_(std::move(receivers)),
        mean_gap_(mean_gap),
        fan_in_(entry.spec().fan_in.value_or(0)),
        bytes_(payload_of(entry.spec())),
        start_(entry.spec().start),
        random_(entry.context().seed, "incast", entry.index()) {}

  static Bytes payload_of(const TrafficSpec& spec) {
    return spec.pattern == TrafficPattern::kPoisson ? spec.incast_bytes : *spec.bytes;
  }

  bool next(FlowSpec& flow) override {
    while (next_ == drawn_.size()) {
      const PicoSeconds gap(static_cast<std::int64_t>(random_.exponential(mean_gap_)));
      start_ = TrafficEntry::after(start_, gap, entry_.where());
      if (start_ >= entry_.end()) return false;
      draw();
    }
    flow = entry_.base();
    flow.from = drawn_[next_++];
    flow.to = receiver_;
    flow.start = start_;
    flow.bytes = bytes_;
    flow.of_incast = true;
    entry_.finish(flow, entry_.where());
    return true;
  }

 private:
  /// Draws the senders by the first steps of a Fisher-Yates shuffle that leaves out the receiver.
  void draw() {
    receiver_ = receivers_[random_.below(receivers_.size())];
    drawn_.clear();
    next_ = 0;
    for (std::size_t i = 0; i < senders_.size(); ++i) {
      if (fan_in_ != 0 && drawn_.size() == fan_in_) break;
      std::swap(senders_[i], senders_[i + random_.below(senders_.size() - i)]);
      if (senders_[i] != receiver_) drawn_.push_back(senders_[i]);
    }
  }

  TrafficEntry entry_;
  HostList senders_;  // possible senders in the order of the last draw
  HostList receivers_;
  std::uint64_t mean_gap_;  // mean time between two incasts, in picoseconds
  std::size_t fan_in_;      // number of senders of an incast; 0: all hosts except the receiver
  Bytes bytes_;
  PicoSeconds start_;
  RandomStream random_;
  HostId receiver_ = 0;
  HostList drawn_;        // senders of the present incast
  std::size_t next_ = 0;  // index of the next sender in drawn_
};

/// Generates the flows of a trace in the order of the file.
class TraceSource final : public FlowSource {
 public:
  TraceSource(const TrafficEntry& entry, const Trace& trace) : entry_(entry), trace_(trace) {
    if (!trace.kept) reader_ = std::make_unique<TraceReader>(entry.spec().file);
  }

  bool next(FlowSpec& flow) override {
    const TrafficSpec& spec = entry_.spec();
    TraceFlow line;
    while (next_line(line)) {
      if (line.computes) continue;
      const auto place = [&] { return spec.file + ":" + std::to_string(line.line); };
      if (line.start < spec.time_offset) {
        throw TrafficError(place() + ": the flow starts before the time offset");
      }
      flow = entry_.base();
      flow.from = line.from;
      flow.to = line.to;
      flow.bytes = line.bytes;
      if (trace_.waits) flow.line = static_cast<std::uint32_t>(at_ - 1);
      const PicoSeconds since = line.start - spec.time_offset;
      if (since >= PicoSeconds::max() - spec.start) {
        // checks the time; throws TrafficError if it is too large
        TrafficEntry::after(spec.start, since, place());
      }
      flow.start = spec.start + since;
      const auto mapped = spec.dscp_map.find(line.priority);
      if (mapped != spec.dscp_map.end()) flow.dscp = static_cast<std::uint8_t>(mapped->second);
      if (flow.start >= flow.stop) continue;
      if (!is_host(flow.from) || !is_host(flow.to) || flow.from == flow.to) {
        refuse(flow, place());
      }
      entry_.finish(flow, entry_.where());
      return true;
    }
    return false;
  }

 private:
  bool next_line(TraceFlow& line) {
    if (reader_ != nullptr) return reader_->next(line);
    if (at_ == trace_.flows.size()) return false;
    line = trace_.flows[at_++];
    return true;
  }
  bool is_host(HostId host) const { return host < entry_.context().hosts; }
  [[noreturn]] void refuse(const FlowSpec& flow, const std::string& place) const {
    const HostId wrong = is_host(flow.from) ? flow.to : flow.from;
    if (is_host(wrong)) {
      throw TrafficError(place + ": host " + std::to_string(wrong) + " would send to itself");
    }
    throw TrafficError(place + ": there is no host " + std::to_string(wrong) +
                       " (the topology has " + std::to_string(entry_.context().hosts) + ")");
  }

  TrafficEntry entry_;
  const Trace& trace_;
  std::size_t at_ = 0;                   // index of the next flow in trace_.flows
  std::unique_ptr<TraceReader> reader_;  // reader of a trace that is not kept in memory
};

}  // namespace

FlowSources poisson_sources(const TrafficEntry& entry) {
  const TrafficSpec& spec = entry.spec();
  entry.require(Ratio{} < spec.load, "needs a load above 0");
  const std::uint64_t load_ppm = spec.load.numerator * 1'000'000 / spec.load.denominator;
  const auto shared = std::make_shared<const PoissonEntry>(
      PoissonEntry{entry, entry.named_or_all(spec.hosts), FlowSizes::named_or_file(spec.sizes)});
  FlowSources sources;
  for (std::size_t h = 0; h < shared->hosts.size(); ++h) {
    const HostId from = shared->hosts[h];
    const BitRate rate = entry.context().link_rate(from);
    entry.require(rate.bits_per_second > 0, "host " + std::to_string(from) + " has no link");
    // Mean gap between flows in ps = mean bits / (rate · load), with the mean in 10^-6 bytes and
    // the load in 10^-6.
    const Uint128 mean = static_cast<Uint128>(shared->sizes.mean_micro_bytes()) *
                         8'000'000'000'000u / rate.bits_per_second / load_ppm;
    entry.require(mean > 0 && mean < (Uint128{1} << 50),
                  "its flows would come more than 18 minutes or "
                  "less than a picosecond apart");
    sources.push_back(std::make_unique<PoissonSource>(shared, h, static_cast<std::uint64_t>(mean)));
  }
  return sources;
}

std::unique_ptr<FlowSource> random_incast_source(const TrafficEntry& entry) {
  const TrafficSpec& spec = entry.spec();
  const bool with_poisson = spec.pattern == TrafficPattern::kPoisson;
  HostList senders = entry.named_or_all(with_poisson ? spec.hosts : spec.senders);
  HostList receivers = with_poisson ? senders : entry.named_or_all(spec.receivers);
  std::uint64_t rates = 0;
  for (const HostId host : senders) rates += entry.context().link_rate(host).bits_per_second;
  entry.require(rates > 0, "its senders have no links");
  // Mean gap between incasts in ps = bits of an incast / (sum of the rates · load), with the load
  // in 10^-6. Where all hosts send, a receiver is one of the senders and does not send itself.
  const std::size_t fan_in = spec.fan_in.value_or(static_cast<unsigned>(senders.size() - 1));
  const std::uint64_t load_ppm =
      spec.incast_load->numerator * 1'000'000 / spec.incast_load->denominator;
  const Uint128 bits = static_cast<Uint128>(RandomIncastSource::payload_of(spec)) * 8 * fan_in;
  const Uint128 gap = bits * 1'000'000'000'000u / rates * 1'000'000u / load_ppm;
  entry.require(gap > 0 && gap < (Uint128{1} << 50),
                "its incasts would come more than 18 minutes or less than a picosecond apart");
  return std::make_unique<RandomIncastSource>(entry, std::move(senders), std::move(receivers),
                                              static_cast<std::uint64_t>(gap));
}

std::unique_ptr<FlowSource> trace_source(const TrafficEntry& entry) {
  const Trace& trace = entry.context().traces->at(entry.spec().file);
  auto source = std::make_unique<TraceSource>(entry, trace);
  if (trace.in_order) return source;
  // An unsorted trace must be kept in memory and sorted.
  std::vector<FlowSpec> flows;
  for (FlowSpec flow; source->next(flow);) flows.push_back(flow);
  return list_source(std::move(flows));
}

}  // namespace dcc
