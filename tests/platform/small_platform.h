// Small configurations and their platforms. A TEST can make only one platform, because SystemC
// elaborates once per process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <functional>
#include <string>

#include "build/run.h"
#include "build/translate.h"
#include "config/yaml_reader.h"
#include "fabric/routing.h"
#include "fabric/topology.h"
#include "measure/observer.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

inline PlatformConfig config_of(const std::string& yaml) {
  return load_config_text(yaml, "t.yaml", std::filesystem::path("."), {}).config;
}

/// Configuration of four hosts at one switch with links of 100 Gb/s and 1 us. The platform itself
/// drives the hosts.
inline std::string star(const std::string& rest) {
  return "topology: {kind: star, hosts: 4, link: {rate: 100Gbps, delay: 1us}}\n"
         "host: {driver: none}\nduration: 100us\n" +
         rest;
}

/// The objects of a platform that exist before elaboration: configuration, topology and plans.
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

/// Runs `work` in a separate process and returns its text, because SystemC elaborates once per
/// process.
inline std::string in_a_process(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    std::string text;
    try {
      text = work();
    } catch (const std::exception& error) {
      text = error.what();
    }
    std::size_t at = 0;
    while (at < text.size()) {
      const ssize_t written = write(ends[1], text.data() + at, text.size() - at);
      if (written <= 0) _exit(1);
      at += static_cast<std::size_t>(written);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? text : "failed";
}

}  // namespace dcc::vp
