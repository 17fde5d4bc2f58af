// Changes parameters during a run, as the configuration's list `changes` asks.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "build/platform_part.h"
#include "config/platform_config.h"
#include "sim/scheduler.h"

namespace dcc::vp {

/// Applies each change of parameters at its time: to switches directly, to controllers through
/// their registers, as a driver would. On a host without software the registers change at that
/// instant; on a host with software the write takes bus time.
class Changes final : public PlatformPart {
 public:
  explicit Changes(Platform& platform);
  /// Schedules the first change of parameters.
  void begin() override;

 private:
  struct Planned {
    PicoSeconds at;
    std::function<std::shared_ptr<const PlatformConfig>()> config;
  };
  void due();
  void make(const PlatformConfig& to);

  const PlatformConfig* present_;
  Platform& p_;
  std::vector<Planned> planned_;
  std::size_t next_ = 0;
  std::shared_ptr<const PlatformConfig>
      made_;  // owner of the configuration to which present_ points
  Event due_;
};

}  // namespace dcc::vp
