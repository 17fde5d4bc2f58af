#include "nic/end_to_end.h"

#include <algorithm>

namespace dcc {

void EndToEndContexts::create(Qpn qpn, const QueuePairConfig& config) {
  const Name name{config.remote_host, config.ee_context};
  const auto at = contexts_.try_emplace(name, Context{config.rd_domain, false, 0, {}}).first;
  pairs_.erase(qpn);
  if (at->second.domain == config.rd_domain) pairs_[qpn] = Pair{name, false, {}};
}

bool EndToEndContexts::has_work(Qpn qpn) const {
  const auto at = pairs_.find(qpn);
  return at != pairs_.end() && !at->second.items.empty();
}

void EndToEndContexts::post(Qpn qpn, const WorkItem& item) {
  Pair& pair = pairs_.at(qpn);
  pair.items.push_back({item, 0});
  if (pair.items.back().item.message_bytes == 0) pair.items.back().item.message_bytes = item.bytes;
  Context& context = contexts_.at(pair.context);
  if (!context.busy || context.sender != qpn) wait(qpn, pair);
  next(context);
}

void EndToEndContexts::wait(Qpn qpn, Pair& pair) {
  if (pair.waits) return;
  pair.waits = true;
  contexts_.at(pair.context).turns.push_back(qpn);
}

/// Sends the next message of a context that is free.
void EndToEndContexts::next(Context& context) {
  while (!context.busy && !context.turns.empty()) {
    const Qpn qpn = context.turns.front();
    context.turns.pop_front();
    const auto at = pairs_.find(qpn);
    if (at == pairs_.end()) continue;
    Pair& pair = at->second;
    pair.waits = false;
    if (pair.items.empty()) continue;
    Posted& posted = pair.items.front();
    WorkItem message = posted.item;
    message.bytes = std::min(message.message_bytes, message.bytes - posted.taken);
    message.local_address += static_cast<std::uint64_t>(posted.taken);
    message.remote_address += static_cast<std::uint64_t>(posted.taken);
    posted.taken += message.bytes;
    message.with_immediate = message.with_immediate && posted.taken == posted.item.bytes;
    context.busy = true;
    context.sender = qpn;
    send_(qpn, message);
  }
}

/// Frees the end-to-end context if a message of the queue pair occupies it.
void EndToEndContexts::release(Qpn qpn, Pair& pair) {
  Context& context = contexts_.at(pair.context);
  if (context.sender == qpn) context.busy = false;
  next(context);
}

std::optional<WorkItem> EndToEndContexts::ended(Qpn qpn, const WorkItem& message, bool failed) {
  const auto at = pairs_.find(qpn);
  if (at == pairs_.end()) return message;
  Pair& pair = at->second;
  std::optional<WorkItem> done;
  if (pair.items.empty()) {
    done = message;  // the rest of the message's work item was dropped
  } else {
    const Posted& posted = pair.items.front();
    if (failed || posted.taken == posted.item.bytes) {
      done = posted.item;
      pair.items.pop_front();
    }
  }
  if (!failed && !pair.items.empty()) wait(qpn, pair);
  release(qpn, pair);
  return done;
}

void EndToEndContexts::stop(Qpn qpn, bool unsent) {
  Pair& pair = pairs_.at(qpn);
  pair.items.clear();
  if (unsent) release(qpn, pair);
}

}  // namespace dcc
