// Times at which the cables at the ports of hosts have failed visibly.
#pragma once

#include <vector>

#include "config/platform_config.h"
#include "fabric/topology.h"

namespace dcc::vp {

/// The times at which faults of the kinds link_failure and link_flap take the carrier from ports.
/// The times are known before the run, and are listed only for hosts with several ports.
class PortOutages {
 public:
  /// Lists the outages of ports. Throws SettingError if a fault names a link that does not exist.
  PortOutages(const PlatformConfig& config, const Topology& topology);

  /// True if no port fails during the run.
  bool empty() const { return of_port_.empty(); }
  /// True if the port's cable has failed at this time.
  bool is_down(HostId port, PicoSeconds time) const { return meets(port, time, time); }
  /// True if the port's cable has failed at some time between `from` and `to`, both included.
  bool meets(HostId port, PicoSeconds from, PicoSeconds to) const;
  /// The earliest time after `after` at which an outage of any port is `delay` old, or ends; max()
  /// if there is no such time.
  PicoSeconds next_change(PicoSeconds after, PicoSeconds delay) const;

 private:
  /// A cable fails at `start` for `down` in every `period`, up to `stop`; period 0: once.
  struct Outage {
    PicoSeconds start{};
    PicoSeconds stop{};
    PicoSeconds down{};
    PicoSeconds period{};
    bool meets(PicoSeconds from, PicoSeconds to) const;
    /// The earliest begin of the outage after `after`, or the earliest end; max() if none is left.
    PicoSeconds begin_above(PicoSeconds after) const;
    PicoSeconds end_above(PicoSeconds after) const;
  };
  std::vector<std::vector<Outage>> of_port_;  // outages by port; empty if no port fails
};

}  // namespace dcc::vp
