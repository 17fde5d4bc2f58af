// What receivers have agreed with each host about the marks on its packets, where hosts run
// different algorithms. As in a connection's setup: the sender says what it goes by.
#pragma once

#include <cstdint>
#include <vector>

#include "config/platform_config.h"
#include "nic/nic_parameters.h"

namespace dcc::vp {

class CnpAgreements {
 public:
  explicit CnpAgreements(const PlatformConfig& config);
  /// All hosts are alike: what their own NICs are set to says it.
  bool empty() const { return of_.empty(); }
  /// `sender` is one of the topology's hosts.
  const CnpProfile& with(HostId sender) const { return kinds_[of_[sender]]; }

 private:
  std::vector<CnpProfile> kinds_;  // those of `nic`, then of each of `nics`
  std::vector<std::uint32_t> of_;  // by host: which
};

}  // namespace dcc::vp
