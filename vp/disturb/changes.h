// Parameters that become others while a run goes on: `changes`.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "build/host.h"
#include "build/network.h"
#include "build/platform_part.h"
#include "config/platform_config.h"
#include "sim/scheduler.h"

namespace dcc::vp {

/// At its time each change goes to the switches, and to the controllers through their registers, as
/// a driver would: without software on a host at that instant, else over its bus, in its time.
class Changes final : public PlatformPart {
 public:
  Changes(const PlatformConfig& config, Scheduler& scheduler, Network& network,
          std::vector<std::unique_ptr<Host>>& hosts, std::uint32_t rank);
  /// Schedules the first.
  void begin() override;
  /// One more change, behind all others: what `ask` returns when its time has come. Before begin().
  void ask_at(PicoSeconds at, std::function<std::shared_ptr<const PlatformConfig>()> ask) {
    planned_.push_back({at, std::move(ask)});
  }

 private:
  struct Planned {
    PicoSeconds at;
    std::function<std::shared_ptr<const PlatformConfig>()> config;
  };
  void due();
  void make(const PlatformConfig& to);

  const PlatformConfig* present_;
  Scheduler& scheduler_;
  Network& network_;
  std::vector<std::unique_ptr<Host>>& hosts_;
  std::vector<Planned> planned_;
  std::size_t next_ = 0;
  std::shared_ptr<const PlatformConfig> made_;  // keeps present_ alive
  Event due_;
};

}  // namespace dcc::vp
