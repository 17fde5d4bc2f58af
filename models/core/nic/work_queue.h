// The work of one queue pair: messages to send, where sending stands, what is acknowledged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// One posted piece of work: `bytes` to write, send or read, cut into messages of at most
/// `message_bytes` (each ends with a packet marked last) and those into packets of at most the MTU.
/// Of a read each message is one request, and the packets are those of its response. So it is of
/// an atomic operation, with messages of kAtomicBytes, which are answered in one packet.
struct WorkItem {
  std::uint64_t id = 0;  // the poster's own; comes back in the completion
  Bytes bytes = 0;
  Bytes message_bytes = 0;  // 0: one message
  std::uint64_t local_address = 0;
  std::uint64_t remote_address = 0;
  std::uint32_t immediate = 0;
  bool with_immediate = false;
  bool signalled = true;
  Operation operation = Operation::kWrite;  // a request's
  HostId remote_host = 0;                   // of a datagram
  Qpn remote_qpn = 0;
  AtomicOperands operands;

  template <class Digest>
  void add_state(Digest& d) const {
    d(id, bytes, message_bytes, local_address, remote_address, immediate, with_immediate, signalled,
      operation, remote_host, remote_qpn, operands.swap_or_add, operands.compare);
  }
};

/// Next packet of the queue: its size and place.
struct PacketPlan {
  std::uint32_t payload_bytes = 0;  // of a request to read: what it asks for
  std::uint32_t packets = 1;        // numbers it takes: one, or its response's
  bool first = false;
  bool last = false;       // of its message
  bool ends_item = false;  // last packet of its work item
  Bytes item_offset = 0;
  Bytes message_bytes = 0;  // of the message it belongs to
  const WorkItem* item = nullptr;
};

/// Go-back-N book-keeping: two cursors over the posted items, one for sending, one for the oldest
/// unacknowledged packet. Each step is O(1); nothing is stored per packet. A request to read is one
/// step of the first cursor and as many of the second as its response has packets.
class WorkQueue {
 public:
  explicit WorkQueue(std::uint32_t mtu) : mtu_(mtu) {}

  /// Precondition: item.bytes > 0.
  void post(const WorkItem& item);
  /// Drops what has not been sent yet: the item being sent ends with the packets already out.
  /// Returns how many items were dropped whole, without a packet sent.
  std::size_t truncate();
  /// What is left to send of the oldest item of which anything is; 0: all is out.
  Bytes unsent() const { return has_unsent() ? item_at(next_).bytes - next_.offset : 0; }
  /// As if so much of it had been sent and acknowledged, in the middle: what is out and what comes
  /// next stay what they are. Less than unsent(), a multiple of the MTU.
  void mark_delivered(Bytes bytes) {
    items_[static_cast<std::size_t>(next_.index - base_)].bytes -= bytes;
  }

  std::uint32_t mtu() const { return mtu_; }
  std::uint32_t packets_of(Bytes bytes) const {
    return static_cast<std::uint32_t>((bytes + mtu_ - 1) / mtu_);
  }
  bool has_unsent() const { return next_.index - base_ < items_.size(); }
  bool has_unacked() const { return una_.psn != next_.psn; }
  bool idle() const { return head_ == items_.size(); }
  std::size_t items() const { return items_.size() - head_; }

  Psn next_psn() const { return next_.psn; }
  Psn oldest_unacked() const { return una_.psn; }
  Bytes in_flight() const { return in_flight_; }
  /// Requests to read, and atomic ones, whose response is not whole.
  std::uint32_t reads_out() const { return reads_out_; }
  bool next_is_read() const { return expects_response(item_at(next_).operation); }

  /// What the next packet will be. Precondition: has_unsent().
  PacketPlan plan_next() const {
    PacketPlan packet = plan(next_);
    if (expects_response(packet.item->operation)) make_request(packet);
    return packet;
  }
  /// The oldest unacknowledged packet. Precondition: has_unacked().
  PacketPlan plan_oldest() const { return plan(una_); }
  /// The packet that plan_next() gave has gone: moves on.
  void sent(const PacketPlan& packet) {
    if (expects_response(packet.item->operation)) ++reads_out_;
    in_flight_ += packet.payload_bytes;
    step(next_, packet);
  }

  /// Everything before `psn` has arrived, but for what is read: that is not acknowledged by a
  /// number, it comes. Returns the payload bytes newly covered. Calls `completed(item)` for each
  /// item whose last packet is covered, in order.
  template <class Completed>
  Bytes acknowledge_before(Psn psn, Completed completed) {
    return cover_before(psn, false, completed);
  }
  /// The oldest unacknowledged packet, of a response, has come.
  template <class Completed>
  Bytes response_came(Completed completed) {
    return cover_before(una_.psn + 1, true, completed);
  }

  /// Gives up everything posted: `dropped(item)` for each item, oldest first.
  template <class Dropped>
  void flush(Dropped dropped) {
    next_.psn += next_.psn == una_.psn ? 0u : 1u;  // a late ACK covers nothing of what follows
    una_.psn = next_.psn;
    in_flight_ = 0;
    reads_out_ = 0;
    std::vector<WorkItem> items(items_.begin() + static_cast<std::ptrdiff_t>(head_), items_.end());
    base_ += items_.size();
    items_.clear();
    head_ = 0;
    next_.index = una_.index = base_;
    next_.offset = una_.offset = 0;
    next_.in_message = una_.in_message = 0;
    for (const WorkItem& item : items) dropped(item);
  }

  /// Sends again from the oldest unacknowledged packet. Returns how many packets that repeats.
  std::uint64_t go_back();

  template <class Digest>
  void add_state(Digest& d) const {
    d(items(), next_.index, next_.offset, next_.psn, una_.index, una_.offset, una_.psn, in_flight_,
      reads_out_);
    for (std::size_t i = head_; i < items_.size(); ++i) d(items_[i]);
  }

 private:
  struct Cursor {
    std::uint64_t index = 0;  // of the item, counted from the first ever posted
    Bytes offset = 0;         // in the item
    Bytes in_message = 0;     // offset in its message: kept, for a remainder a packet is dear
    Psn psn = 0;
  };
  template <class Completed>
  Bytes cover_before(Psn psn, bool response, Completed completed) {
    Bytes bytes = 0;
    while (una_.psn < psn && una_.psn < next_.psn) {
      const PacketPlan packet = plan(una_);
      if (expects_response(packet.item->operation)) {
        if (!response) break;
        if (packet.last) --reads_out_;
      }
      bytes += packet.payload_bytes;
      step(una_, packet);
      if (packet.ends_item) {
        const WorkItem done = items_[head_];
        drop_oldest();
        completed(done);
      }
    }
    in_flight_ -= bytes;
    return bytes;
  }
  void drop_oldest();
  const WorkItem& item_at(const Cursor& at) const {
    return items_[static_cast<std::size_t>(at.index - base_)];
  }
  // Here, for every packet has two of it.
  PacketPlan plan(const Cursor& at) const {
    const WorkItem& item = item_at(at);
    const Bytes left = item.bytes - at.offset;
    const Bytes message_left = std::min(item.message_bytes - at.in_message, left);
    PacketPlan packet;
    packet.payload_bytes = static_cast<std::uint32_t>(std::min<Bytes>(mtu_, message_left));
    packet.first = at.in_message == 0;
    packet.last = packet.payload_bytes == message_left;
    packet.ends_item = packet.payload_bytes == left;
    packet.message_bytes = at.in_message + message_left;
    packet.item_offset = at.offset;
    packet.item = &item;
    return packet;
  }
  void make_request(PacketPlan& packet) const;
  static void step(Cursor& at, const PacketPlan& packet) {
    at.psn += packet.packets;
    if (packet.ends_item) {
      ++at.index;
      at.offset = at.in_message = 0;
    } else {
      at.offset += packet.payload_bytes;
      at.in_message = packet.last ? 0 : at.in_message + packet.payload_bytes;
    }
  }

  std::uint32_t mtu_;
  std::vector<WorkItem> items_;  // from head_ on: posted and not fully acknowledged, oldest first
  std::size_t head_ = 0;
  std::uint64_t base_ = 0;  // index of items_[0], counted from the first ever posted
  Cursor next_;
  Cursor una_;
  Bytes in_flight_ = 0;
  std::uint32_t reads_out_ = 0;
};

}  // namespace dcc
