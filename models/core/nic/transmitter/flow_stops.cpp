// The part of the transmitter that stops the packets to one host when the switch asks for it.
#include <algorithm>

#include "nic/transmitter.h"

namespace dcc {

bool Transmitter::is_stopped(HostId host) const {
  return std::find(stopped_hosts_.begin(), stopped_hosts_.end(), host) != stopped_hosts_.end();
}

// Queue pairs of unreliable datagrams have no fixed remote host and are not stopped. A pacer block
// would not learn of the stop, so configurations refuse a pacer block together with a discipline
// that stops flows.
void Transmitter::on_flow_pause(HostId host, bool stop) {
  const bool before = is_stopped(host);
  if (stop) {
    stopped_hosts_.push_back(host);
  } else if (before) {
    stopped_hosts_.erase(std::find(stopped_hosts_.begin(), stopped_hosts_.end(), host));
  }
  if (is_stopped(host) == before) return;
  pairs_.each([&](Qpn qpn, SendQueuePair& pair) {
    if (!pair.created || pair.config.remote_host != host) return;
    if (pair.config.service == Service::kUd) return;
    pair.open = pair.connected && !stop;
    stop ? pacing_.deactivate(qpn) : activate_if_sendable(qpn, pair);
  });
  try_send();
}

}  // namespace dcc
