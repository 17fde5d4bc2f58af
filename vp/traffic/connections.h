// Records which queue pairs of hosts with software exist, and which are joined.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "nic/nic_parameters.h"

namespace dcc::vp {

/// Joins two ends when the registers of each name the other and both have the same service: a
/// connection manager's handshake without its time. Planned flows follow the same rule, since their
/// registers name each other.
///
/// Packet numbers begin at 0 at both ends, so a connection needs two fresh ends. If one end of a
/// connection is created anew, the other end is broken: its work fails until it is created anew,
/// too. A queue pair for datagrams has no other end. An unreliable queue pair that is not planned
/// sends whether its other end exists or not.
class Connections {
 public:
  using Action = std::function<void(HostId, Qpn)>;
  void on_connected(Action action) { connect_ = std::move(action); }
  /// Sets the function that is called for an end whose other end was created anew.
  void on_broken(Action action) { break_ = std::move(action); }

  /// Records that a queue pair was created. `planned`: its end belongs to a flow of the plan.
  /// `first`: the end is the first of the two to be connected.
  void created(HostId host, Qpn qpn, const QueuePairConfig& config, bool planned, bool first);
  void destroyed(HostId host, Qpn qpn) { ends_.erase({host, qpn}); }
  /// Must be called when work of this end failed because its other end was not created in time.
  void given_up(HostId host, Qpn qpn);

  /// Sentences on ends whose work failed or waits for another end; empty if all ends are connected.
  std::vector<std::string> notes(HostId hosts) const;

 private:
  using Address = std::pair<HostId, Qpn>;
  struct End {
    Address peer;
    Service service = Service::kRc;
    bool connected = false;
    bool broken = false;  // true if the other end of the connection was created anew
  };
  std::string missing(const Address& address, const End& end, HostId hosts) const;

  Action connect_;
  Action break_;
  std::map<Address, End> ends_;
  std::map<Address, End> given_up_;
};

}  // namespace dcc::vp
