// An egress port with one queue per priority in the switch's shared buffer.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "sim/state_digest.h"
#include "switch/ecn_marker.h"
#include "switch/egress_port.h"
#include "switch/qcn_point.h"
#include "switch/switch_parameters.h"

namespace dcc {

/// An egress port that queues packets by priority and charges them to their inputs. The port marks
/// ECN, samples for congestion notification (802.1Qau), charges credits, and sends by the
/// EgressScheduler's choice.
///
/// Two send paths exist. A packet that finds the wire idle and nothing queued passes through: queue
/// and buffer do not change, and no event is scheduled. The results equal those of queueing the
/// packet (pass_through_test). Measured with callgrind: see SwitchDevice.
class QueueingPort final : public EgressPort {
 public:
  QueueingPort(PortContext& context, int number, const SwitchParameters& parameters,
               std::uint32_t rank);

  /// Changes the port's ECN marking; a phantom queue keeps its length. Throws std::invalid_argument
  /// as EcnMarker does.
  void set_ecn(const EcnParameters& ecn);
  /// Gives each queue its own ECN marking and limit; the port keeps one phantom queue. Throws
  /// std::invalid_argument as EcnMarker does.
  void set_queues(const PortSettings& settings);
  /// While `refuses` is true, the queue of this priority is empty and drops every packet.
  void set_refusal(int priority, bool refuses);
  /// Queues every packet from now on, so that set_refusal() misses none.
  void attend_all() {
    attends_all_ = true;
    update_attention();
  }

  // --- Packets --------------------------------------------------------------------------------
  /// Sends, queues or drops a packet.
  [[gnu::always_inline]] void enqueue(Packet* packet) {
    if (is_idle_for(*packet) && context_->ingress.buffer().can_pass_through(
                                    packet->ingress, packet->priority, packet->wire_bytes)) {
      pass_through(packet);
    } else if (admit(packet)) {
      join_queue(packet);
    }
  }
  /// Charges a packet to the shared buffer. Returns false if there was no room and the packet was
  /// counted and dropped.
  bool admit(Packet* packet) {
    return (!selective_ && context_->ingress.admit_freely(*packet)) || admit_by_rules(packet);
  }
  /// Queues a packet that admit() charged.
  void join_queue(Packet* packet);
  /// Sends the port's next packet or frame now, or when the wire is free.
  void try_send() {
    if (may_send_now()) send_next();
  }
  /// Removes all packets from the port, releases their share of the buffer, and appends the packets
  /// to `to`.
  void evict_all(PacketFifo& to);
  /// Prefetches the cache lines that queueing or sending a packet of this priority touches.
  void prefetch(int priority) const {
    prefetch_common();
    __builtin_prefetch(&queue_[static_cast<std::size_t>(priority)], 1);
    __builtin_prefetch(&ecn_, 1);
  }

  // --- Reading --------------------------------------------------------------------------------
  const QueueCounters& queue_counters(int priority) const {
    return rare().by_queue[static_cast<std::size_t>(priority)];
  }
  /// Greatest number of bytes that waited in the queue since restart_peaks(). A packet that leaves
  /// when it arrives does not wait.
  Bytes peak(int priority) const { return queue_[static_cast<std::size_t>(priority)].peak; }
  void restart_peaks() {
    for (Queue& queue : queue_) queue.peak = queue.bytes;
  }
  using EgressPort::bytes;
  Bytes bytes(int priority) const { return queue_[static_cast<std::size_t>(priority)].bytes; }
  /// Queued bytes that leave before a new packet of this priority, which are the bytes of the same
  /// and of higher priorities.
  Bytes bytes_before(int priority) const;
  /// True if a packet of this priority that came through `input` is queued. Searches the queue.
  bool holds_from(int input, int priority) const;
  /// Marks all queued packets of this priority that can be marked.
  void mark_all(int priority);
  void add_state(StateDigest& d) const {
    d(pfc_, free_at_, bytes_, tx_bytes_, waiting_, wire_free_, dequeued_, enqueued_, scheduler_,
      queue_, ecn_, rare().counters.ecn_marks, rare().counters.dropped, rare().counters.cnms_sent,
      turns_, qcn_, credits_);
  }

 private:
  /// Queue of the packets of one priority.
  struct alignas(32) Queue {
    PacketFifo fifo;  // packets in order of arrival, under Arbitration::kFifo
    Bytes bytes = 0;
    Bytes peak = 0;
    void add_state(StateDigest& d) const { d(fifo, bytes); }
  };
  /// Queue of one priority under Arbitration::kRoundRobin, with a list of packets for each input
  /// and a ring of the inputs that have packets.
  struct TurnQueue {
    struct Input {
      PacketFifo fifo;
      Input* next = nullptr;
    };
    std::unique_ptr<Input[]> inputs;  // lists of packets by input, allocated with the first packet
    Input* first = nullptr;
    Input* last = nullptr;

    void append(Input& input);
    void add_state(StateDigest& d) const {
      for (const Input* input = first; input != nullptr;
           input = input == last ? nullptr : input->next) {
        d(input->fifo);
      }
    }
  };

  /// Rules of one queue (set_queues()).
  struct QueueRule {
    EcnMarker marker;
    bool drops = false;  // true for WRED: packets that cannot be marked are dropped
    // the queue is limited to `limit`, or to alpha times the free bytes of `pool`
    bool limited = false;
    std::uint32_t alpha_q16 = 0;
    std::optional<Bytes> limit;
    int pool = 0;
    int egress_pool = 0;   // number of the egress pool that counts the queue; 0: none
    Bytes reserved = 0;    // bytes of the queue that its egress pool does not count
    bool refuses = false;  // set_refusal() makes the queue drop every packet

    Bytes beyond_reserved(Bytes held) const { return held > reserved ? held - reserved : 0; }
  };
  using QueueRules = std::array<QueueRule, kPriorities>;

  void send_next();
  void update_attention();
  QueueRules& make_rules();
  bool admit_by_rules(Packet* packet);
  bool accepts(const Packet& packet);
  bool has_room(const QueueRule& rule, Bytes held, Bytes bytes) const;
  [[gnu::noinline]] void handle_arrival(int priority, Bytes bytes);
  void count_in_egress_pool(int priority, Bytes before, Bytes after);
  EcnMarker& marker_of(int priority) {
    return ruled_ ? (*rules_)[static_cast<std::size_t>(priority)].marker : ecn_;
  }
  void prefetch_next() const { prefetch(first_waiting()); }
  void transmit(Packet* packet);
  int first_waiting() const { return waiting_ != 0 ? __builtin_ctz(waiting_) : 0; }
  void push(int priority, Packet* packet) {
    if (takes_turns_) return push_in_turn(priority, packet);
    queue_[static_cast<std::size_t>(priority)].fifo.push(packet);
  }
  Packet* pop(int priority) {
    if (takes_turns_) return pop_in_turn(priority);
    return queue_[static_cast<std::size_t>(priority)].fifo.pop();
  }
  void push_in_turn(int priority, Packet* packet);
  Packet* pop_in_turn(int priority);
  void mark_if_congested(const Queue& queue, Packet& packet, EcnParameters::MarkAt moment);
  [[gnu::cold, gnu::noinline]] void mark_by_all_rules(const Queue& queue, Packet& packet,
                                                      EcnParameters::MarkAt moment);
  void drop(Packet* packet);
  void handle_departure(int priority, Packet& packet, const Queue& queue);
  void charge_credits(int priority, Bytes bytes);
  void send_notification(const Packet& packet, std::uint32_t feedback);

  std::vector<TurnQueue> turns_;  // round-robin queues by priority; empty: Arbitration::kFifo
  // rules of the queues; null: ecn_ applies to all queues, and no queue is limited
  std::unique_ptr<QueueRules> rules_;
  std::vector<QcnPoint> qcn_;  // QCN points by priority; empty: QCN is off
  alignas(64) std::array<Queue, kPriorities> queue_;
  EcnMarker ecn_;
};

}  // namespace dcc
