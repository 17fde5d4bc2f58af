// Records which queue pairs of hosts with software exist, and which queue pairs are connected.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "nic/nic_parameters.h"

namespace dcc::vp {

/// Connects two queue pairs when the registers of each name the other and both have the same
/// service, like a connection manager's handshake that takes no time. Planned flows follow the same
/// rule, since their registers name each other. Packet numbers begin at 0 at both ends, so a
/// connection needs two fresh queue pairs. If software creates one queue pair of a connection anew,
/// the other queue pair is broken: its work fails until it is created anew, too. A queue pair for
/// datagrams has no peer. An unreliable queue pair outside the plan sends whether or not its peer
/// exists.
class Connections {
 public:
  using Action = std::function<void(HostId, Qpn)>;
  void on_connected(Action action) { connect_ = std::move(action); }
  /// Sets the function that is called for a queue pair whose peer was created anew.
  void on_broken(Action action) { break_ = std::move(action); }

  /// Records that a queue pair was created. `planned`: the queue pair belongs to a flow of the
  /// plan. `first`: the queue pair is the first of the two to be connected.
  void created(HostId host, Qpn qpn, const QueuePairConfig& config, bool planned, bool first);
  void destroyed(HostId host, Qpn qpn) { ends_.erase({host, qpn}); }
  /// Records that work of a queue pair failed because its peer was not created in time.
  void given_up(HostId host, Qpn qpn);

  /// Sentences on queue pairs whose work failed or waits for a peer; empty if all queue pairs are
  /// connected.
  std::vector<std::string> notes(HostId hosts) const;

 private:
  using Address = std::pair<HostId, Qpn>;
  struct End {
    Address peer;
    Service service = Service::kRc;
    bool connected = false;
    bool broken = false;  // true if the peer of the connection was created anew
  };
  std::string missing(const Address& address, const End& end, HostId hosts) const;

  Action connect_;
  Action break_;
  std::map<Address, End> ends_;
  std::map<Address, End> given_up_;
};

}  // namespace dcc::vp
