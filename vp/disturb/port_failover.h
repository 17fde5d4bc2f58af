// Moves flows from a failed port of their host to another port of the host.
#pragma once

#include "build/platform_part.h"
#include "sim/scheduler.h"
#include "traffic/flow_plan.h"
#include "traffic/port_binding.h"
#include "traffic/port_outages.h"

namespace dcc::vp {

/// Moves flows between the ports of their hosts (nic.port_failover). When the link of a port has
/// been down for `detection`, each flow with an end at the port gets the ports that a flow starting
/// at this time would get, with a fresh queue pair at either end. The new queue pair sends from the
/// first byte that the receiver lacks, and the congestion control starts anew. The old queue pairs
/// end: receivers discard their packets that are still in the network. With `comes_back`, flows
/// return to their first ports when those ports work again and routes have converged.
class PortFailover final : public PlatformPart {
 public:
  /// Prepares port failover. Throws SettingError if a fault names a link that does not exist.
  explicit PortFailover(Platform& platform);
  void begin() override { schedule(PicoSeconds(-1)); }

 private:
  void check();
  void schedule(PicoSeconds after);
  /// True if a port's failure has been detected and is not repaired.
  bool has_failed(HostId port) const;
  void move(const PlannedFlow& flow, const FlowSpec& to);

  Platform& platform_;
  PortOutages outages_;
  PortBinding binding_;
  PicoSeconds detection_;
  bool comes_back_;
  Event due_;
};

}  // namespace dcc::vp
