// Records completion times of the messages of one NIC's queue pairs, whatever number of messages a
// queue pair sends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "units.h"

namespace dcc {

/// Measures the time of each message from the sending of its first packet to the acknowledgement of
/// its last one. A packet that is sent again changes nothing, so the time includes the repair of
/// losses.
class MessageTimes {
 public:
  /// Records that packets [psn, next) of queue pair `qpn` are sent. `first` and `last` tell the
  /// packets' place within their message of `bytes` bytes. Packet numbers below an earlier `next`
  /// are retransmissions.
  void sent(std::uint32_t qpn, std::uint64_t psn, std::uint64_t next, bool first, bool last,
            Bytes bytes, PicoSeconds now) {
    if (qpn >= pairs_.size()) pairs_.resize(qpn + 1);
    Pair& pair = pairs_[qpn];
    if (psn < pair.next) return;
    pair.next = next;
    if (first) pair.begun = now;
    if (!last) return;
    if (pair.begun != PicoSeconds::max()) pair.open.push_back({next, pair.begun, bytes});
    pair.begun = PicoSeconds::max();
  }

  /// Records that all packets below `psn` are acknowledged. Calls visit(bytes, time) for every
  /// message that is complete now.
  template <class Visit>
  void acknowledged(std::uint32_t qpn, std::uint64_t psn, PicoSeconds now, Visit visit) {
    if (qpn >= pairs_.size()) return;
    std::vector<Message>& open = pairs_[qpn].open;
    std::size_t done = 0;
    for (; done < open.size() && open[done].next <= psn; ++done) {
      visit(open[done].bytes, now - open[done].begun);
    }
    open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(done));
  }

  /// Forgets a queue pair, which was created anew and numbers its packets from 0.
  void forget(std::uint32_t qpn) {
    if (qpn < pairs_.size()) pairs_[qpn] = Pair();
  }

 private:
  struct Message {
    std::uint64_t next = 0;  // one above the sequence number of the message's last packet
    PicoSeconds begun{};
    Bytes bytes = 0;
  };
  struct Pair {
    std::uint64_t next = 0;  // one above the greatest packet number that the queue pair sent
    // time at which the present message's first packet was sent; max(): no message
    PicoSeconds begun = PicoSeconds::max();
    std::vector<Message> open;  // messages of the queue pair that are sent and not yet acknowledged
  };
  std::vector<Pair> pairs_;  // records of messages, by queue pair number
};

}  // namespace dcc
