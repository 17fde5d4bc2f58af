// Posted work of one queue pair, and how far the work is sent and acknowledged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/state_digest.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

/// One posted work request: `bytes` to write, send or read. The item is cut into messages of at
/// most `message_bytes`, whose last packet is marked, and each message into packets of at most the
/// MTU. Each message of a READ is one request, and its packets are those of the response. An atomic
/// operation consists of messages of kAtomicBytes, each with a response of one packet.
struct WorkItem {
  std::uint64_t id = 0;  // number chosen by the poster and returned in the completion
  Bytes bytes = 0;
  Bytes message_bytes = 0;  // payload bytes of a message; 0: the item is one message
  std::uint64_t local_address = 0;
  std::uint64_t remote_address = 0;
  std::uint32_t immediate = 0;
  bool with_immediate = false;
  bool signalled = true;
  // operation of the request; never the operation of a response
  Operation operation = Operation::kWrite;
  HostId remote_host = 0;  // destination of a datagram
  Qpn remote_qpn = 0;
  AtomicOperands operands;

  void add_state(StateDigest& d) const {
    d(id, bytes, message_bytes, local_address, remote_address, immediate, with_immediate, signalled,
      operation, remote_host, remote_qpn, operands.swap_or_add, operands.compare);
  }
};

/// Size and position of one packet of a work item.
struct PacketPlan {
  // payload of the packet; for a READ request, the requested bytes
  std::uint32_t payload_bytes = 0;
  // sequence numbers that the packet uses: 1, or the number of response packets
  std::uint32_t packets = 1;
  bool first = false;
  bool last = false;       // the packet is the last one of its message
  bool ends_item = false;  // the packet is the last one of its work item
  Bytes item_offset = 0;
  Bytes message_bytes = 0;  // payload bytes of the message that the packet belongs to
  const WorkItem* item = nullptr;
};

/// Go-back-N state of one queue pair: two cursors over the posted items, one at the next packet to
/// send, one at the oldest unacknowledged packet. Each step takes constant time, and nothing is
/// stored per packet. A READ request is one step of the first cursor, and one step of the second
/// cursor for each packet of its response.
class WorkQueue {
 public:
  explicit WorkQueue(std::uint32_t mtu) : mtu_(mtu) {}

  /// Adds a work item. Precondition: item.bytes > 0.
  void post(const WorkItem& item);
  /// Drops all packets that were never sent. The work item being sent ends with its last sent
  /// packet. Returns the number of items of which no packet was sent.
  std::size_t truncate();
  /// Bytes left to send of the oldest work item that is not completely sent; 0: none.
  Bytes unsent() const { return has_unsent() ? item_at(next_).bytes - next_.offset : 0; }
  /// Bytes left to send of the newest work item if every older one is completely sent, else Bytes
  /// max.
  Bytes left_of_last() const {
    return next_.index - base_ + 1 < items_.size() ? std::numeric_limits<Bytes>::max() : unsent();
  }
  /// Marks `bytes` of the oldest unsent work item as delivered without sending them (fast-forward
  /// only). Outstanding packets and the next packet stay the same. Precondition: a multiple of the
  /// MTU, less than unsent().
  void mark_delivered(Bytes bytes) {
    furthest_ = next_;
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
  /// Number of READ and atomic requests whose response is not complete.
  std::uint32_t reads_out() const { return reads_out_; }
  bool next_is_read() const { return expects_response(item_at(next_).operation); }

  /// The next packet to send. Precondition: has_unsent().
  PacketPlan plan_next() const {
    PacketPlan packet = plan(next_);
    if (expects_response(packet.item->operation)) make_request(packet);
    return packet;
  }
  /// The oldest unacknowledged packet. Precondition: has_unacked().
  PacketPlan plan_oldest() const { return plan(una_); }
  /// The packet that plan_next() returned was sent.
  void sent(const PacketPlan& packet) {
    if (expects_response(packet.item->operation)) ++reads_out_;
    in_flight_ += packet.payload_bytes;
    step(next_, packet);
  }

  /// Acknowledges all packets before `psn` up to the first READ or atomic request without a
  /// complete response: only response_arrived() completes that request. Returns the payload bytes
  /// newly acknowledged. Calls `completed(item)` for each completed work item, in order.
  template <class Completed>
  Bytes acknowledge_before(Psn psn, Completed completed) {
    return cover_before(psn, false, completed);
  }
  /// The response packet with the oldest unacknowledged sequence number arrived.
  template <class Completed>
  Bytes response_arrived(Completed completed) {
    return cover_before(una_.psn + 1, true, completed);
  }

  /// Drops all posted work items. Calls `dropped(item)` for each of them, oldest first.
  template <class Dropped>
  void flush(Dropped dropped) {
    // a late ACK must not cover a work item posted later
    next_.psn += next_.psn == una_.psn ? 0u : 1u;
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
    furthest_ = next_;
    for (const WorkItem& item : items) dropped(item);
  }

  /// A position among the posted packets.
  struct Cursor {
    std::uint64_t index = 0;  // number of the work item, counted from the first one posted
    Bytes offset = 0;         // byte offset of the packet in its work item
    Bytes in_message =
        // byte offset of the packet in its message; stored because a division per packet is slow
        0;
    Psn psn = 0;
  };
  // Cursor at the oldest packet that was sent and is not acknowledged, for selective repeat.
  Cursor oldest() const { return una_; }
  // Cursor at the next packet, for packets that are announced before they are sent; holds() is
  // false if a cursor is behind the last posted packet.
  Cursor next() const { return next_; }
  bool holds(const Cursor& at) const { return at.index - base_ < items_.size(); }
  /// The packet at a cursor. Precondition: oldest_unacked() <= at.psn, and the packet is posted.
  PacketPlan plan_at(const Cursor& at) const { return plan(at); }
  /// Moves the cursor to the next packet.
  void pass(Cursor& at) const { step(at, plan(at)); }

  /// Moves the sending cursor back to the oldest unacknowledged packet. Returns the number of
  /// packets to repeat.
  std::uint64_t go_back();
  /// The receiver has every packet before `psn`, although go_back() withdrew some of them. Moves
  /// the sending cursor over the withdrawn packets, so that acknowledge_before() covers them. Stops
  /// at a READ or atomic request, whose response must come first. Returns the number of packets
  /// that need not be repeated.
  std::uint64_t restore(Psn psn);

  void add_state(StateDigest& d) const {
    d(items(), next_.index, next_.offset, next_.psn, una_.index, una_.offset, una_.psn, in_flight_,
      reads_out_, std::max(furthest_.psn, next_.psn));
    for (std::size_t i = head_; i < items_.size(); ++i) d(items_[i]);
  }

 private:
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
  // Size and position of the packet at a cursor; inline, since each packet calls it twice.
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

  // Members that a sent packet uses fill the first cache line and the beginning of the second.
  Cursor next_;
  // work items that are not completely acknowledged, from index head_ on
  std::vector<WorkItem> items_;
  std::uint64_t base_ = 0;  // number of the work item items_[0], counted from the first one posted
  std::uint32_t mtu_;
  std::uint32_t reads_out_ = 0;
  Bytes in_flight_ = 0;
  std::size_t head_ = 0;
  Cursor una_;
  Cursor furthest_;  // value of next_ before go_back(); used only while ahead of next_
};

}  // namespace dcc
