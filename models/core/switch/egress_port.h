// One egress port of a switch: the part that both kinds of port share.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "fabric/path_choice.h"
#include "sim/random.h"
#include "sim/scheduler.h"
#include "stats/queue_statistics.h"
#include "switch/credits.h"
#include "switch/egress_scheduler.h"
#include "switch/ingress_control.h"
#include "switch/pause_times.h"
#include "switch/pfc.h"
#include "switch/switch_counters.h"
#include "units.h"
#include "wire/link.h"
#include "wire/packet.h"

namespace dcc {

/// Objects and settings that all ports of one switch share.
struct PortContext {
  /// Memory that sending through a port touches. The entries of all ports lie close together, so
  /// that a prefetch does not have to read the port itself.
  struct Wire {
    const PacketOut* out = nullptr;
    unsigned lines = 0;  // number of cache lines of `out` that send() uses
    const QueueStatistics* statistics = nullptr;

    void prefetch() const {
      const auto* const first = reinterpret_cast<const char*>(out);
      for (unsigned line = 0; line < lines; ++line) __builtin_prefetch(first + 64u * line, 1);
      __builtin_prefetch(statistics, 1);
    }
  };

  Scheduler& scheduler;
  PacketPool& pool;
  RandomStream& random;
  IngressControl& ingress;
  EgressPorts& ports;
  // load balancer that is notified of departures; null: none
  PathChoice* departure_observer = nullptr;
  bool queue_all = false;              // true: every packet is queued, none passes through
  bool needs_reverse_packets = false;  // DisciplinePort: the discipline sees reverse packets
  QcnPointParameters qcn;
  std::vector<Wire> wires;                  // wire of each port
  SwitchPauseTimes* pause_times = nullptr;  // null: pauses last until they are resumed
  /// Routes a packet that the switch itself created, and sends it.
  std::function<void(Packet*)> forward_own;
  /// Bytes that queues of all ports share (QueueRule::egress_pool).
  struct EgressPool {
    Bytes size = 0;
    Bytes used = 0;
    Bytes free() const { return used < size ? size - used : 0; }
  };
  std::vector<EgressPool> egress_pools;  // pools with the numbers 1, 2, …
};

/// Wire, flow control towards the neighbour, statistics and the event "wire is free". A port is a
/// QueueingPort or a DisciplinePort, all ports of a switch of the same kind. There is no virtual
/// function: the event calls the kind's own try_send_next(), and EgressPorts knows the kind.
///
/// The fields that every packet touches fill two cache lines: the last line of `pfc_`, and the line
/// behind the event. A large network does not fit into the caches, and loading these lines takes
/// most of its run time.
class alignas(64) EgressPort {
 public:
  // --- Building -------------------------------------------------------------------------------
  void set_wire(PacketOut& out);
  /// `credits`: null for a port without credits.
  void set_link(const LinkParameters& link, std::unique_ptr<LaneCredits> credits) {
    link_ = link;
    credits_ = std::move(credits);
  }
  void set_rate(BitRate rate) { link_.rate = rate; }
  /// Statistics of the queue, all priorities together; null to stop. Not owned.
  void observe(QueueStatistics* statistics);
  /// Replaces the choice among priorities. Call before the first packet, before set_queues().
  /// Throws std::invalid_argument as EgressScheduler does.
  void set_scheduler(const EgressSchedulerParameters& parameters) {
    scheduler_ = EgressScheduler(parameters);
  }
  /// Changes the weights of the priorities. Throws std::invalid_argument as EgressScheduler does.
  void change_weights(const EgressSchedulerParameters& parameters) {
    scheduler_.change_weights(parameters);
  }
  /// Replaces the port's tables of virtual lane arbitration. Throws as EgressScheduler does.
  void set_tables(const VlArbitrationParameters& tables) { scheduler_.set_tables(tables); }

  // --- Flow control ---------------------------------------------------------------------------
  PfcPort& pfc() { return pfc_; }
  const PfcPort& pfc() const { return pfc_; }
  /// Credits of the port's link; null without credits.
  LaneCredits* credits() { return credits_.get(); }
  const LaneCredits* credits() const { return credits_.get(); }
  /// Applies a pause or credit frame from the neighbour. The caller keeps the frame, and calls
  /// EgressPorts::try_send() next.
  void handle_flow_control(const Packet& frame);
  void set_pfc_mask(std::uint8_t priorities) {
    pfc_.set_pfc_mask(priorities, context_->scheduler.now());
  }
  /// Queues a frame of link control (LLDP, pause of a flow), which is sent before all packets. The
  /// caller calls EgressPorts::try_send() next.
  void queue_link_frame(Packet* frame) {
    make_rare().link_frames.push(frame);
    pfc_.request_queued();
  }
  const PacketFifo& link_frames() const { return rare().link_frames; }

  // --- Reading --------------------------------------------------------------------------------
  /// Wire bytes queued in all priorities.
  Bytes bytes() const { return bytes_; }
  /// End of the packet that is on the wire, or of the last one.
  PicoSeconds free_at() const { return free_at_; }
  const LinkParameters& link() const { return link_; }
  SwitchCounters counters() const;
  /// Counters of one queue.
  struct QueueCounters {
    std::uint64_t ecn_marks = 0;
    std::uint64_t dropped = 0;
    std::uint64_t dropped_bytes = 0;
  };
  /// Bytes that a new packet waits for: queued bytes, and the rest of the packet being sent.
  Bytes backlog() const;

 protected:
  EgressPort(PortContext& context, int number, const EgressSchedulerParameters& scheduler,
             Event&& wire_free);
  EgressPort(EgressPort&&) = default;  // Moving a port is allowed before its first packet only.

  /// Members that most ports of a large network never need; allocated at their first use.
  struct Rare {
    SwitchCounters counters;  // all counters of the port except dequeued_, enqueued_ and tx_bytes_
    std::array<QueueCounters, kPriorities> by_queue{};  // QueueingPort: counters by priority
    PacketFifo link_frames;
  };
  const Rare& rare() const { return rare_ != nullptr ? *rare_ : kNothingRare; }
  Rare& make_rare() {
    if (rare_ == nullptr) rare_ = std::make_unique<Rare>();
    return *rare_;
  }

  /// True if the packet would be the next to leave and the wire is idle, so that a queue would give
  /// the packet back at once.
  bool is_idle_for(const Packet& packet) const {
    const unsigned obstacles = waiting_ | (unsigned{pfc_.blocked()} >> packet.priority & 1);
    if (obstacles != 0 || pfc_.frame_due() || attends_departures_) return false;
    // At free_at_ itself the port's event may still be pending.
    return context_->scheduler.now() > free_at_ && !context_->ingress.attends_releases() &&
           !context_->queue_all;
  }
  void pass_through(Packet* packet);

  /// True if the wire is idle now. Otherwise the event is scheduled for when the wire is free.
  bool may_send_now();
  /// Hands the packet to the wire, which is then busy until free_at_.
  void put_on_wire(Packet* packet) { free_at_ = context_->scheduler.now() + out_->send(packet); }
  bool has_more_to_send() const { return waiting_ != 0 || pfc_.frame_due(); }
  /// The next frame of link control: a queued one, pause or credits. Precondition:
  /// pfc().frame_due().
  Packet* next_link_frame();
  void append_telemetry(Packet& packet) const;
  void count_sent(const Packet& packet) {
    tx_bytes_ += packet.wire_bytes + static_cast<std::uint64_t>(link_.overhead);
  }
  void note_queue() {
    if (statistics_ != nullptr) statistics_->changed(bytes_, context_->scheduler.now());
  }
  void count_drop(const Packet& packet) {
    SwitchCounters& counters = make_rare().counters;
    ++counters.dropped;
    counters.dropped_bytes += packet.wire_bytes;
  }
  /// Prefetches the lines of this class that sending or queueing a packet touches.
  void prefetch_common() const {
    __builtin_prefetch(&waiting_, 1);
    __builtin_prefetch(&wire_free_, 1);
    __builtin_prefetch(&dequeued_, 1);
    context_->wires[number_].prefetch();
  }

  PfcPort pfc_;
  PacketOut* out_ = nullptr;
  PicoSeconds free_at_{};  // time at which the wire can take the next packet
  Bytes bytes_ = 0;        // bytes queued at the port, in all priorities
  QueueStatistics* statistics_ = nullptr;
  std::uint64_t tx_bytes_ = 0;
  std::uint8_t waiting_ = 0;      // mask of priorities with queued packets
  bool marks_at_enqueue_ : 1;     // ECN marking when a packet joins the queue
  bool attends_departures_ : 1;   // each departure must be handled, so no packet passes through
  bool takes_turns_ : 1;          // QueueingPort: Arbitration::kRoundRobin
  bool ruled_ : 1;                // QueueingPort: queues have rules of their own
  bool selective_ : 1;            // QueueingPort: a rule of a queue may refuse a packet
  bool attends_all_ : 1;          // QueueingPort: attend_all()
  bool attends_arrivals_ : 1;     // QueueingPort: handle_arrival() sees each queued packet
  std::uint16_t number_;          // number of this port
  std::uint32_t max_passed_ = 0;  // largest passed-through packet that `statistics_` counted
  PortContext* context_;

  Event wire_free_;  // event at which the wire is free; scheduled while a packet waits for the wire

  LinkParameters link_;
  std::uint64_t dequeued_ = 0;
  std::uint64_t enqueued_ = 0;
  EgressScheduler scheduler_;

 private:
  static const Rare kNothingRare;
  std::unique_ptr<Rare> rare_;  // rarely used state; null: not used yet

 protected:
  std::unique_ptr<LaneCredits> credits_;
  static_assert(sizeof(PfcPort) % 64 == 8, "the line behind PfcPort has 56 bytes for hot fields");
};

}  // namespace dcc
