// Small configurations, and platforms made of them: one platform a TEST, for SystemC elaborates
// once a process.
#pragma once

#include <filesystem>
#include <string>

#include "config/yaml_reader.h"
#include "net/routing.h"
#include "net/topology.h"
#include "observe/observer.h"
#include "platform/flow_plan.h"
#include "platform/run.h"
#include "platform/translate.h"

namespace dcc::vp {

inline PlatformConfig config_of(const std::string& yaml) {
  return load_config_text(yaml, "t.yaml", std::filesystem::path("."), {}).config;
}

/// Four hosts at one switch, driven by the platform itself, 100 Gb/s and 1 us a link.
inline std::string star(const std::string& rest) {
  return "topology: {kind: star, hosts: 4, link: {rate: 100Gbps, delay: 1us}}\n"
         "host: {driver: none}\nduration: 100us\n" +
         rest;
}

/// What is known before anything is elaborated.
struct Planned {
  explicit Planned(const std::string& yaml)
      : config(config_of(yaml)),
        topology(Topology::of(config.topology)),
        routing(topology),
        plan(plan_flows(config, topology, routing)) {}
  PlatformConfig config;
  Topology topology;
  Routing routing;
  FlowPlan plan;
};

class Unwatched final : public RunObserver {
 public:
  bool wants_progress() const override { return false; }
  void on_progress(const Progress&) override {}
};

inline RunResults run(const PlatformConfig& config, const RunSetup& setup = {}) {
  Unwatched observer;
  return run_platform(config, observer, setup);
}
inline RunResults run(const std::string& yaml) { return run(config_of(yaml)); }

}  // namespace dcc::vp
