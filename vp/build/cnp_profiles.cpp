#include "build/cnp_profiles.h"

namespace dcc::vp {

CnpProfiles::CnpProfiles(const PlatformConfig& config) {
  if (config.nics.empty()) return;
  const auto add = [&](const AlgorithmChoice& algorithm, const CnpParameters& cnp) {
    kinds_.push_back({algorithm.needs(config.nic.mtu).cnp, cnp});
  };
  add(config.nic.congestion_control, config.nic.cnp);
  of_.resize(config.topology.port_count());
  for (const OtherNics& group : config.nics) {
    for (const HostId host : group.hosts) of_[host] = static_cast<std::uint32_t>(kinds_.size());
    add(group.congestion_control, group.cnp);
  }
}

}  // namespace dcc::vp
