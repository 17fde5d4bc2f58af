// A store-and-forward, output-queued switch with a shared buffer: routing, queues by priority, ECN,
// flow control, scheduling, telemetry.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fabric/balancers.h"
#include "fabric/route_table.h"
#include "sim/random.h"
#include "sim/scheduler.h"
#include "sim/state_digest.h"
#include "stats/queue_statistics.h"
#include "stats/rare_queue.h"
#include "switch/dcbx/dcbx_ports.h"
#include "switch/egress_ports.h"
#include "switch/ingress_control.h"
#include "switch/pfc.h"
#include "switch/pfc_watchdog.h"
#include "switch/port_settings.h"
#include "switch/switch_counters.h"
#include "switch/switch_parameters.h"
#include "units.h"
#include "wire/link.h"
#include "wire/packet.h"

namespace dcc {

/// A switch that routes packets to egress ports. The model runs when a packet arrives and, for a
/// port with packets waiting, when the wire becomes free. Dropped packets return to the pool. The
/// switch allocates no memory after the first packets.
class SwitchDevice final : public PacketSink, private PathView {
 public:
  /// `seed` is the random seed of the run; `index` makes the random numbers and the ECMP hash of
  /// each switch different; `rank` orders the switch's events among others of the same instant.
  /// Throws std::invalid_argument for invalid parameters.
  SwitchDevice(Scheduler& scheduler, PacketPool& pool, const SwitchParameters& parameters,
               int ports, std::uint64_t seed, std::uint64_t index, std::uint32_t rank);
  SwitchDevice(const SwitchDevice&) = delete;
  SwitchDevice& operator=(const SwitchDevice&) = delete;

  // --- Building -------------------------------------------------------------------------------
  /// Connects the wire that leaves through `port`. `link` describes both directions of the cable
  /// and determines ECN thresholds, headroom and telemetry.
  void attach(int port, PacketOut& out, const LinkParameters& link);
  /// Replaces the object through which a port sends onto its link; the link stays the same.
  void connect(int port, PacketOut& out) { egress_.at(port).set_wire(out); }
  /// Replaces the ECN marking of one port.
  void set_ecn(int port, const EcnParameters& ecn) { egress_.set_ecn(port, ecn); }
  /// Lets settings of `port` differ from those of the switch. The exceptions must outlive the
  /// switch. Call before attach().
  void set_exceptions(int port, std::vector<const PortException*> exceptions) {
    exceptions_.resize(static_cast<std::size_t>(ports_));
    exceptions_[static_cast<std::size_t>(port)] = std::move(exceptions);
  }
  /// Sets the ports that lead to each destination. A packet to a destination without ports is
  /// dropped. Throws std::invalid_argument for a port that does not exist.
  void set_routes(const RouteTable& routes);
  /// Gives the network to a load balancer that looks beyond this switch, which is node `self`.
  /// `fabric` must outlive the switch.
  void join(const FabricMap& fabric, int self);
  /// The table through which a central scheduler sets the ports of flows; null if the load balancer
  /// has none.
  FlowEntries* flow_entries() {
    return path_choice_ != nullptr ? path_choice_->flow_entries() : nullptr;
  }
  /// Records statistics of a port's egress queue from now on, all priorities together; null: stops.
  /// The switch does not own the record.
  void observe_queue(int port, QueueStatistics* statistics) {
    egress_.at(port).observe(statistics);
  }
  /// Restarts the statistics SharedBuffer::peak() and mean_held_back().
  void restart_buffer_statistics() {
    ingress_.buffer().restart_peak();
    for (int port = 0; port < ports_ && !egress_.have_disciplines(); ++port) {
      egress_.queueing(port).restart_peaks();
    }
    actions_.held_back.restart(scheduler_.now());
  }
  /// Makes a port speak DCBX from the next time that the port's link comes up. `rank` orders the
  /// DCBX events among others of the same instant.
  void enable_dcbx(int port, const DcbxEnd::Identity& identity, const DcbxSettings& settings,
                   PicoSeconds interval, std::uint32_t rank) {
    dcbx_.enable(scheduler_, pool_, port, ports_, identity, settings, interval, rank);
  }
  /// DCBX end of a port; null if the port does not speak DCBX.
  const DcbxEnd* dcbx(int port) const { return dcbx_.end(port); }

  // --- Running --------------------------------------------------------------------------------
  void receive(Packet* packet, int port) override;
  void prefetch(const Packet& packet, int port) const override;
  /// Tells a port that its link went down or came up (switch/live_fabric.h). Packets queued at the
  /// port wait.
  void set_carrier(int port, bool up);
  /// Changes the rate of the wire that leaves through `port`.
  void set_rate(int port, BitRate rate) { egress_.at(port).set_rate(rate); }
  /// Applies new values of the switch parameters that may change during a run: ECN marking,
  /// thresholds of pauses, weights. Throws as the constructor does.
  void change(const SwitchParameters& parameters);
  /// Replaces a port's tables of virtual lane arbitration. Throws as EgressScheduler does.
  void set_tables(int port, const VlArbitrationParameters& tables) {
    egress_.at(port).set_tables(tables);
  }
  /// Routes all packets queued at a port again by the present routes.
  void route_again(int port);

  // --- Reading --------------------------------------------------------------------------------
  int ports() const { return ports_; }
  Bytes queue_bytes(int port) const { return egress_.at(port).bytes(); }
  Bytes queue_bytes(int port, int priority) const { return egress_.bytes(port, priority); }
  SwitchCounters counters(int port) const { return egress_.at(port).counters(); }
  SwitchCounters totals() const;
  PfcCounters pfc_totals() const;
  /// Time at which the port's wire ends its last transmission; in the past if the wire is idle.
  PicoSeconds wire_free_at(int port) const { return egress_.at(port).free_at(); }
  /// Total time for which the neighbour paused at least one priority of `port`.
  PicoSeconds pause_time(int port) const {
    return egress_.at(port).pfc().pause_time(scheduler_.now());
  }
  /// Total time for which the neighbour at `port` paused this priority.
  PicoSeconds pause_time(int port, int priority) const {
    return egress_.at(port).pfc().pause_time(priority, scheduler_.now());
  }
  const SharedBuffer& buffer() const { return ingress_.buffer(); }
  /// The port as a port with queues by priority; null if the port has a discipline.
  const QueueingPort* queues(int port) const {
    return egress_.have_disciplines() ? nullptr : &egress_.queueing(port);
  }
  const PfcPort& pfc(int port) const { return egress_.at(port).pfc(); }
  /// Statistics of the pauses of one priority that the neighbour at `port` sent.
  PriorityPauses received_pauses(int port, int priority) const {
    return pfc(port).received_pauses(priority, scheduler_.now());
  }
  /// The PFC watchdog of the switch; null: no watchdog.
  const PfcWatchdog* watchdog() const { return watchdog_.get(); }
  /// Mean bytes of packets that the load balancer holds outside all queues (PathActions::detain).
  double mean_held_back() const { return actions_.held_back.mean(scheduler_.now()); }
  /// True if the neighbour at `port` does not allow this priority to be sent.
  bool is_paused(int port, int priority) const {
    return (egress_.at(port).pfc().paused() >> priority & 1) != 0;
  }
  /// True if this switch does not allow the neighbour at `port` to send this priority.
  bool has_stopped(int port, int priority) const {
    const EgressPort& input = egress_.at(port);
    return input.credits() != nullptr ? input.credits()->is_full(priority)
                                      : input.pfc().has_stopped(priority);
  }
  /// Credits of the port's link; null without credits.
  const LaneCredits* credits(int port) const { return egress_.at(port).credits(); }
  /// Output ports at which packets of this priority that came through `input` are queued. Searches
  /// all queues: for diagnosis only.
  std::vector<int> outputs_awaited(int input, int priority) const;
  /// The egress port that a packet would take now; -1 if there is none.
  int route_of(const Packet& packet) const {
    return route_of(packet, routes_.ports(packet.destination));
  }
  /// The egress port among `ports` that a packet would take now, whatever the present routes are;
  /// -1 if `ports` is empty.
  int route_of(const Packet& packet, PortSet ports) const;
  void add_state(StateDigest& d) const {
    d(random_, ingress_.buffer(), unroutable_, ingress_.paused_classes(), path_choice_, egress_,
      dcbx_);
    if (watchdog_ != nullptr) d(*watchdog_);
    if (pause_times_ != nullptr) d(*pause_times_);
  }

 private:
  // Functions of the interface PathView
  PicoSeconds now() const override { return scheduler_.now(); }
  Bytes backlog(int port) const override { return egress_.at(port).backlog(); }
  Bytes drain(int port, int priority) const override;
  BitRate rate(int port) const override { return egress_.at(port).link().rate; }

  /// Services that a load balancer may use. They form a class of their own, so that the switch
  /// members that every packet touches stay close together.
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

  PortSettings settings_of(int port, const SwitchParameters& parameters,
                           const LinkParameters& link) const;
  /// Lets the PFC watchdog check the queues of `port`. Precondition: watchdog.detect.
  void watch(int port, const WatchdogParameters& watchdog);
  void apply_rules(int port, const PortSettings& settings);

  static constexpr int kNoPort = -1;
  // result of choose() instead of a port: the load balancer path_choice_ kept the packet
  static constexpr int kKept = -2;
  int choose(Packet& packet);
  std::uint32_t hashed(const Packet& packet, std::uint32_t choices) const {
    return scaled_down(flow_hash(packet, hash_seed_), choices);
  }
  void forward(Packet* packet);
  void forward_own(Packet* packet);
  void handle_link_control(Packet* frame, int port);

  Scheduler& scheduler_;
  PacketPool& pool_;
  SwitchParameters parameters_;
  int ports_;
  std::uint64_t hash_seed_;
  RouteTable routes_;
  std::unique_ptr<PathChoice> path_choice_;  // load balancer of the switch; null: ECMP
  PathChoice::Needs path_needs_;
  RandomStream random_;
  EgressPorts egress_;
  IngressControl ingress_;
  PortContext context_;
  DcbxPorts dcbx_;
  std::uint64_t unroutable_ = 0;
  Actions actions_;
  // settings that differ from the switch's, by port; empty: there are none
  std::vector<std::vector<const PortException*>> exceptions_;
  std::unique_ptr<PfcWatchdog> watchdog_;  // PFC watchdog; null: none
  // times of timed pauses; null: a pause lasts until it is resumed
  std::unique_ptr<SwitchPauseTimes> pause_times_;
};

}  // namespace dcc
