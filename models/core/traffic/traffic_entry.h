// One entry of the traffic list during its expansion into flows: the functions that all patterns
// share.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "traffic/traffic_spec.h"

namespace dcc {

/// A source of flows in the order of their start; flows that start at one instant come in the order
/// of the configuration.
class FlowSource {
 public:
  virtual ~FlowSource() = default;
  /// Gives the next flow; false after the last flow. Throws TrafficError.
  virtual bool next(FlowSpec& flow) = 0;
};
using FlowSources = std::vector<std::unique_ptr<FlowSource>>;

/// One entry of the traffic list with its context. `spec` and `context` must outlive the entry and
/// the flow sources made of it.
class TrafficEntry {
 public:
  TrafficEntry(const TrafficSpec& spec, const TrafficContext& context, std::uint64_t index)
      : spec_(&spec),
        context_(&context),
        where_("traffic." + std::to_string(index)),
        index_(index) {}

  const TrafficSpec& spec() const { return *spec_; }
  const TrafficContext& context() const { return *context_; }
  /// Name of the traffic entry in messages.
  const std::string& where() const { return where_; }
  std::uint64_t index() const { return index_; }

  /// Throws TrafficError for an error that TrafficSpec::check() finds in the entry.
  void check() const;
  void require(bool condition, const std::string& sentence) const {
    if (!condition) throw TrafficError(where_ + ": " + sentence);
  }
  /// The hosts of the list `named`, or all hosts except `but` if that list is empty.
  HostList named_or_all(const HostList& named,
                        HostId but = std::numeric_limits<HostId>::max()) const;
  PicoSeconds stop() const { return spec_->stop.value_or(PicoSeconds::max()); }
  /// Time from which on patterns without a set number of flows start no flow.
  PicoSeconds end() const { return std::min(stop(), context_->end); }
  PicoSeconds times(PicoSeconds step, std::uint64_t n) const;
  /// Returns time + more. Throws TrafficError if the sum reaches PicoSeconds::max(), which means
  /// "never".
  static PicoSeconds after(PicoSeconds time, PicoSeconds more, const std::string& place);

  /// A flow with the properties that all flows of the entry share.
  FlowSpec base() const;
  /// Completes a flow whose hosts and start are set, and checks its deadline.
  void finish(FlowSpec& flow, const std::string& place) const;

 private:
  const TrafficSpec* spec_;
  const TrafficContext* context_;
  std::string where_;
  std::uint64_t index_;
};

// Sources of patterns whose flows are drawn or read one by one (traffic/drawn_flows.cpp).
FlowSources poisson_sources(const TrafficEntry& entry);
std::unique_ptr<FlowSource> random_incast_source(const TrafficEntry& entry);
std::unique_ptr<FlowSource> trace_source(const TrafficEntry& entry);
/// Makes a source of the flows of a pattern for which is_made_singly() holds, but not of the
/// patterns above (traffic/pair_flows.cpp).
std::unique_ptr<FlowSource> pair_source(const TrafficEntry& entry);
/// Makes a source of the given flows.
std::unique_ptr<FlowSource> list_source(std::vector<FlowSpec> flows);

}  // namespace dcc
