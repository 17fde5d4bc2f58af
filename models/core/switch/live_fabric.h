// A network whose links fail, change their rate and recover during a run, with routes that converge
// later.
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

/// A network with link failures. Both ends of a failed cable notice at once and keep their queued
/// packets; packets on the cable are lost. After `convergence` all switches have new routes, and
/// packets queued for a failed link are routed again or dropped. Until then the old routes stay in
/// force. All devices must be in one partition.
class LiveFabric {
 public:
  /// A split of the network, with the hosts that are not connected to the largest part.
  struct Parting {
    PicoSeconds when{};
    std::vector<HostId> hosts;
  };
  /// Function that tells a host whether the host's link carries packets.
  using Carrier = std::function<void(bool up)>;

  /// All arguments must outlive this object. `rank` orders the convergence of routes among the
  /// events of an instant.
  LiveFabric(Scheduler& scheduler, const Topology& topology, const Routing& routing,
             FabricMap& fabric, std::uint32_t rank);

  // --- Building: call for every link, switch and host --------------------------------------------
  void set_link(int cable, int side, Link& link) { links_[index(cable, side)] = &link; }
  void set_switch(NodeId node, SwitchDevice& device) { switches_[at(node)] = &device; }
  void set_host(HostId host, Carrier carrier) { hosts_[host] = std::move(carrier); }
  /// Leaves the choice of new routes to a subnet manager: `told(cable)` is called when a cable
  /// fails or is repaired, and routes change with adopt() instead of after `convergence`.
  void set_manager(std::function<void(int cable)> told) { told_ = std::move(told); }

  // --- Running ----------------------------------------------------------------------------------
  /// A cable that failed twice must be repaired twice.
  void fail(int cable, PicoSeconds convergence);
  void repair(int cable, PicoSeconds convergence);
  /// Changes the rate of one direction of a cable; side 0 sends from the cable's first end.
  void set_rate(int cable, int side, BitRate rate, PicoSeconds convergence);

  /// Changes the routes for all failures and repairs before the time `known`. Returns false if
  /// there were none.
  bool adopt(PicoSeconds known);

  // --- Reading ----------------------------------------------------------------------------------
  // The first split of the network; empty if all hosts were always connected.
  const std::optional<Parting>& parted() const { return parted_; }
  bool is_up(int cable) const { return failures_[static_cast<std::size_t>(cable)] == 0; }

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
  std::vector<Link*> links_;             // links of the network, at index 2 · cable + side
  std::vector<SwitchDevice*> switches_;  // switches of the network, indexed by node
  std::vector<Carrier> hosts_;
  std::vector<unsigned> failures_;  // number of failures not yet repaired, for each cable
  std::vector<bool> known_gone_;    // true for each cable that the present routes avoid
  std::unique_ptr<Routing> detour_;
  std::multimap<PicoSeconds, Change> news_;  // link changes, by the time at which the routes follow
  Event converge_;
  // function that informs the subnet manager; null: routes follow after `convergence`
  std::function<void(int cable)> told_;
  // link changes that the routes do not follow yet, by the time of the change
  std::multimap<PicoSeconds, Change> untold_;
  std::optional<Parting> parted_;
};

}  // namespace dcc
