// A configuration and the results of a run that provoke no diagnosis. Tests change them to provoke
// one.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/yaml_reader.h"
#include "diagnose/diagnosis.h"
#include "fabric/topology.h"

namespace dcc::vp {

inline std::optional<Finding> of_id(const std::vector<Finding>& findings, const std::string& id) {
  for (const Finding& finding : findings) {
    if (finding.id == id) return finding;
  }
  return std::nullopt;
}

/// The figure `name` of a finding. The test fails if the finding has no figure of this name.
inline double figure_of(const std::optional<Finding>& finding, const std::string& name) {
  if (finding) {
    for (const FindingFigure& figure : finding->figures) {
      if (figure.name == name) return std::get<double>(figure.value);
    }
  }
  ADD_FAILURE() << "no figure " << name;
  return 0;
}

/// The text of a finding, or an empty text without a finding, so that the test fails instead of
/// crashing.
inline std::string words_of(const std::optional<Finding>& finding) {
  return finding ? finding->text : "";
}

inline bool says(const std::optional<Finding>& finding, const std::string& words) {
  return finding && finding->text.find(words) != std::string::npos;
}

/// The finding with this id that `dccvp check` reports for a configuration.
inline std::optional<Finding> foreseen(const std::string& yaml, const std::string& id) {
  return of_id(foresee(load_config_text(yaml, "t.yaml", std::filesystem::path("."), {})), id);
}

/// A run of 20 ms on a star of five hosts with links of 100 Gb/s and 1 us, with a measurement
/// window from 10 to 20 ms. At first the run has no flows, and all links are idle.
struct SyntheticRun {
  explicit SyntheticRun(const std::string& more = "", const std::string& topology = kStar)
      : loaded(load_config_text(topology + more, "t.yaml", std::filesystem::path("."), {})) {
    results.completed = true;
    results.sim_time = kMilliSecond * 20;
    results.measured_from = kMilliSecond * 10;
    results.measured_to = kMilliSecond * 20;
    const Topology network = Topology::of(loaded.config.topology);
    for (NodeId node = 0; node < static_cast<NodeId>(network.nodes().size()); ++node) {
      for (int port = 0; port < network.node(node).ports; ++port) {
        LinkResult link;
        link.name = network.wire_name(node, port);
        link.rate = network.link(node, port).rate;
        results.links.push_back(link);
      }
    }
    for (int host = 0; host < network.hosts(); ++host) {
      results.hosts.push_back({});
      results.hosts.back().id = static_cast<HostId>(host);
    }
  }

  /// Adds a flow that is active from the start to the end of the run.
  FlowResult& add(HostId from, HostId to, unsigned dscp = 0) {
    FlowResult flow;
    flow.id = static_cast<std::uint32_t>(results.flows.size());
    flow.from = from;
    flow.to = to;
    flow.dscp = dscp;
    flow.begun = true;
    flow.waiting = true;
    flow.progress = results.sim_time;
    flow.delivered_measured = 1'000'000;
    results.flows.push_back(flow);
    return results.flows.back();
  }
  /// Adds a completed flow of `bytes` bytes.
  FlowResult& add_done(HostId from, HostId to, PicoSeconds start, PicoSeconds end) {
    FlowResult& flow = add(from, to);
    flow.bytes = 1'000'000;
    flow.start = start;
    flow.end = flow.end_rx = flow.progress = end;
    flow.ideal = kMicroSecond * 80;
    flow.completed = true;
    flow.waiting = false;
    return flow;
  }
  /// Sets the share of the measurement window in which a link was busy.
  void use(const std::string& link, double share) { at(link).busy = part_of_window(share); }
  /// Sets the share of the measurement window in which PFC paused a link.
  void pause(const std::string& link, double share) { at(link).pause = part_of_window(share); }
  LinkResult& at(const std::string& link) {
    for (LinkResult& one : results.links) {
      if (one.name == link) return one;
    }
    ADD_FAILURE() << "no link " << link;
    return results.links.front();
  }
  static PicoSeconds part_of_window(double share) {
    return PicoSeconds(static_cast<std::int64_t>(share * 1e10));
  }
  template <class Counters>
  void count(std::uint64_t Counters::*counter, std::uint64_t value) {
    results.counters.set(counter, value);
  }
  /// Sets the number of packets that a switch dropped for lack of buffer.
  void drop(std::uint64_t packets) {
    std::size_t i = 0;
    results.counters.each([&](std::uint64_t& sum) {
      if (CounterTotals::described()[i++].name == "drops_no_room") sum = packets;
    });
  }
  std::vector<Finding> all() const { return diagnose(loaded, results); }
  std::optional<Finding> found(const std::string& id) const { return of_id(all(), id); }

  static constexpr const char* kStar =
      "topology: {kind: star, hosts: 5, link: {rate: 100Gbps, delay: 1us}}\n"
      "host: {driver: none}\nduration: 20ms\nmeasure: {from: 10ms}\n";

  LoadedConfig loaded;
  RunResults results;
};

}  // namespace dcc::vp
