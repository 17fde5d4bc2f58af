// The state of a platform as one number a device, at instants of a run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "build/host.h"
#include "build/network.h"
#include "config/platform_config.h"
#include "cpu/debug_registry.h"
#include "fabric/flow_scheduler.h"
#include "measure/results.h"
#include "nic/transport_agent.h"
#include "parallel/partitions.h"
#include "sim/scheduler.h"

namespace dcc::vp {

/// Of every device: switches and what schedules flows over all of them, the agent that sets the
/// hosts' thresholds, then of each host NIC, algorithm or controller, memory and CPU, then wires.
/// So that of devices that part in the same instant the one that decided comes first, and what it
/// had the wire carry last.
class StateDigests {
 public:
  StateDigests(Network& network, const FlowScheduler* flow_scheduler,
               const TransportAgent* transport_agent, std::vector<std::unique_ptr<Host>>& hosts);
  /// "s0", "host3.controller", "s0->h3".
  const std::vector<std::string>& names() const { return names_; }
  /// Now, between two events; looking changes nothing.
  std::vector<std::uint64_t> take() const;
  /// All of them as one.
  std::uint64_t whole() const;

 private:
  void add(std::string name, std::function<std::uint64_t()> of);
  void add_host(Host& host);

  std::vector<std::string> names_;
  std::vector<std::function<std::uint64_t()>> of_;
};

/// The whole state as a value for a prompt or a debugger to read. `states` must outlive it.
model::DebugRegistry::Value digest_value(const StateDigests& states);

/// Takes them at instants, after all that happens then.
class DigestSampler {
 public:
  /// Who gets the rows; its first call has the names. Null: they are kept for the results.
  using Sink = std::function<void(const std::vector<std::string>& names, PicoSeconds now,
                                  const std::vector<std::uint64_t>& row)>;
  struct Context {
    DigestConfig when;
    PicoSeconds duration;  // of the run
    Scheduler& scheduler;
    Network& network;
    const FlowScheduler* flow_scheduler;    // null: none
    const TransportAgent* transport_agent;  // null: none
    std::vector<std::unique_ptr<Host>>& hosts;
    Partitions& partitions;
    std::uint32_t rank;
  };
  DigestSampler(const Context& context, Sink sink);
  void begin();
  void collect(RunResults& results);

 private:
  void sample();

  Context c_;
  Sink sink_;
  StateDigests digests_;
  DigestColumns kept_;
  Event event_;
};

}  // namespace dcc::vp
