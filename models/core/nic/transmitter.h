// The sending half of a NIC (the patent's "packet transmit" and "scheduler").
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "nic/algorithm/algorithm.h"
#include "nic/completion_sink.h"
#include "nic/control_queue.h"
#include "nic/demotion.h"
#include "nic/end_to_end.h"
#include "nic/flow_pacer.h"
#include "nic/host/dma.h"
#include "nic/link_pause.h"
#include "nic/message_rate.h"
#include "nic/nic_parameters.h"
#include "nic/pacer/pacer_port.h"
#include "nic/pacing_scheduler.h"
#include "nic/parser/parser_engine.h"
#include "nic/payload_staging.h"
#include "nic/peer_nics.h"
#include "nic/read_responder.h"
#include "nic/recovery/requester.h"
#include "nic/send_queue_pair.h"
#include "nic/transport.h"
#include "sim/scheduler.h"
#include "sim/state_digest.h"
#include "stats/flow_ledger.h"
#include "stats/log_histogram.h"
#include "stats/numbered_table.h"
#include "stats/proportion.h"
#include "wire/link.h"
#include "wire/packet.h"

namespace dcc {

/// The sending half of a NIC. It chooses the packet that goes onto the wire next: link control,
/// then control packets by priority, then data of the queue pair whose turn it is.
/// The parts of the transmitter are objects of their own: ControlQueue, LinkPause, PacingScheduler
/// (turns), FlowPacer (gaps), PayloadStaging, ReadResponder, and Requester (acknowledgements, NAKs,
/// responses, timeouts).
///
/// With a Transport, the transport supplies the data, and queue pairs of the transmitter only carry
/// their configuration.
///
/// With a pacer block (set_pacer()), that block decides which queue pair sends and when.
/// PacingScheduler then holds only queue pairs that an RNR NAK delays.
class Transmitter final : public AlgorithmHost, private DmaClient, private PacerUser {
 public:
  Transmitter(Scheduler& scheduler, PacketPool& pool, FlowLedger& ledger, NicCounters& counters,
              const NicParameters& parameters, std::uint32_t rank);

  void connect(PacketOut& out) { out_ = &out; }
  void set_algorithm(Algorithm* algorithm);
  /// Sets the transport that replaces RoCE's data path; null: RoCE. The transmitter does not own
  /// it. Call before the first queue pair is created.
  void set_transport(Transport* transport) { transport_ = transport; }
  /// Makes a pacer block schedule the packets of RoCE queue pairs. The transmitter does not own it.
  /// Call before the first queue pair is created.
  void set_pacer(PacerEngine& engine, const PacerShape& shape, PicoSeconds clock_period);
  /// Constants of a pacer block for this NIC.
  PacerSettings pacer_settings(const PacerShape& shape, PicoSeconds clock_period) const;
  /// Sets the properties of the NICs at the remote ends of queue pairs; null: equal to this NIC's.
  /// The transmitter does not own them.
  void set_peers(const PeerNics* peers) { peers_ = peers; }
  /// Makes a parser block parse received CNPs and count sent packets; null: no block. The
  /// transmitter does not own it. Call before the first queue pair is created.
  void set_parser(ParserEngine* parser) { parser_ = parser; }
  void set_completion_sink(CompletionSink* sink) { requester_.set_completion_sink(sink); }
  /// Sets the DMA that fetches payload. Required when nic.payload is "real".
  void set_dma(Dma* dma);

  /// Payload bytes of a full packet to `host`.
  std::uint32_t path_mtu(HostId host) const {
    return peers_ == nullptr ? parameters_.mtu : peers_->path_mtu(parameters_.mtu, host);
  }

  // ---- Queue pairs

  /// Creates a queue pair, or resets an existing one. Numbers are small and dense. A queue pair
  /// accepts work at once and sends after connect_queue_pair().
  void create_queue_pair(Qpn qpn, const QueuePairConfig& config);
  void connect_queue_pair(Qpn qpn);
  /// Ends a queue pair. Posted work completes as flushed.
  void destroy_queue_pair(Qpn qpn);
  /// Gives a queue pair another DSCP. Packets made from now on carry the new DSCP, and the
  /// algorithm and the parser block count the flow to that class at once. Packets that are sent or
  /// staged keep their DSCP. Returns false, and changes nothing, if the queue pair does not exist
  /// or has failed, or if the algorithm cannot change the class of a running flow.
  bool change_class(Qpn qpn, std::uint8_t dscp);
  /// Handles a missing remote end: the queue pair enters the error state, and its oldest work
  /// completes as kRetryExceeded. Nothing happens if the queue pair does not exist.
  void give_up(Qpn qpn);
  /// True if the queue pair has nothing left to do except for packets in the network: all posted
  /// work is acknowledged, all responses are sent, and the algorithm is quiescent.
  bool is_quiescent(Qpn qpn) const;
  /// Frees the memory of a queue pair. Precondition: the queue pair is quiescent, and none of its
  /// packets is in the network. Its statistics remain.
  void release(Qpn qpn);
  /// Must be called when the NIC's MTU changes; the new MTU applies to queue pairs created from
  /// then on.
  void mtu_changed();
  bool exists(Qpn qpn) const {
    const SendQueuePair* const pair = pairs_.find(qpn);
    return pair != nullptr && pair->created;
  }
  // Precondition of the next four functions: exists(qpn).
  bool failed(Qpn qpn) const { return pairs_[qpn].failed; }
  bool connected(Qpn qpn) const { return pairs_[qpn].connected; }
  Service service(Qpn qpn) const { return pairs_[qpn].config.service; }
  bool has_work(Qpn qpn) const {
    return !pairs_[qpn].work.idle() || (datagrams_ != nullptr && datagrams_->has_work(qpn));
  }
  /// True if the queue pair exists and the congestion-control algorithm controls it.
  bool governed(Qpn qpn) const { return exists(qpn) && pairs_[qpn].config.governed; }
  /// One above the greatest queue pair number.
  std::size_t queue_pairs() const { return pairs_.size(); }
  /// Prefetches the cache lines of a queue pair for which an event is about to run.
  void prefetch(Qpn qpn) const {
    const auto* const pair = reinterpret_cast<const char*>(pairs_.find(qpn));
    if (pair == nullptr) return;
    for (std::size_t byte = 0; byte < sizeof(SendQueuePair); byte += 64) {
      __builtin_prefetch(pair + byte, 1);
    }
  }

  // ---- Requester

  /// Adds a work item to a queue pair. Precondition: exists(qpn), item.bytes > 0.
  void post(Qpn qpn, const WorkItem& item);
  /// Drops posted work of a queue pair that has not been sent. Packets already sent are still
  /// acknowledged.
  void stop(Qpn qpn);
  /// Bytes left to send of the oldest work item that is not completely sent; 0: none. RoCE only.
  Bytes unsent(Qpn qpn) const { return pairs_[qpn].work.unsent(); }
  /// Marks the next `bytes` of the oldest unsent work item as delivered without sending them
  /// (fast-forward only). Precondition: a multiple of the MTU, less than unsent().
  void mark_delivered(Qpn qpn, Bytes bytes);
  /// The requester, which handles acknowledgements, NAKs and responses to requests, and counts
  /// them.
  Requester& requester() { return requester_; }
  const Requester& requester() const { return requester_; }

  // ---- Responder

  /// Queues the response to a READ or atomic request. A repeated atomic request is not executed
  /// again: its response repeats the first result.
  void respond(Qpn qpn, const Packet& request);
  /// Number of packets in the response to a request for `bytes` bytes.
  std::uint32_t packets_of(Qpn qpn, std::uint32_t bytes) const;

  // ---- Congestion and link control

  void on_cnp(const Packet& cnp);
  void on_cnm(const Packet& cnm);
  /// A PFC frame arrived, which stops the priorities in the mask and resumes the others.
  void on_pause(unsigned priorities);
  /// The switch stops the data packets to one host, or lets them leave again.
  void on_flow_pause(HostId host, bool stop);
  /// Ends the timed pauses of the priorities in the mask.
  void end_pauses(unsigned priorities) {
    pause_.end(priorities, now());
    pauses_changed();
  }
  /// Enables PFC for the priorities in `mask` (bit p: priority p) and ignores pauses of other
  /// priorities.
  void set_pfc_mask(std::uint8_t mask) {
    if (pause_.set_pfc_mask(mask, now())) pauses_changed();
  }
  /// Stops exactly the priorities in the mask, for want of credits.
  void block(unsigned priorities) {
    pause_.block(priorities, now());
    pauses_changed();
  }
  /// The link lost its carrier (false) or has it again (true).
  void set_carrier(bool up) {
    pause_.set_carrier(up, now());
    while (!stopped_hosts_.empty()) on_flow_pause(stopped_hosts_.back(), false);
    pauses_changed();
  }
  /// Mask of the priorities that the NIC may send now.
  unsigned allowed() const { return pause_.allowed(); }
  /// Sends an ACK, NAK or CNP before any data. Takes ownership of the packet.
  void send_control(Packet* packet);
  /// Sends a link-control frame before all other packets, whatever priority is paused. Takes
  /// ownership of the frame.
  void send_link_control(Packet* packet);

  // ---- Orders of a central agent, with NicParameters::demotion

  /// Order of a central agent: how a NIC sends the packets of a message behind its first `from`
  /// bytes.
  struct FlowOrder {
    Bytes from = 0;
    std::uint8_t priority = 0;
    // port that packets take at the first switch (OverlayHeader::SourceRoute); 0: any
    std::uint8_t first_port = 0;
    Rate rate;  // pacing rate that the agent sets
  };
  /// A queue pair whose oldest unsent message has sent many bytes.
  struct LongFlow {
    Qpn qpn;
    HostId receiver;
    Bytes sent;
  };
  /// The queue pairs whose oldest unsent message has sent `from` bytes or more.
  std::vector<LongFlow> long_flows(Bytes from) const;
  /// Gives a queue pair an order of the agent in place of an earlier one.
  void set_order(Qpn qpn, const FlowOrder& order);
  /// Withdraws the agent's order for a queue pair, if there is one.
  void withdraw_order(Qpn qpn);

  // ---- Calls by the transport

  /// Called when the transport may have data to send.
  void data_ready() { try_send(); }
  /// The transport reports that `bytes` of payload were acknowledged for the first time.
  void acknowledged(std::uint32_t flow, Bytes bytes) {
    requester_.acknowledged(ledger_[flow], bytes);
  }
  void round_trip(PicoSeconds rtt) { requester_.round_trip(rtt); }
  void work_done(Qpn qpn, const WorkItem& item, CompletionSink::Status status) {
    requester_.complete(qpn, item, status);
  }

  // ---- Calls by the requester

  /// The queue pair may be able to send again.
  void resume(Qpn qpn, SendQueuePair& pair);
  /// The queue pair sends again from its oldest unacknowledged packet.
  void went_back(Qpn qpn, SendQueuePair& pair);
  /// The queue pair must not send until resume() is called for it.
  void withdraw(Qpn qpn) { pacing_.deactivate(qpn); }
  /// True if the queue pair has a packet that it may send, now or when its turn comes.
  bool has_turn(const SendQueuePair& pair) const;

  // ---- AlgorithmHost

  PicoSeconds now() const override { return scheduler_.now(); }
  void set_rate(FlowNumber flow, Rate rate) override;
  void set_window(FlowNumber flow, Bytes bytes) override;
  void start_timer(FlowNumber flow, int id, PicoSeconds delay) override;
  void stop_timer(FlowNumber flow, int id) override;
  Rate line_rate() const override { return line_rate_; }
  Backlog backlog(FlowNumber flow) const override;

  // ---- Statistics

  struct FlowView {
    Rate rate;
    std::uint64_t wire_bits = 0;
    std::uint32_t flow = 0;
    std::uint8_t dscp = 0;
  };
  /// View of the algorithm's state; defaults if the queue pair does not exist.
  FlowView view(Qpn qpn) const {
    const SendQueuePair* const pair = pairs_.find(qpn);
    if (pair == nullptr) return {};
    const QueuePairConfig& config = pair->config;
    return {pair->pacing.rate, ledger_[config.flow].sent_wire_bits, config.flow, config.dscp};
  }
  PicoSeconds paused_time() const { return pause_.paused_time(now()); }
  /// Statistics of the pauses received in one priority.
  PriorityPauses pauses(int priority) const { return pause_.pauses(priority, now()); }
  /// Time at which the wire ends its last transmission; in the past if the wire is idle.
  PicoSeconds wire_free_at() const { return wire_free_; }
  /// Replaces NicParameters::demotion for all packets made from now on.
  void set_demotion(std::vector<Bytes> thresholds);
  /// Number of packets that wait in the NIC for their payload or for the wire.
  std::size_t staged() const { return staging_.size(); }
  void add_state(StateDigest& d) const {
    const FlowTally& tally = requester_.tally();
    d(pairs_, pacing_, control_, pause_, wire_free_, wake_, staging_, tally.acknowledged_bytes,
      tally.sizes);
    if (demotion_.is_active()) d(demotion_);
    if (message_rate_ != nullptr) d(*message_rate_);
    if (datagrams_ != nullptr) d(*datagrams_);
    if (!stopped_hosts_.empty()) d(stopped_hosts_);
    for (const auto& [qpn, order] : orders_) {
      d(qpn, order.from, order.priority, order.first_port, order.rate);
    }
  }

 private:
  // Functions that send packets
  bool wire_is_free() const { return wire_free_ <= now(); }
  void put_on_wire(Packet* packet) { wire_free_ = now() + out_->send(packet); }
  /// Sends one packet if the wire is free, and schedules the next attempt.
  void try_send();
  void schedule_send();
  void prefetch_next_sender() const {
    if (control_.empty()) prefetch(pacing_.first_waiting());
  }
  void send_one();
  bool send_one_control();
  void send_data(Packet* packet);
  void send_one_staged();
  void stage_packets();
  bool is_withdrawn(const Packet& packet) const;
  bool staged_packet_is_ready() const;
  void dma_done(std::uint32_t tag, bool ok) override;
  bool transport_may_send() const {
    return (pause_.blocked() == 0 || transport_->respects_priority_pauses()) &&
           transport_->has_packet();
  }
  /// The next data packet; null if no data may be sent now. The common case is inline, since every
  /// ACK calls this function.
  Packet* next_data_packet() {
    return pacing_.is_idle(now()) && port_ == nullptr ? nullptr : pick_data_packet();
  }
  Packet* pick_data_packet();
  bool delays_message(Qpn qpn, SendQueuePair& pair, const PacketPlan& plan);
  Packet* make_request_packet(Qpn qpn, SendQueuePair& pair, const PacketPlan& plan, Psn psn);
  Packet* make_repeated_packet(Qpn qpn, SendQueuePair& pair);
  Packet* make_response_packet(Qpn qpn, SendQueuePair& pair);
  void post_work(Qpn qpn, SendQueuePair& pair, const WorkItem& item);
  void post_datagram(Qpn qpn, SendQueuePair& pair, const WorkItem& item);

  // Functions that decide which queue pair may send
  bool may_send(const SendQueuePair& pair) const;
  bool may_request(const SendQueuePair& pair) const;
  [[gnu::noinline]] bool reads_allow(const SendQueuePair& pair) const;
  bool has_response(const SendQueuePair& pair) const {
    return pair.reads != nullptr && !pair.reads->responder.responses.empty();
  }
  bool is_response_next(SendQueuePair& pair);
  /// True if READ responses are paced, which holds if the algorithm controls this end too.
  bool responses_are_paced(const SendQueuePair& pair) const {
    return needs_.cnp && pair.config.governed;
  }
  bool is_stopped(HostId host) const;
  /// Priority of a packet at offset `offset` of its message. Precondition: demotion_ is active.
  std::uint8_t priority_at(Qpn qpn, Bytes offset) const;
  void demote(Qpn qpn, Bytes offset, Packet& packet) const;
  PicoSeconds next_request_start(const SendQueuePair& pair) const;
  void activate_if_sendable(Qpn qpn, SendQueuePair& pair);
  void activate(Qpn qpn, SendQueuePair& pair);
  void set_turn_priority(Qpn qpn, const SendQueuePair& pair);

  // Functions for a NIC whose pacer block chooses the queue pair that sends next, defined in
  // pacer/transmitter_pacer.cpp.
  void decided() override;
  PicoSeconds wire_free() const override { return wire_free_; }
  bool takes_ahead() const override { return staging_.has_room(); }
  PicoSeconds wire_time(std::uint32_t bytes) const override {
    return serialization_time(bytes, parameters_.line_rate);
  }
  void offer(Qpn qpn, SendQueuePair& pair);
  void offer_delayed();
  [[noreturn]] static void refuse_response(Operation operation);
  Qpn take_decision();
  Qpn pick_specially();
  void pauses_changed();
  void schedule_with_pacer();
  std::uint32_t wire_bytes_of(const PacketPlan& plan, const SendQueuePair& pair) const;

  /// Reports a sent packet to the algorithm. Precondition: needs_.on_sent, and the algorithm
  /// controls the queue pair.
  void tell_sent(Qpn qpn, const SentInfo& info) {
    if (parser_ == nullptr) {
      algorithm_->on_sent(qpn, info);
    } else {
      on_sent_by_parser(qpn, info);
    }
  }
  // Functions for a NIC with a parser block, defined in parser/transmitter_parser.cpp.
  void on_cnp_by_parser(const Packet& cnp);
  void on_sent_by_parser(Qpn qpn, const SentInfo& info);

  // Members that are read for each sent packet stand together, so that a packet loads few cache
  // lines. The scheduler prefetches the cache line in front of an event: the members just before
  // `wake_`.
  Scheduler& scheduler_;
  PacketPool& pool_;
  FlowLedger& ledger_;
  NicCounters& counters_;
  const NicParameters& parameters_;
  PacketOut* out_ = nullptr;
  Algorithm* algorithm_ = nullptr;
  Transport* transport_ = nullptr;
  // port to the pacer block; null: pacing_ and pacer_ decide instead
  std::unique_ptr<PacerPort> port_;
  std::unique_ptr<MessageRate> message_rate_;  // limit of the message rate; null: no limit
  // parser block; null: the algorithm gets CNPs and sent packets directly
  ParserEngine* parser_ = nullptr;
  // a packet is being made, during which nested calls of try_send() do nothing
  bool sending_ = false;
  // true with port_ or with demotion of priorities: turns are not those of pacing_ alone
  bool special_turns_ = false;
  std::uint32_t rank_;
  AlgorithmNeeds needs_;
  NumberedTable<SendQueuePair> pairs_;
  Rate line_rate_;
  alignas(64) PacingScheduler pacing_;
  Dma* dma_ = nullptr;
  FlowPacer pacer_;
  ControlQueue control_;
  LinkPause pause_;
  Demotion demotion_;
  PicoSeconds wire_free_{};  // time at which the packet on the wire ends
  Event wake_;               // event for the next attempt to send
  PayloadStaging staging_;
  bool awaits_payload_ = false;  // the packet being made started a DMA request for its payload
  ReadResponder responder_;
  const PeerNics* peers_ = nullptr;
  // hosts that on_flow_pause() stopped, listed once for each switch port that stopped them
  std::vector<HostId> stopped_hosts_;
  std::map<Qpn, FlowOrder> orders_;  // orders that the central agent gave, by queue pair
  Requester requester_;
  // contexts of reliable datagrams; null: no such queue pair yet
  std::unique_ptr<EndToEndContexts> datagrams_;
};

}  // namespace dcc
