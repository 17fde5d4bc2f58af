// One entry of the traffic list while it is made into flows: what all its patterns have in common.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "traffic/traffic_spec.h"

namespace dcc {

/// Flows in the order of their start; those of one instant in the order in which they are written.
class FlowSource {
 public:
  virtual ~FlowSource() = default;
  /// False: there are no more. Throws TrafficError.
  virtual bool next(FlowSpec& flow) = 0;
};
using FlowSources = std::vector<std::unique_ptr<FlowSource>>;

/// `spec` and `context` must outlive it, and what is made of it.
class TrafficEntry {
 public:
  TrafficEntry(const TrafficSpec& spec, const TrafficContext& context, std::uint64_t index)
      : spec_(&spec),
        context_(&context),
        where_("traffic." + std::to_string(index)),
        index_(index) {}

  const TrafficSpec& spec() const { return *spec_; }
  const TrafficContext& context() const { return *context_; }
  /// How messages name it.
  const std::string& where() const { return where_; }
  std::uint64_t index() const { return index_; }

  /// Throws what TrafficSpec::check() finds.
  void check() const;
  void require(bool condition, const std::string& sentence) const {
    if (!condition) throw TrafficError(where_ + ": " + sentence);
  }
  /// An empty list stands for all hosts but the one at the other end.
  HostList named_or_all(const HostList& named,
                        HostId but = std::numeric_limits<HostId>::max()) const;
  PicoSeconds stop() const { return spec_->stop.value_or(PicoSeconds::max()); }
  PicoSeconds times(PicoSeconds step, std::uint64_t n) const;
  /// A place on the axis of time, of which the last is kept for "never".
  static PicoSeconds after(PicoSeconds time, PicoSeconds more, const std::string& place);

  /// A flow with all that the entry says of each.
  FlowSpec base() const;
  /// Its last touch, when all else is known.
  void finish(FlowSpec& flow, const std::string& place) const;

 private:
  const TrafficSpec* spec_;
  const TrafficContext* context_;
  std::string where_;
  std::uint64_t index_;
};

/// Of a pattern whose flows are drawn one by one, or read as they go (traffic/drawn_flows.cpp).
FlowSources poisson_sources(const TrafficEntry& entry);
std::unique_ptr<FlowSource> trace_source(const TrafficEntry& entry);
/// Flows that are there already.
std::unique_ptr<FlowSource> list_source(std::vector<FlowSpec> flows);

}  // namespace dcc
