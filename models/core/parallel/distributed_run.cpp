#include "parallel/distributed_run.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <stdexcept>

namespace dcc {

namespace {
/// Header of a message between processes. The text of a failure follows, if there is one, then the
/// packed items.
struct Header {
  // time of the sending process's first event, or of the message's first item if that is earlier
  std::int64_t next = 0;
  std::uint64_t failure_bytes = 0;
};

// Reported instead of a time when a process has items that were put but not sent; below every time.
constexpr std::int64_t kWaiting = -1;
}  // namespace

DistributedRun::DistributedRun(ProcessGroup& group, PicoSeconds lookahead)
    : PartitionedRun(lookahead),
      group_(group),
      to_(group.size(), Mailbox(outgoing_)),
      unused_(outgoing_),
      sent_(group.size()),
      received_(group.size()) {
  assert(lookahead.count > 0);
  for (unsigned p = 0; p < group.size(); ++p) schedulers_.push_back(std::make_unique<Scheduler>());
}

DistributedRun::~DistributedRun() = default;

Mailbox& DistributedRun::mailbox(unsigned from, unsigned to) {
  return from == group_.rank() ? to_[to] : unused_;
}

PicoSeconds DistributedRun::next_time() {
  return PicoSeconds(group_.least(std::min(own().next_time(), outgoing_.earliest[0]).count));
}

// Exchanges the items that were put between windows. A window ends with an exchange, which delivers
// the items put within the window. Items put between two windows must be exchanged before the next
// window, or the items would arrive after events of that window.
PicoSeconds DistributedRun::cross() {
  const bool waiting = outgoing_.earliest[0] != PicoSeconds::max();
  const std::int64_t first = group_.least(waiting ? kWaiting : own().next_time().count);
  return first == kWaiting ? exchange("") : PicoSeconds(first);
}

void DistributedRun::run_until(PicoSeconds end) {
  PicoSeconds first = cross();
  while (first <= end) first = exchange(run_window(window_end(first, end)));
  for (const auto& scheduler : schedulers_) scheduler->advance_to(end);
}

/// Runs one window up to `end`. Returns the text of the failure; empty if the window ran without
/// one.
std::string DistributedRun::run_window(PicoSeconds end) {
  try {
    own().run_until(end);
    return "";
  } catch (const std::exception& failure) {
    failure_ = std::current_exception();
    const std::string what = failure.what();
    return what.empty() ? "unknown failure" : what;
  }
}

PicoSeconds DistributedRun::exchange(const std::string& failure) {
  const PicoSeconds next = std::min(own().next_time(), outgoing_.earliest[0]);
  const Header header{next.count, failure.size()};
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&header);
  for (unsigned p = 0; p < partitions(); ++p) {
    ProcessGroup::Message& message = sent_[p];
    message.assign(bytes, bytes + sizeof header);
    message.insert(message.end(), failure.begin(), failure.end());
    to_[p].hand_over(0,
                     [&](void* receiver, void* item) { courier_->pack(receiver, item, message); });
  }
  outgoing_.fill(0);
  group_.exchange(sent_, received_);

  PicoSeconds first(header.next);
  std::string failed = failure;
  for (unsigned p = 0; p < partitions(); ++p) {
    if (p == group_.rank()) continue;
    const ProcessGroup::Message& message = received_[p];
    Header theirs;
    assert(message.size() >= sizeof theirs);
    std::memcpy(&theirs, message.data(), sizeof theirs);
    first = std::min(first, PicoSeconds(theirs.next));
    const unsigned char* const text = message.data() + sizeof theirs;
    if (theirs.failure_bytes != 0 && failed.empty()) {
      failed.assign(text, text + theirs.failure_bytes);
    }
    if (failed.empty()) courier_->unpack(text, message.data() + message.size());
  }
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  if (!failed.empty()) throw std::runtime_error(failed);
  return first;
}

}  // namespace dcc
