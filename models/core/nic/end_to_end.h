// End-to-end contexts of reliable datagrams (IBTA 9.7.8, 10.2.6): state that the queue pairs of two
// hosts share, so that reliability needs state for each pair of hosts, not for each pair of queue
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
#include "sim/state_digest.h"
#include "wire/packet.h"

namespace dcc {

/// End-to-end contexts of one NIC's sending half. A context carries one message at a time,
/// whichever queue pair sends it: the next message begins when the last packet of the previous one
/// is acknowledged. Queue pairs with work take turns, one message each. A queue pair and its
/// context must belong to the same reliable datagram domain.
class EndToEndContexts {
 public:
  /// `send` hands a message, as a work item of its own, to the work queue of a queue pair.
  using Send = std::function<void(Qpn qpn, const WorkItem& message)>;
  explicit EndToEndContexts(Send send) : send_(std::move(send)) {}

  /// Joins a queue pair to its context. The first queue pair gives the context its reliable
  /// datagram domain; a queue pair of another domain is not joined.
  void create(Qpn qpn, const QueuePairConfig& config);
  /// Removes a queue pair that has no message under way from its context.
  void destroy(Qpn qpn) { pairs_.erase(qpn); }
  bool has(Qpn qpn) const { return pairs_.find(qpn) != pairs_.end(); }
  bool has_work(Qpn qpn) const;

  /// Adds a work item to a queue pair, and sends the item's first message if the context is free.
  void post(Qpn qpn, const WorkItem& item);
  /// A message of `qpn` has ended, acknowledged or not. Returns the posted work item that ends with
  /// this message; empty if more messages of the item follow.
  std::optional<WorkItem> ended(Qpn qpn, const WorkItem& message, bool failed);
  /// Drops the work of a queue pair that was not yet cut into messages. `unsent`: no packet of the
  /// queue pair's current message was sent, so the context becomes free.
  void stop(Qpn qpn, bool unsent);
  /// Drops all work of a queue pair; calls `dropped(item)` for each posted work item, oldest first.
  template <class Dropped>
  void flush(Qpn qpn, Dropped dropped) {
    std::deque<Posted> items;
    items.swap(pairs_.at(qpn).items);
    for (const Posted& posted : items) dropped(posted.item);
  }

  void add_state(StateDigest& d) const {
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
  /// Name of a context: the remote host, and the number of the context among those of the two
  /// hosts.
  using Name = std::pair<HostId, std::uint8_t>;
  struct Context {
    std::uint8_t domain = 0;
    bool busy = false;
    Qpn sender = 0;         // queue pair whose message the context carries, valid while busy
    std::deque<Qpn> turns;  // queue pairs that wait for the context to send a message
  };
  struct Posted {
    WorkItem item;
    Bytes taken = 0;  // bytes of the oldest work item that were cut into messages
  };
  struct Pair {
    Name context;
    bool waits = false;  // the queue pair is listed in the context's `turns`
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
