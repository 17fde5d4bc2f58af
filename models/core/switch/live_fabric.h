// A network whose links fail, slow down and come back while it runs, and whose routes follow some
// time later.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "fabric/fabric_map.h"
#include "fabric/routing.h"
#include "fabric/topology.h"
#include "sim/scheduler.h"
#include "switch/switch_device.h"
#include "units.h"
#include "wire/link.h"

namespace dcc {

/// Both ends of a cable see at once that it carries nothing: they keep what is queued for it. What
/// is on it is lost. `convergence` later all switches have new routes, and what waited for a link
/// that is known to be gone goes by them, or nowhere. Between failures and their news routes are as
/// they were. Everything in one partition.
class LiveFabric {
 public:
  /// Hosts that could not be reached from the largest part of the network, from then on.
  struct Parting {
    PicoSeconds when{};
    std::vector<HostId> hosts;
  };
  /// Of a cable's end: whether it can be sent on.
  using Carrier = std::function<void(bool up)>;

  /// All must outlive it. `rank` is that of the convergence.
  LiveFabric(Scheduler& scheduler, const Topology& topology, const Routing& routing,
             FabricMap& fabric, std::uint32_t rank);

  // --- Building: all there are ------------------------------------------------------------------
  void set_link(int cable, int side, Link& link) { links_[index(cable, side)] = &link; }
  void set_switch(NodeId node, SwitchDevice& device) { switches_[at(node)] = &device; }
  void set_host(HostId host, Carrier carrier) { hosts_[host] = std::move(carrier); }

  // --- Running ----------------------------------------------------------------------------------
  /// A cable that failed twice has to be repaired twice.
  void fail(int cable, PicoSeconds convergence);
  void repair(int cable, PicoSeconds convergence);
  /// One way of a cable, side 0 being from its first end.
  void set_rate(int cable, int side, BitRate rate, PicoSeconds convergence);

  // --- Reading ----------------------------------------------------------------------------------
  /// The first time that routes did not lead everywhere; empty when they always did.
  const std::optional<Parting>& parted() const { return parted_; }

 private:
  struct Change {
    int cable = 0;
    int side = 0;
    bool of_rate = false;
    bool gone = false;
    BitRate rate;
  };
  static std::size_t at(NodeId node) { return static_cast<std::size_t>(node); }
  static std::size_t index(int cable, int side) {
    return static_cast<std::size_t>(2 * cable + side);
  }

  void switch_carrier(int cable, bool up);
  void announce(const Change& change, PicoSeconds convergence);
  void converge();
  void find_routes();
  void look_for_parting();

  Scheduler& scheduler_;
  const Topology& topology_;
  const Routing& healthy_;
  FabricMap& fabric_;
  std::vector<Link*> links_;             // by 2 · cable + side
  std::vector<SwitchDevice*> switches_;  // by node
  std::vector<Carrier> hosts_;
  std::vector<unsigned> failures_;  // by cable
  std::vector<bool> known_gone_;    // by cable, as routes have it
  std::unique_ptr<Routing> detour_;
  std::multimap<PicoSeconds, Change> news_;  // by when it has got about
  Event converge_;
  std::optional<Parting> parted_;
};

}  // namespace dcc
