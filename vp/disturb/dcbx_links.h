// Runs DCBX at the ends of all links: settings of the ends, and results of the exchange.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "build/network.h"
#include "build/platform_part.h"
#include "config/platform_config.h"
#include "measure/results.h"
#include "sim/scheduler.h"
#include "switch/dcbx/dcbx.h"

namespace dcc::vp {

/// Checks the entries of `dcbx.ends`. Throws SettingError for a link end that the topology does not
/// have.
void check_dcbx(const PlatformConfig& config, const Topology& topology);

/// The DCBX settings of the ends of links, indexed by the wire that begins at the end (as in
/// Network::wires()). Empty: the end sends no frames.
std::vector<std::optional<DcbxSettings>> dcbx_settings(const PlatformConfig& config,
                                                       const Topology& topology);

class DcbxLinks final : public PlatformPart {
 public:
  explicit DcbxLinks(Platform& platform);
  /// Schedules the event at which all links come up.
  void begin() override;
  /// Adds the results of DCBX to the run's results.
  void finish(RunResults& results) override;
  /// The results of DCBX; empty if DCBX is not enabled.
  std::optional<DcbxResult> result() const;

 private:
  struct End {
    std::size_t wire = 0;  // number of the wire that begins at this link end
    const DcbxEnd* end = nullptr;
    std::function<void()> come_up;
  };
  void come_up();
  void add_differences(const End& end, bool of_pair, DcbxResult& result) const;

  Scheduler& scheduler_;
  const Network& network_;
  bool enabled_;
  std::vector<End> ends_;
  std::vector<const DcbxEnd*> by_wire_;
  Event come_up_;
};

}  // namespace dcc::vp
