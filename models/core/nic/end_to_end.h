// End-to-end contexts of reliable datagrams (IBTA 9.7.8, 10.2.6): what the queue pairs of two hosts
// share, so that reliability takes state for each pair of hosts and not for each pair of queue
// pairs.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "nic/nic_parameters.h"
#include "nic/work_queue.h"
#include "wire/packet.h"

namespace dcc {

/// The contexts of one NIC's sending half. A context carries one message at a time: the next begins
/// when the last packet of the one before is acknowledged, whichever queue pairs they are of. Queue
/// pairs with work take turns, a message each. A queue pair and its context must be of one reliable
/// datagram domain.
class EndToEndContexts {
 public:
  /// `send` hands a message, as an item of its own, to a queue pair's work queue.
  using Send = std::function<void(Qpn qpn, const WorkItem& message)>;
  explicit EndToEndContexts(Send send) : send_(std::move(send)) {}

  /// Joins a queue pair to its context. The first queue pair of a context gives it its domain; one
  /// of another domain is not joined.
  void create(Qpn qpn, const QueuePairConfig& config);
  /// Forgets a queue pair that has no message under way.
  void destroy(Qpn qpn) { pairs_.erase(qpn); }
  bool has(Qpn qpn) const { return pairs_.find(qpn) != pairs_.end(); }
  bool has_work(Qpn qpn) const;

  /// Adds work, and sends its first message if the context is free.
  void post(Qpn qpn, const WorkItem& item);
  /// A message has ended, acknowledged or not. Returns the posted item that ends with it; empty:
  /// more messages of the item follow.
  std::optional<WorkItem> ended(Qpn qpn, const WorkItem& message, bool failed);
  /// Drops what no message has taken yet of a queue pair's work. `unsent`: nothing of its message
  /// was sent, so the context is free.
  void stop(Qpn qpn, bool unsent);
  /// Drops all work of a queue pair; calls `dropped(item)` for each posted item, oldest first.
  template <class Dropped>
  void flush(Qpn qpn, Dropped dropped) {
    std::deque<Posted> items;
    items.swap(pairs_.at(qpn).items);
    for (const Posted& posted : items) dropped(posted.item);
  }

  template <class Digest>
  void add_state(Digest& d) const {
    for (const auto& [name, context] : contexts_) {
      d(name.first, name.second, context.domain, context.busy, context.sender);
      for (const Qpn qpn : context.turns) d(qpn);
    }
    for (const auto& [qpn, pair] : pairs_) {
      d(qpn);
      for (const Posted& posted : pair.items) d(posted.item, posted.taken);
    }
  }

 private:
  /// The remote host, and the number of one of the contexts between the two hosts.
  using Name = std::pair<HostId, std::uint8_t>;
  struct Context {
    std::uint8_t domain = 0;
    bool busy = false;
    Qpn sender = 0;         // queue pair of the message under way, valid while busy
    std::deque<Qpn> turns;  // queue pairs that wait to send a message
  };
  struct Posted {
    WorkItem item;
    Bytes taken = 0;  // bytes that messages have taken
  };
  struct Pair {
    Name context;
    bool waits = false;  // true if it is among the context's turns
    std::deque<Posted> items;
  };
  void wait(Qpn qpn, Pair& pair);
  void release(Qpn qpn, Pair& pair);
  void next(Context& context);

  const Send send_;
  std::map<Name, Context> contexts_;
  std::map<Qpn, Pair> pairs_;
};

}  // namespace dcc
