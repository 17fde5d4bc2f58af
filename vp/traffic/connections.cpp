#include "traffic/connections.h"

#include <fmt/format.h>

namespace dcc::vp {

void Connections::created(HostId host, Qpn qpn, const QueuePairConfig& config, bool planned,
                          bool first) {
  const Address address{host, qpn};
  const Address peer{config.remote_host, config.remote_qpn};
  End& end = ends_[address] = {peer, config.service};
  if (config.service == Service::kUd) {
    end.connected = true;
    return;
  }
  if (config.service == Service::kUc && !planned) {
    end.connected = true;
    connect_(host, qpn);
    return;
  }
  const auto found = ends_.find(peer);
  if (found == ends_.end() || found->second.peer != address ||
      found->second.service != config.service) {
    return;
  }
  End& other = found->second;
  if (other.connected) {
    // Breaks the connection: the other end was connected to the previous queue pair of this number.
    other.connected = false;
    other.broken = true;
    break_(peer.first, peer.second);
    return;
  }
  if (other.broken) return;
  end.connected = other.connected = true;
  for (const Address& one : {first ? address : peer, first ? peer : address}) {
    connect_(one.first, one.second);
    if (address == peer) return;
  }
}

void Connections::given_up(HostId host, Qpn qpn) {
  const auto end = ends_.find({host, qpn});
  if (end != ends_.end()) given_up_.insert(*end);
}

/// Returns the reason why the queue pair's end is not connected, as text for the user.
std::string Connections::missing(const Address& address, const End& end, HostId hosts) const {
  if (end.peer.first >= hosts) {
    return fmt::format("the network has hosts 0 to {} only", hosts - 1);
  }
  const auto found = ends_.find(end.peer);
  if (found == ends_.end()) {
    return fmt::format("host {} has no queue pair {}", end.peer.first, end.peer.second);
  }
  const End& other = found->second;
  if (other.peer != address) {
    return fmt::format("that one is for queue pair {} of host {}", other.peer.second,
                       other.peer.first);
  }
  if (other.service != end.service) return "that one is of another service (QP_SERVICE)";
  return "only one of the two ends was created anew";
}

std::vector<std::string> Connections::notes(HostId hosts) const {
  std::vector<std::string> notes;
  std::size_t more = 0;
  const auto tell = [&](const Address& address, const End& end, const char* outcome) {
    if (!notes.empty()) {
      ++more;
      return;
    }
    notes.push_back(fmt::format(
        "host {}: queue pair {} names queue pair {} of host {} (QP_REMOTE_QPN, QP_REMOTE_HOST), "
        "and {}: {}",
        address.first, address.second, end.peer.second, end.peer.first,
        missing(address, end, hosts), outcome));
  };
  for (const auto& [address, end] : given_up_) {
    tell(address, end, "its work has completed with RETRY_EXCEEDED");
  }
  for (const auto& [address, end] : ends_) {
    if (!end.connected && given_up_.count(address) == 0) tell(address, end, "it sends nothing");
  }
  if (more != 0) notes.back() += fmt::format("; so for {} more queue pairs", more);
  return notes;
}

}  // namespace dcc::vp
