// DCBX at the ends of all links: how they are set up, and what they have come to.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "build/network.h"
#include "build/platform_part.h"
#include "config/platform_config.h"
#include "measure/results.h"
#include "nic/nic_device.h"
#include "sim/scheduler.h"
#include "switch/dcbx.h"

namespace dcc::vp {

/// Throws SettingError for what `dcbx.ends` names and the topology does not have.
void check_dcbx(const PlatformConfig& config, const Topology& topology);

/// What the ends of links are set up with, by the wire that leaves there, as Network::wires()
/// counts them; empty: such an end is silent.
std::vector<std::optional<DcbxSettings>> dcbx_settings(const PlatformConfig& config,
                                                       const Topology& topology);

class DcbxLinks final : public PlatformPart {
 public:
  /// `nic_of` gives a host's NIC. Everything must outlive it.
  DcbxLinks(const PlatformConfig& config, Scheduler& scheduler, Network& network,
            const std::function<NicDevice&(HostId)>& nic_of, std::uint32_t rank);
  /// Schedules that all links come up.
  void begin() override;
  /// Adds result() and the warning on ends that differ.
  void finish(RunResults& results) override;
  /// Empty: DCBX is not enabled.
  std::optional<DcbxResult> result() const;

 private:
  struct End {
    std::size_t wire = 0;  // that leaves there
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

/// What to tell the user of ends that differ; empty: nothing.
std::string dcbx_warning(const std::optional<DcbxResult>& result);

}  // namespace dcc::vp
