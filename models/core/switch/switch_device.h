// A store-and-forward, output-queued switch with a shared buffer: routing, queues by priority, ECN,
// priority flow control, scheduling, telemetry.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "fabric/balancers.h"
#include "fabric/route_table.h"
#include "sim/random.h"
#include "sim/scheduler.h"
#include "stats/queue_statistics.h"
#include "stats/rare_queue.h"
#include "switch/credits.h"
#include "switch/dcbx.h"
#include "switch/discipline.h"
#include "switch/ecn_marker.h"
#include "switch/egress_scheduler.h"
#include "switch/pfc.h"
#include "switch/qcn_point.h"
#include "switch/shared_buffer.h"
#include "units.h"
#include "wire/link.h"
#include "wire/packet.h"

namespace dcc {

class ParameterVisitor;

struct SwitchParameters {
  /// How packets of different inputs share one output queue.
  enum class Arbitration : std::uint8_t {
    kFifo,        // in order of arrival
    kRoundRobin,  // inputs take turns, packet by packet
  };
  /// Packets that arrive at the same picosecond.
  enum class Ties : std::uint8_t {
    kWire,    // by the number of their wire, always the same
    kSeeded,  // drawn for each instant
  };
  /// What keeps a neighbour from sending more than there is room for.
  enum class FlowControl : std::uint8_t {
    kPfc,      // pauses, if `pfc` has them enabled
    kCredits,  // every input has a buffer for each priority, and tells its room
  };
  Bytes buffer = 32_MiB;
  FlowControl flow_control = FlowControl::kPfc;
  Arbitration arbitration = Arbitration::kFifo;
  Ties ties = Ties::kWire;  // see Link::set_tie_order
  BalancerChoice routing;   // a section of its own in configurations
  unsigned mtu = 1'000;     // payload bytes of a NIC's full packet
  PicoSeconds jitter{};     // see Link::set_jitter
  EcnParameters ecn;
  PfcParameters pfc;
  CreditParameters credits;
  EgressSchedulerParameters scheduler;
  QcnPointParameters qcn;
  DisciplineChoice discipline;   // auto: fifo
  Bytes largest_packet = 1'100;  // wire bytes, for the headroom
  /// Every packet is queued, one that could leave at once too: to check that it makes no
  /// difference.
  bool queue_all = false;

  bool pauses() const { return flow_control == FlowControl::kPfc && pfc.enabled; }
  bool has_credits() const { return flow_control == FlowControl::kCredits; }
  /// Of an input and priority, at both ends of that link.
  Bytes credit_buffer(const LinkParameters& link) const {
    return credits.buffer.value_or(credit_buffer_for(link, largest_packet));
  }

  /// Without `routing`.
  void describe(ParameterVisitor& v);
};

DCC_ENUM_NAMES(SwitchParameters::FlowControl, {SwitchParameters::FlowControl::kPfc, "pfc"},
               {SwitchParameters::FlowControl::kCredits, "credits"});

DCC_ENUM_NAMES(SwitchParameters::Arbitration, {SwitchParameters::Arbitration::kFifo, "fifo"},
               {SwitchParameters::Arbitration::kRoundRobin, "round_robin"});
DCC_ENUM_NAMES(SwitchParameters::Ties, {SwitchParameters::Ties::kWire, "wire"},
               {SwitchParameters::Ties::kSeeded, "seeded"});

/// Of one egress port, or of all (SwitchDevice::totals).
struct SwitchCounters {
  std::uint64_t enqueued = 0;
  std::uint64_t dequeued = 0;
  std::uint64_t tx_bytes = 0;   // sent, link overhead included
  std::uint64_t ecn_marks = 0;  // packets turned from ECT to CE here
  std::uint64_t dropped = 0;    // no room in the buffer
  std::uint64_t dropped_bytes = 0;
  std::uint64_t credits_dropped = 0;  // by a discipline that sheds them; not among `dropped`
  std::uint64_t cnms_sent = 0;
  std::uint64_t trimmed = 0;  // packets that lost their payload
  std::uint64_t trimmed_bytes = 0;
  std::uint64_t returned = 0;  // headers turned round to their senders
  // Of no port, in the totals alone:
  std::uint64_t unroutable = 0;       // had nowhere to go
  std::uint64_t path_news_sent = 0;   // its choice of ways' own packets
  std::uint64_t path_news_taken = 0;  // such packets, for this switch

  template <class Visitor>
  static void describe(Visitor&& v) {  // stats/metric.h
    v(&SwitchCounters::dropped, "drops_no_room",
      {"packets without room", "packets", "of drops, those for which a switch had no room"});
    v(&SwitchCounters::unroutable, "drops_no_route",
      {"packets without a route", "packets", "of drops, those for which a switch had no way out"});
    v(&SwitchCounters::dropped, "drops", {});
    v(&SwitchCounters::unroutable, "drops", {});
    v(&SwitchCounters::ecn_marks, "ecn_marks", {"ECN marks", "packets", "marked CE by switches"});
  }
};

/// It acts when a packet arrives and, on a port with packets waiting, when the wire becomes free.
/// Packets it drops go back to the pool. No allocation after the first packets.
class SwitchDevice final : public PacketSink, private PathView {
 public:
  /// `seed` is the run's; `index` tells switches apart (ECN draws, ECMP hash); `rank` is that of
  /// its events. Throws std::invalid_argument for parameters that cannot be.
  SwitchDevice(Scheduler& scheduler, PacketPool& pool, const SwitchParameters& parameters,
               int ports, std::uint64_t seed, std::uint64_t index, std::uint32_t rank);
  SwitchDevice(const SwitchDevice&) = delete;
  SwitchDevice& operator=(const SwitchDevice&) = delete;

  // --- Building -------------------------------------------------------------------------------
  /// The way out through `port` and the link in both directions (for ECN, headroom, telemetry).
  void attach(int port, PacketOut& out, const LinkParameters& link);
  /// Another way out onto the same link.
  void connect(int port, PacketOut& out) {
    at(port).out = &out;
    ways_out_[static_cast<std::size_t>(port)] = {&out, out.prefetch_lines()};
  }
  /// Replaces the marking of one port.
  void set_ecn(int port, const EcnParameters& ecn);
  /// Which ports lead where; a packet to a host without any is dropped.
  void set_routes(const RouteTable& routes);
  /// For load balancing that looks beyond this switch, `self` of that network; must outlive it.
  void join(const FabricMap& fabric, int self);
  /// Null where no central scheduler has a hand in its choices.
  FlowEntries* flow_entries() {
    return path_choice_ != nullptr ? path_choice_->flow_entries() : nullptr;
  }
  /// Statistics of the egress queue (all priorities together); null to stop. Not owned.
  void observe_queue(int port, QueueStatistics* statistics);
  /// SharedBuffer::peak() and mean_held_back() are of what is held from now on.
  void restart_buffer_statistics() {
    buffer_.restart_peak();
    actions_.held_back.restart(scheduler_.now());
  }

  /// A port speaks DCBX from the next time its link comes up, as `rank` among the events of an
  /// instant.
  void enable_dcbx(int port, const DcbxEnd::Identity& identity, const DcbxSettings& settings,
                   PicoSeconds interval, std::uint32_t rank);
  /// Null: it does not.
  const DcbxEnd* dcbx(int port) const {
    return dcbx_.empty() ? nullptr : dcbx_[static_cast<std::size_t>(port)].end.get();
  }

  // --- Running --------------------------------------------------------------------------------
  void receive(Packet* packet, int port) override;
  void prefetch(const Packet& packet, int port) const override;
  /// The wires at a port carry nothing any more, or do again (switch/live_fabric.h). What is queued
  /// waits.
  void set_carrier(int port, bool up);
  /// The wire out of a port sends at another rate from now on.
  void set_rate(int port, BitRate rate) { at(port).link.rate = rate; }
  /// Those that may change while it runs (marking, thresholds of pauses, weights) become what they
  /// are here, for all that happens from now on. Errors as in the constructor.
  void change(const SwitchParameters& parameters);
  /// What is queued for a port goes where it would go if it came now.
  void route_again(int port);

  // --- Reading --------------------------------------------------------------------------------
  int ports() const { return ports_; }
  Bytes queue_bytes(int port) const { return at(port).bytes; }
  Bytes queue_bytes(int port, int priority) const {
    return at(port).queue[static_cast<std::size_t>(priority)].bytes;
  }
  SwitchCounters counters(int port) const { return counters_of(at(port)); }
  SwitchCounters totals() const;
  PfcCounters pfc_totals() const;
  /// Time the neighbour has kept `port` from sending at least one priority; or one in particular.
  PicoSeconds pause_time(int port) const { return at(port).pfc.pause_time(scheduler_.now()); }
  PicoSeconds pause_time(int port, int priority) const {
    return at(port).pfc.pause_time(priority, scheduler_.now());
  }
  const SharedBuffer& buffer() const { return buffer_; }
  /// Of the buffer, what packets take that are in no queue (PathActions::detain): bytes over time.
  double mean_held_back() const { return actions_.held_back.mean(scheduler_.now()); }
  /// May `port` send this priority, as far as its neighbour is concerned?
  bool is_paused(int port, int priority) const {
    return (at(port).pfc.paused() >> priority & 1) != 0;
  }
  /// Has this switch stopped the neighbour at `port`?
  bool has_stopped(int port, int priority) const {
    const Port& input = at(port);
    return input.credits != nullptr ? input.credits->is_full(priority)
                                    : input.pfc.has_stopped(priority);
  }
  /// Null without credits.
  const LaneCredits* credits(int port) const { return at(port).credits.get(); }
  /// Output ports at which packets of one priority that came in through `input` wait. Looks through
  /// the queues: for diagnosis, not for every packet.
  std::vector<int> outputs_awaited(int input, int priority) const;
  /// The port a packet would take now; -1 when there is none.
  int route_of(const Packet& packet) const {
    return route_of(packet, routes_.ports(packet.destination));
  }
  /// The same of these ports, whatever the routes are now.
  int route_of(const Packet& packet, PortSet ports) const;
  template <class Digest>
  void add_state(Digest& d) const {
    d(random_, buffer_, unroutable_, stopped_, path_choice_);
    for (const Port& port : egress_) d(port);
    for (const DcbxPort& port : dcbx_) {
      if (port.end != nullptr) d(*port.end, port.frames);
    }
  }

 private:
  /// Packets of one priority that wait for one output.
  struct alignas(32) Queue {
    PacketFifo fifo;  // kFifo
    Bytes bytes = 0;
    template <class Digest>
    void add_state(Digest& d) const {
      d(fifo, bytes);
    }
  };
  /// The same for kRoundRobin: one list an input, the inputs that have a packet in a ring.
  struct TurnQueue {
    struct Input {
      PacketFifo fifo;
      Input* next = nullptr;
    };
    std::unique_ptr<Input[]> inputs;
    Input* first = nullptr;
    Input* last = nullptr;
    template <class Digest>
    void add_state(Digest& d) const {
      for (const Input* input = first; input != nullptr;
           input = input == last ? nullptr : input->next) {
        d(input->fifo);
      }
    }
  };
  /// What every packet touches lies together, in the last line of `pfc` and the one behind the
  /// event: a large network does not fit the caches, and this is where its time goes.
  struct alignas(64) Port {
    Port(SwitchDevice& owner, std::uint32_t rank);
    void wake() { device->send_next(*this); }
    void prefetch_wake() const {
      device->prefetch_port(*this, waiting != 0 ? __builtin_ctz(waiting) : 0);
    }
    template <class Digest>
    void add_state(Digest& d) const {
      d(pfc, free_at, bytes, tx_bytes, waiting, free, dequeued, enqueued, scheduler, queue, ecn,
        rare.ecn_marks, rare.dropped, rare.cnms_sent, rare.trimmed, rare.returned, turns, qcn,
        discipline, credits);
    }

    PfcPort pfc;
    PacketOut* out = nullptr;
    PicoSeconds free_at{};  // when the wire can take the next packet
    Bytes bytes = 0;        // all priorities
    QueueStatistics* statistics = nullptr;
    std::uint64_t tx_bytes = 0;
    std::uint8_t waiting = 0;  // bit p: priority p has a packet
    bool marks_at_enqueue = false;
    bool attends_departures = false;   // to mark then, for what counts them, or for path_choice_
    std::uint32_t largest_passed = 0;  // of packets that `statistics` know to have passed through

    Event free;  // scheduled while the wire is busy and something waits for it

    LinkParameters link;
    std::uint64_t dequeued = 0;
    std::uint64_t enqueued = 0;
    EgressScheduler scheduler;
    SwitchDevice* device;

    alignas(64) std::array<Queue, kPriorities> queue;
    EcnMarker ecn;
    SwitchCounters rare;                         // but for the three above
    std::vector<TurnQueue> turns;                // by priority; kRoundRobin only
    std::vector<QcnPoint> qcn;                   // by priority; empty when off
    std::unique_ptr<PortDiscipline> discipline;  // in place of the queues; null: those
    std::unique_ptr<LaneCredits> credits;        // null: PFC
  };
  static_assert(sizeof(PfcPort) % 64 == 16, "behind it a line has 48 bytes for what is touched");
  struct DcbxPort {
    std::unique_ptr<DcbxEnd> end;  // null: it says nothing
    PacketFifo frames;             // that are to go
  };
  /// What is fetched of a port's wire, and who counts its queue.
  struct WayOut {
    const PacketOut* wire = nullptr;
    unsigned lines = 0;
    const QueueStatistics* statistics = nullptr;
  };
  Port& at(int port) { return egress_[static_cast<std::size_t>(port)]; }
  const Port& at(int port) const { return egress_[static_cast<std::size_t>(port)]; }
  /// Inputs as the buffer counts them: the ports, then the switch itself (its CNMs).
  int own_input() const { return ports_; }

  int number_of(const Port& port) const { return static_cast<int>(&port - egress_.data()); }

  // PathView
  PicoSeconds now() const override { return scheduler_.now(); }
  Bytes backlog(int port) const override;
  Bytes drain(int port, int priority) const override;
  BitRate rate(int port) const override { return at(port).link.rate; }

  /// Apart, so that what every packet touches lies where it would without.
  class Actions final : public PathActions {
   public:
    Actions(SwitchDevice& device, std::uint32_t rank) : device_(device), rank_(rank) {}
    Scheduler& scheduler() override { return device_.scheduler_; }
    std::uint32_t rank() const override { return rank_; }
    bool detain(Packet* packet, int port) override;
    void release(Packet* packet, int port) override;
    Packet* allocate() override { return device_.pool_.allocate(); }
    void send(Packet* packet) override;
    void consume(Packet* packet) override;

    std::uint64_t sent = 0;
    std::uint64_t taken = 0;
    RareQueue held_back;

   private:
    SwitchDevice& device_;
    std::uint32_t rank_;
  };

  static SwitchCounters counters_of(const Port& port);
  static constexpr int kNoPort = -1;
  static constexpr int kKept = -2;  // by path_choice_
  int choose(Packet& packet);
  std::uint32_t hashed(const Packet& packet, std::uint32_t choices) const {
    return scaled_down(flow_hash(packet, hash_seed_), choices);
  }
  /// Sending, or queueing, a packet of that priority is near.
  void prefetch_port(const Port& port, int priority) const;
  void forward(Packet* packet);
  void enqueue(Packet* packet, Port& egress);
  bool admit(Packet* packet, Port& egress);
  void join_queue(Packet* packet, Port& egress);
  bool leaves_at_once(const Packet& packet, const Port& egress);
  void pass_through(Packet* packet, Port& egress);
  void push(Port& egress, int priority, Packet* packet);
  Packet* pop(Port& egress, int priority);
  /// Something can be sent: at once, or when the wire is free.
  void kick(Port& egress);
  void send_next(Port& egress);
  void enqueue_by_discipline(Packet* packet, Port& egress);
  void drop_by_discipline(PacketFifo& dropped, Port& egress);
  void send_by_discipline(Port& egress);
  void discipline_changed(Port& egress);
  void transmit(Port& egress, Packet* packet);
  void mark_if_congested(Port& port, Queue& queue, Packet& packet, EcnParameters::MarkAt moment);
  void append_telemetry(const Port& port, Packet& packet) const;
  void leave_buffer(int input, int priority, Bytes bytes);
  void notify_source(const Packet& packet, std::uint32_t feedback);
  void honour(Packet* link_control, int port);
  void take_credits(int input, int priority, Bytes bytes);
  void give_credits(int input, int priority, Bytes bytes);
  void charge_credits(Port& egress, int priority, Bytes bytes);
  void pause_only(int port, std::uint8_t priorities);
  /// The frame of the link's own that goes next.
  Packet* next_frame(Port& egress);

  Scheduler& scheduler_;
  PacketPool& pool_;
  SwitchParameters parameters_;
  int ports_;
  std::uint64_t hash_seed_;
  RouteTable routes_;
  std::unique_ptr<PathChoice> path_choice_;  // null: by hash
  PathChoice::Needs path_needs_;
  RandomStream random_;
  SharedBuffer buffer_;
  std::vector<Port> egress_;
  std::vector<WayOut> ways_out_;  // by port, close together
  std::vector<DcbxPort> dcbx_;    // by port; empty: none speaks it
  std::uint64_t unroutable_ = 0;
  int stopped_ = 0;  // priorities of neighbours this switch has stopped; with credits never 0
  bool queue_all_;
  bool disciplined_ = false;    // every port has a discipline
  bool has_ways_back_ = false;  // that is told of what came back
  bool with_credits_;
  bool routing_again_ = false;  // what is forwarded was here before
  Actions actions_;             // of path_choice_
};

}  // namespace dcc
