// Digests of a platform's state: one number for each device, at instants of a run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "build/host.h"
#include "build/network.h"
#include "build/platform_part.h"
#include "config/platform_config.h"
#include "cpu/debug_registry.h"
#include "fabric/flow_scheduler.h"
#include "measure/results.h"
#include "nic/transport_agent.h"
#include "sim/scheduler.h"

namespace dcc::vp {

/// The digests of all devices in this order: switches, the scheduler of flows, the threshold agent,
/// then NIC, algorithm or controller, memory and CPU of each host, then wires. If several devices
/// begin to differ at the same instant, this order lists the device that decides first and wires,
/// which only carry its packets, last.
class StateDigests {
 public:
  StateDigests(Network& network, const FlowScheduler* flow_scheduler,
               const TransportAgent* transport_agent, std::vector<std::unique_ptr<Host>>& hosts);
  /// Names of the devices, such as "s0", "host3.controller", "s0->h3".
  const std::vector<std::string>& names() const { return names_; }
  /// The digests of the devices' present states, one per device. Call between two events. Has no
  /// side effects.
  std::vector<std::uint64_t> take() const;
  /// One digest that combines the digests of all devices.
  std::uint64_t whole() const;

 private:
  void add(std::string name, std::function<std::uint64_t()> of);
  void add_host(Host& host);

  std::vector<std::string> names_;
  std::vector<std::function<std::uint64_t()>> of_;
};

/// Registers the digest of the whole state as a value that a prompt or a debugger reads. `states`
/// must outlive the returned value.
model::DebugRegistry::Value digest_value(const StateDigests& states);

/// Keeps the digests of the state, which the prompt, a debugger or a host's firmware may read at
/// any time.
class WatchedStates final : public PlatformPart {
 public:
  explicit WatchedStates(StateDigests states) : states_(std::move(states)) {}
  const StateDigests& states() const { return states_; }

 private:
  StateDigests states_;
};

/// Takes digests of the platform's state at instants of the run, after all other events of the
/// instant.
class DigestSampler final : public PlatformPart {
 public:
  /// function that receives the rows; null: rows are kept for the results
  using Sink = std::function<void(const std::vector<std::string>& names, PicoSeconds now,
                                  const std::vector<std::uint64_t>& row)>;
  explicit DigestSampler(Platform& platform);
  void begin() override;
  /// Adds the collected rows of digests to the results.
  void finish(RunResults& results) override;

 private:
  void sample();

  Platform& p_;
  StateDigests digests_;
  DigestColumns kept_;
  Event event_;
};

}  // namespace dcc::vp
