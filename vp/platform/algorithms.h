// Makes the congestion-control algorithm a configuration names. Adding one: a case here.
#pragma once

#include <cstdint>
#include <memory>

#include "cc/algorithm.h"
#include "cc/dcc.h"
#include "config/platform_config.h"
#include "sim/scheduler.h"

namespace dcc::vp {

/// What an algorithm may want to know besides its parameters.
struct AlgorithmContext {
  Scheduler& scheduler;
  AlgorithmHost& host;
  HostId id = 0;
  std::uint32_t controller_rank = 0;  // above every rank that delivers notifications
  PicoSeconds longest_base_rtt{};     // of the topology
};

struct GovernedBy {
  std::unique_ptr<Algorithm> algorithm;  // null: none, flows send at line rate
  Dcc* dcc = nullptr;                    // the same object, when it is the controller
};

GovernedBy make_algorithm(const PlatformConfig& config, const AlgorithmContext& context);

}  // namespace dcc::vp
