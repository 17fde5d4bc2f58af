// Central parts of schemes: the scheduler that routes flows over the switches, and the agent that
// tunes the hosts' demotion thresholds.
#pragma once

#include <memory>
#include <utility>

#include "build/platform_part.h"
#include "fabric/flow_scheduler.h"
#include "nic/transport_agent.h"

namespace dcc::vp {

class FlowSchedulerPart final : public PlatformPart {
 public:
  explicit FlowSchedulerPart(std::unique_ptr<FlowScheduler> scheduler)
      : scheduler_(std::move(scheduler)) {}
  void begin() override { scheduler_->begin(); }
  const FlowScheduler& scheduler() const { return *scheduler_; }
  FlowScheduler& scheduler() { return *scheduler_; }

 private:
  std::unique_ptr<FlowScheduler> scheduler_;
};

class TransportAgentPart final : public PlatformPart {
 public:
  explicit TransportAgentPart(std::unique_ptr<TransportAgent> agent) : agent_(std::move(agent)) {}
  void begin() override { agent_->begin(); }
  const TransportAgent& agent() const { return *agent_; }

 private:
  std::unique_ptr<TransportAgent> agent_;
};

}  // namespace dcc::vp
