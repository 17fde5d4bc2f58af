// One egress port of a switch: the base of ports with queues and ports with a discipline.
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
  /// Addresses of the memory that sending through a port touches. The entries of all ports lie
  /// close together, so that a prefetch does not have to read the port itself.
  struct Wire {
    const PacketOut* out = nullptr;
    unsigned lines = 0;  // number of cache lines of the object `out` that send() uses
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
  bool queue_all = false;  // true: the port queues every packet, even one that could leave at once
  // the port's discipline must see reverse packets (DisciplinePort)
  bool needs_reverse_packets = false;
  QcnPointParameters qcn;
  std::vector<Wire> wires;  // wire of each port of the switch
  // times of timed pauses; null: a pause lasts until it is resumed
  SwitchPauseTimes* pause_times = nullptr;
  /// Routes a packet that the switch itself created, and sends it.
  std::function<void(Packet*)> forward_own;
  /// A pool of bytes that queues of all ports share (QueueRule::egress_pool).
  struct EgressPool {
    Bytes size = 0;
    Bytes used = 0;
    Bytes free() const { return used < size ? size - used : 0; }
  };
  std::vector<EgressPool> egress_pools;  // egress pools with the numbers 1, 2, …
};

/// Base of an egress port with the wire, flow control towards the neighbour, statistics and the
/// event "wire is free". A port is a QueueingPort or a DisciplinePort, all ports of a switch of the
/// same kind. There is no virtual function: the event calls the kind's own try_send_next(), and
/// EgressPorts knows the kind.
///
/// The members that every packet touches fill two cache lines: the last line of `pfc_`, and the
/// line behind the event. A large network does not fit into the caches, and loading these lines
/// takes most of its run time.
class alignas(64) EgressPort {
 public:
  // --- Building -------------------------------------------------------------------------------
  void set_wire(PacketOut& out);
  /// Sets the link of the port. `credits`: null for a port without credit flow control.
  void set_link(const LinkParameters& link, std::unique_ptr<LaneCredits> credits) {
    link_ = link;
    credits_ = std::move(credits);
  }
  void set_rate(BitRate rate) { link_.rate = rate; }
  /// Records statistics of the port's queue from now on, all priorities together; null: stops. The
  /// port does not own the record.
  void observe(QueueStatistics* statistics);
  /// Replaces the scheduler that chooses among the port's priorities. Call before the first packet
  /// and before set_queues(). Throws std::invalid_argument as EgressScheduler does.
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
  /// Queues a link-control frame (LLDP, pause of a flow), which the port sends before all packets.
  /// The caller calls EgressPorts::try_send() next.
  void queue_link_frame(Packet* frame) {
    make_rare().link_frames.push(frame);
    pfc_.request_queued();
  }
  const PacketFifo& link_frames() const { return rare().link_frames; }

  // --- Reading --------------------------------------------------------------------------------
  // Wire bytes queued at the port in all priorities.
  Bytes bytes() const { return bytes_; }
  /// Time at which the packet on the wire ends, or at which the last packet ended.
  PicoSeconds free_at() const { return free_at_; }
  const LinkParameters& link() const { return link_; }
  SwitchCounters counters() const;
  /// Counters of one queue of the port.
  struct QueueCounters {
    std::uint64_t ecn_marks = 0;
    std::uint64_t dropped = 0;
    std::uint64_t dropped_bytes = 0;
  };
  /// Number of bytes that leave before a newly arriving packet: queued bytes, and the rest of the
  /// packet being sent.
  Bytes backlog() const;

 protected:
  EgressPort(PortContext& context, int number, const EgressSchedulerParameters& scheduler,
             Event&& wire_free);
  EgressPort(EgressPort&&) = default;  // a port may be moved only before its first packet

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

  /// True if the packet would be the next to leave and the wire is idle, so that the packet need
  /// not be queued.
  bool is_idle_for(const Packet& packet) const {
    const unsigned obstacles = waiting_ | (unsigned{pfc_.blocked()} >> packet.priority & 1);
    if (obstacles != 0 || pfc_.frame_due() || attends_departures_) return false;
    // At time free_at_ itself the port's event `wire_free_` may still be pending.
    return context_->scheduler.now() > free_at_ && !context_->ingress.attends_releases() &&
           !context_->queue_all;
  }
  void pass_through(Packet* packet);

  /// True if the wire is idle now. Otherwise schedules the port's event for the time at which the
  /// wire becomes free.
  bool may_send_now();
  /// Hands a packet to the wire, which is then busy until free_at_.
  void put_on_wire(Packet* packet) { free_at_ = context_->scheduler.now() + out_->send(packet); }
  bool has_more_to_send() const { return waiting_ != 0 || pfc_.frame_due(); }
  /// Returns the next link-control frame: a queued frame, a pause frame or a credit frame.
  /// Precondition: pfc().frame_due().
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
  /// Prefetches the cache lines of this class that sending or queueing a packet touches.
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
  std::uint8_t waiting_ = 0;     // mask of priorities with queued packets
  bool marks_at_enqueue_ : 1;    // ECN marks are set when a packet joins the queue
  bool attends_departures_ : 1;  // the port must handle each departure, so no packet passes through
  bool takes_turns_ : 1;         // inputs take turns (QueueingPort with Arbitration::kRoundRobin)
  bool ruled_ : 1;               // queues have rules of their own (QueueingPort)
  bool selective_ : 1;           // a queue's rule may refuse a packet (QueueingPort)
  bool attends_all_ : 1;         // attend_all() was called (QueueingPort)
  bool attends_arrivals_ : 1;    // handle_arrival() sees each queued packet (QueueingPort)
  std::uint16_t number_;         // number of this port within the switch
  std::uint32_t max_passed_ = 0;  // largest passed-through packet that `statistics_` counted
  PortContext* context_;

  Event wire_free_;  // event at which the wire is free; scheduled while a packet waits for the wire

  LinkParameters link_;
  std::uint64_t dequeued_ = 0;
  std::uint64_t enqueued_ = 0;
  EgressScheduler scheduler_;

 private:
  static const Rare kNothingRare;
  std::unique_ptr<Rare> rare_;  // rarely used state of the port; null: not used yet

 protected:
  std::unique_ptr<LaneCredits> credits_;
  static_assert(sizeof(PfcPort) % 64 == 8, "the line behind PfcPort has 56 bytes for hot fields");
};

}  // namespace dcc
