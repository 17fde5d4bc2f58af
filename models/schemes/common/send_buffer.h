// The messages that one queue pair sends, cut into packets, and the record of arrived packets.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <deque>

#include "nic/work_queue.h"
#include "schemes/common/sequence_set.h"
#include "sim/state_digest.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// Every work item is one message, cut into packets of the MTU and a last packet with the rest.
/// Packet numbers start at 0 and run through all messages.
class SendBuffer {
 public:
  explicit SendBuffer(std::uint32_t mtu) : mtu_(mtu) {}

  struct Cut {
    std::uint32_t payload_bytes = 0;
    bool first = false;  // true for the first packet of a message
    bool last = false;
    Bytes message_bytes = 0;
    Bytes offset = 0;  // byte offset of the packet within its message
  };

  /// Adds a message to those that the queue pair sends. Precondition: item.bytes > 0.
  void post(const WorkItem& item) {
    messages_.push_back({end_, end_ + packets_in(item.bytes), item});
    end_ = messages_.back().end;
    undelivered_ += item.bytes;
  }
  /// Removes the packets from `next` on: the message that contains `next` becomes shorter, later
  /// messages are removed. Calls `completed(item)` if the remaining packets of the shortened
  /// message were delivered already.
  template <class Completed>
  void truncate(Psn next, Completed completed) {
    while (!messages_.empty() && messages_.back().begin >= next) {
      undelivered_ -= messages_.back().item.bytes;
      messages_.pop_back();
    }
    if (!messages_.empty() && messages_.back().end > next) {
      Message& current = messages_.back();
      const Bytes left = static_cast<Bytes>(next - current.begin) * mtu_;
      undelivered_ -= current.item.bytes - left;
      current.item.bytes = left;
      current.end = next;
    }
    end_ = std::min(end_, next);
    complete(completed);
  }

  std::uint32_t mtu() const { return mtu_; }
  /// One above the number of the last packet of the posted messages.
  Psn end() const { return end_; }
  /// Payload bytes that are posted and not yet acknowledged.
  Bytes undelivered() const { return undelivered_; }
  bool delivered(Psn psn) const { return delivered_.contains(psn); }
  Psn first_undelivered() const { return delivered_.first_missing(); }

  /// The position and size of the packet with this number. Precondition: psn < end(), and the
  /// packet's message is not complete.
  Cut cut(Psn psn) const {
    const Message& m = message_of(psn);
    Cut cut;
    cut.offset = static_cast<Bytes>(psn - m.begin) * mtu_;
    cut.message_bytes = m.item.bytes;
    cut.payload_bytes =
        static_cast<std::uint32_t>(std::min<Bytes>(mtu_, m.item.bytes - cut.offset));
    cut.first = psn == m.begin;
    cut.last = psn + 1 == m.end;
    return cut;
  }

  /// Records that a packet has arrived and returns its payload bytes, 0 if the arrival was known
  /// already. Calls `completed(item)` for each message that the packet completes, oldest first.
  template <class Completed>
  Bytes deliver(Psn psn, Completed completed) {
    if (psn >= end_ || delivered_.contains(psn)) return 0;
    const Bytes bytes = cut(psn).payload_bytes;
    delivered_.insert(psn);
    undelivered_ -= bytes;
    complete(completed);
    return bytes;
  }
  /// Removes all messages of the queue pair; calls `dropped(item)` for each.
  template <class Dropped>
  void flush(Dropped dropped) {
    for (const Message& message : messages_) dropped(message.item);
    messages_.clear();
    undelivered_ = 0;
  }

  void add_state(StateDigest& d) const { d(messages_, end_, undelivered_, delivered_); }

 private:
  /// Removes the messages at the front of the list that are completely delivered.
  template <class Completed>
  void complete(Completed& completed) {
    while (!messages_.empty() && messages_.front().end <= delivered_.first_missing()) {
      const WorkItem done = messages_.front().item;
      messages_.pop_front();
      completed(done);
    }
  }

  struct Message {
    Psn begin = 0;
    Psn end = 0;
    WorkItem item;
    void add_state(StateDigest& d) const { d(begin, end, item); }
  };
  Psn packets_in(Bytes bytes) const { return static_cast<Psn>((bytes + mtu_ - 1) / mtu_); }
  const Message& message_of(Psn psn) const {
    const auto behind =
        std::upper_bound(messages_.begin(), messages_.end(), psn,
                         [](Psn p, const Message& message) { return p < message.begin; });
    assert(behind != messages_.begin() && psn < std::prev(behind)->end);
    return *std::prev(behind);
  }

  std::uint32_t mtu_;
  std::deque<Message> messages_;  // messages that are not completely delivered, oldest first
  Psn end_ = 0;
  Bytes undelivered_ = 0;
  SequenceSet delivered_;
};

}  // namespace dcc
