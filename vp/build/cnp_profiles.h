// Selects the CNP settings of receivers in networks whose hosts run different algorithms: at
// connection setup, the receiver learns which CNPs the sender's algorithm uses.
#pragma once

#include <cstdint>
#include <vector>

#include "config/platform_config.h"
#include "nic/nic_parameters.h"

namespace dcc::vp {

class CnpProfiles {
 public:
  explicit CnpProfiles(const PlatformConfig& config);
  /// True if all hosts run the same algorithm; receivers then use their own NIC's settings.
  bool empty() const { return of_.empty(); }
  /// CNP profile by which receivers notify `sender`. Precondition: `sender` is a host of the
  /// topology.
  const CnpProfile& with(HostId sender) const { return kinds_[of_[sender]]; }

 private:
  std::vector<CnpProfile>
      kinds_;  // CNP profile of `nic`, then one profile for each entry of `nics`
  std::vector<std::uint32_t> of_;  // index into kinds_ by host
};

}  // namespace dcc::vp
