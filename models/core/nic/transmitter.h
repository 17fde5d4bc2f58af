// The sending half of a NIC (the text's "packet transmit" and "scheduler"): queue pairs with work,
// pacing at each flow's rate, windows, acknowledgements and go-back-N.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "nic/algorithm/algorithm.h"
#include "nic/dma.h"
#include "nic/nic_parameters.h"
#include "nic/pacing_scheduler.h"
#include "nic/transport.h"
#include "nic/work_queue.h"
#include "sim/scheduler.h"
#include "stats/class_delays.h"
#include "stats/flow_ledger.h"
#include "stats/log_histogram.h"
#include "stats/numbered_table.h"
#include "stats/proportion.h"
#include "wire/link.h"
#include "wire/packet.h"

namespace dcc {

/// Hears of finished work. May post more; must not create queue pairs from within the call.
class CompletionSink {
 public:
  enum class Status : std::uint8_t {
    kOk,
    kLocalError,     // its own memory, or a response that is not what was asked for
    kRemoteError,    // an address that is not the other host's to give
    kRemoteInvalid,  // longer than the buffer that the other host has for it
    kRetryExceeded,  // nothing was heard, however often it was repeated
    kNotReady,       // the other host had no buffer, however often it was asked
    kFlushed,
  };
  virtual void work_done(Qpn qpn, const WorkItem& item, Status status) = 0;
  /// Part of what is read has come, for this host's memory; its last part before work_done.
  virtual void read_came(Qpn, std::uint64_t /*address*/, const Packet&) {}

 protected:
  ~CompletionSink() = default;
};

class Transmitter final : public AlgorithmHost, private DmaClient {
 public:
  Transmitter(Scheduler& scheduler, PacketPool& pool, FlowLedger& ledger, NicCounters& counters,
              const NicParameters& parameters, std::uint32_t rank);

  void connect(PacketOut& out) { out_ = &out; }
  void set_algorithm(Algorithm* algorithm);
  /// Not owned; before the first queue pair. What it sends takes the place of all of this's own
  /// data. Null: RoCE.
  void set_transport(Transport* transport) { transport_ = transport; }
  void set_completion_sink(CompletionSink* sink) { completions_ = sink; }
  /// Needed with real payload only.
  void set_dma(Dma* dma) { dma_ = dma; }

  /// Queue pair numbers are small and dense; creating one again resets it. Until it is connected
  /// it takes work but sends nothing.
  void create_queue_pair(Qpn qpn, const QueuePairConfig& config);
  void connect_queue_pair(Qpn qpn);
  /// What was posted ends as flushed.
  void destroy_queue_pair(Qpn qpn);
  /// Nothing is left to do for it that its packets in the network do not bring: all that was posted
  /// is acknowledged and all that was asked answered, and the algorithm leaves it alone.
  bool is_quiescent(Qpn qpn) const;
  /// Of one that rests, and of which no packet is in the network: as if it had never been, but for
  /// what was counted.
  void release(Qpn qpn);
  // Of one that exists:
  bool failed(Qpn qpn) const { return flows_[qpn].failed; }
  Service service(Qpn qpn) const { return flows_[qpn].config.service; }
  bool has_work(Qpn qpn) const { return !flows_[qpn].work.idle(); }
  /// The MTU parameter has changed: for queue pairs created from now on.
  void mtu_changed();
  bool exists(Qpn qpn) const {
    const Flow* const flow = flows_.find(qpn);
    return flow != nullptr && flow->created;
  }
  /// The algorithm knows it.
  bool governed(Qpn qpn) const { return exists(qpn) && flows_[qpn].config.governed; }
  /// Precondition: exists(qpn), item.bytes > 0.
  void post(Qpn qpn, const WorkItem& item);
  /// Sends nothing more of what was posted; what is out is still acknowledged.
  void stop(Qpn qpn);
  /// What is left to send of the oldest work of which anything is; 0: all is out. RoCE's own.
  Bytes unsent(Qpn qpn) const { return flows_[qpn].work.unsent(); }
  /// As if so much of it had been sent, had arrived and been acknowledged: less than unsent(), a
  /// multiple of the MTU. The devices notice nothing.
  void mark_delivered(Qpn qpn, Bytes bytes);

  /// ACKs, CNPs: before any data, in the order given, by priority. Takes ownership.
  void send_control(Packet* packet);

  /// Frames of the link's own: before anything else, whatever is held. Takes ownership.
  void send_link_control(Packet* packet);
  /// Bit p set: priority p is not sent; all as they are now.
  void block(unsigned classes) {
    pause(classes);
    try_send();
  }

  /// Something of a queue pair is near.
  void prefetch(Qpn qpn) const {
    const auto* const flow = reinterpret_cast<const char*>(flows_.find(qpn));
    if (flow == nullptr) return;
    for (std::size_t byte = 0; byte < sizeof(Flow); byte += 64) {
      __builtin_prefetch(flow + byte, 1);
    }
  }

  /// A request to read that may be, or an atomic one: answered in order, behind the answers before
  /// it. One that was carried out is not carried out again: it gets the answer that it got.
  void answer(Qpn qpn, const Packet& request);
  /// Packets of the response to a request of this queue pair for so many bytes.
  std::uint32_t packets_of(Qpn qpn, std::uint32_t bytes) const;

  /// Of a read, or of an atomic operation.
  void on_response(const Packet& packet);

  // For the transport, if there is one:
  /// It may have data now.
  void data_ready() { try_send(); }
  /// Bit p set: priority p may be sent.
  unsigned allowed() const { return ~blocked_ & 0xFFu; }
  /// Payload of a flow that was acknowledged for the first time, and how long a packet took.
  void acknowledged(std::uint32_t flow, Bytes bytes) {
    tally_.acknowledged(ledger_[flow], bytes, now());
  }
  void round_trip(PicoSeconds rtt) {
    rtt_ns_.add(static_cast<std::uint64_t>(rtt.count / kNanoSecond.count));
  }
  void work_done(Qpn qpn, const WorkItem& item, CompletionSink::Status status) {
    if (completions_ != nullptr) completions_->work_done(qpn, item, status);
  }

  void on_ack(const Packet& ack);
  void on_nak(const Packet& nak);
  void on_cnp(const Packet& cnp);
  void on_cnm(const Packet& cnm);
  void on_pause(unsigned classes);
  /// Bit p: priority p may be paused by the far end; pauses of others are not heeded.
  void set_pfc_mask(std::uint8_t priorities);
  /// The wire carries nothing any more, or does again; then nothing is paused.
  void set_carrier(bool up);

  // AlgorithmHost
  PicoSeconds now() const override { return scheduler_.now(); }
  void set_rate(FlowNumber flow, Rate rate) override;
  void set_window(FlowNumber flow, Bytes bytes) override;
  void start_timer(FlowNumber flow, int id, PicoSeconds delay) override;
  void stop_timer(FlowNumber flow, int id) override;
  Rate line_rate() const override { return line_rate_; }

  struct FlowView {
    Rate rate;
    std::uint64_t wire_bits = 0;
    std::uint32_t flow = 0;
    std::uint8_t dscp = 0;
  };
  FlowView view(Qpn qpn) const;
  /// Above the greatest number of one.
  std::size_t queue_pairs() const { return flows_.size(); }
  /// RTT of every acknowledged packet, nanoseconds, from reset_statistics() on.
  const LogHistogram& rtt_ns() const { return rtt_ns_; }
  void reset_statistics() { rtt_ns_ = LogHistogram(); }
  /// What was acknowledged since `earlier` happened again, so many times.
  void repeat_statistics(const LogHistogram& earlier, const Proportion& times) {
    rtt_ns_.repeat_since(earlier, times);
  }
  /// Round trips by class from now on; null: none. Not owned.
  void observe_delays(DelaysByClass* delays) { delays_ = delays; }
  PicoSeconds paused_time() const;
  const FlowTally& tally() const { return tally_; }
  /// From now on; those that were not taken yet.
  void keep_finished_sizes() { tally_.keeps_sizes = true; }
  std::vector<Bytes> take_finished_sizes() { return std::exchange(tally_.sizes, {}); }
  /// As NicParameters::demotion, from the next packet on, of messages under way, too.
  void set_demotion(std::vector<Bytes> thresholds);
  /// Packets that are made and not sent, because their payload is on its way from the host.
  std::size_t staged() const { return staged_.size(); }
  template <class Digest>
  void add_state(Digest& d) const {
    d(flows_, pacing_, control_, control_waiting_, paused_, blocked_, wire_free_, wake_, arrived_,
      staged_bytes_, tally_.acknowledged_bytes, tally_.sizes, oldest_, youngest_, timeout_);
    for (const Staged& staged : staged_) d(*staged.packet, staged.waits);
    if (demotes_) d(demotion_);
  }

 private:
  struct FlowTimer {
    Transmitter* owner = nullptr;
    FlowNumber flow = 0;
    int id = 0;
    Event event;
    FlowTimer(Transmitter& transmitter, FlowNumber number, int timer, std::uint32_t rank);
    void fire();
    template <class Digest>
    void add_state(Digest& d) const {
      d(event);
    }
  };
  using FlowTimers = std::array<std::unique_ptr<FlowTimer>, kTimersPerFlow>;

  /// What is left to send of an answer.
  struct Answer {
    Operation operation = Operation::kRead;  // that it is the answer to
    bool known = false;                      // an atomic one's, given before: `original`
    AtomicOperands operands;
    std::uint64_t original = 0;
    Psn psn = 0;
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    bool begun = false;
    std::uint32_t flow = 0;  // ledger record of the one who asked
    /// When the request left, and later by the line's time for what of the answer has gone: the
    /// round trip of each of its packets does not hold the time of those before it.
    PicoSeconds echo{};
    template <class Digest>
    void add_state(Digest& d) const {
      d(operation, known, operands.swap_or_add, operands.compare, original, psn, address, bytes,
        begun, flow, echo);
    }
  };
  /// An atomic operation that was carried out here, for the case that its answer is lost.
  struct Atomic {
    Psn psn = 0;
    bool known = false;    // memory has told what was there
    bool refused = false;  // there is no such memory: who missed that may ask again
    std::uint64_t original = 0;
    template <class Digest>
    void add_state(Digest& d) const {
      d(psn, known, refused, original);
    }
  };
  /// Of queue pairs that read or are read from.
  struct Reads {
    std::deque<Answer> answers;
    std::deque<Atomic> atomics;  // the last ones: as many as a requester may have under way
    bool own_turn = false;       // answers and own requests take turns
    Psn acked_to = 0;            // by number; what is read before it may still be on its way
    bool gap = false;            // part of a response was lost, and asked for again
    Psn refused_at = 0;          // a later request was refused: told when what is before it is done
    bool refused = false;
    CompletionSink::Status refusal{};
    template <class Digest>
    void add_state(Digest& d) const {
      d(answers, atomics, own_turn, acked_to, gap, refused_at, refused, refusal);
    }
  };

  static constexpr Qpn kNoFlow = 0xFFFFFFFF;

  /// What every packet touches comes first, line by line: who may send and when, the work, whose it
  /// is.
  struct alignas(64) Flow {
    Flow() : Flow(0) {}
    explicit Flow(std::uint32_t mtu) : work(mtu) {}
    bool created = false;
    bool connected = false;
    bool failed = false;  // error state: work is flushed until the queue pair is created anew
    bool outstanding = false;
    bool has_window = false;      // what has ever had one gets ACKs within its messages, too
    std::uint8_t tries = 0;       // repeats since something was acknowledged: unheard of, …
    std::uint8_t waits = 0;       // … and because the receiver was not ready
    Rate rate;                    // as the algorithm and the application's limit have it
    std::uint32_t last_wire = 0;  // size of the last packet with overhead; of a burst, all so far
    Bytes window = INT64_MAX;
    PicoSeconds full_gap{};        // pacing gap of a full packet at `rate`
    PicoSeconds paced_from{};      // when the last packet was due to start
    PicoSeconds not_before{};      // the receiver asked for so much time
    Bytes burst_left = 0;          // payload that may still follow without a gap
    std::unique_ptr<Reads> reads;  // null: nothing was ever read
    WorkQueue work;
    PicoSeconds progress{};  // last ACK that covered something, or first packet after idle
    Qpn older = kNoFlow, younger = kNoFlow;  // list of flows with packets out, by progress
    QueuePairConfig config;
    PicoSeconds burst_next{};  // when a burst below line rate goes on
    PicoSeconds due{};         // when the next packet, or the burst it is of, may start
    std::unique_ptr<FlowTimers> timers;
    template <class Digest>
    void add_state(Digest& d) const {
      d(created, connected, failed, tries, waits, work, rate, window, paced_from, last_wire,
        burst_left, burst_next, due, not_before, progress, older, younger, outstanding, timers,
        reads);
    }
  };
  bool wire_is_free() const { return wire_free_ <= scheduler_.now(); }
  void onto_wire(Packet* packet) { wire_free_ = scheduler_.now() + out_->send(packet); }
  /// Something may have become sendable: sends one packet if the wire is free, and plans the next.
  void try_send();
  void prefetch_next_sender() const {
    if (control_waiting_ == 0) prefetch(pacing_.first_waiting());
  }
  void send_one();
  bool send_one_control();
  void send_data(Packet* packet);
  void send_one_staged();
  void stage();
  bool head_is_ready() const;
  void dma_done(std::uint32_t tag, bool ok) override;
  void schedule_send();
  /// Null where none may go. Asked at every ACK, and mostly none may: that is seen here.
  Packet* next_data_packet() { return pacing_.is_idle(now()) ? nullptr : pick_data_packet(); }
  Packet* pick_data_packet();
  Packet* make_packet(Qpn qpn, Flow& flow, const PacketPlan& plan);
  bool acknowledged(const Flow& flow) const {
    return parameters_.ack != AckMode::kNone && flow.config.service == Service::kRc;
  }
  static Reads& reads_of(Flow& flow);
  bool may_request(const Flow& flow) const;
  bool answers_next(Flow& flow);
  bool answers_are_paced(const Flow& flow) const { return needs_.cnp && flow.config.governed; }
  Packet* next_answer(Qpn qpn, Flow& flow);
  void fill_answer(Packet& packet, Answer& answer, Flow& flow);
  void enter_atomic(std::deque<Atomic>& atomics, Psn psn) const;
  void keep_original(const Packet& answer);
  std::uint32_t answer_wire(const Flow& flow, const PacketPlan& request) const;
  void refuse_read(const Packet& unreadable);
  void skip_without_payload();
  std::uint8_t demoted(const PacketPlan& plan) const;
  void wait_by_next(Qpn qpn, const Flow& flow);
  void fail(Qpn qpn, Flow& flow, CompletionSink::Status status);
  void refused(Qpn qpn, Flow& flow, Psn psn, CompletionSink::Status status);
  bool gives_up(Flow& flow) const;
  void start_pacing(Flow& flow, std::uint32_t wire, const PacketPlan& plan);
  bool may_send(const Flow& flow) const;
  PicoSeconds next_start(const Flow& flow) const;
  PicoSeconds gap_of(const Flow& flow, std::uint32_t wire) const;
  PicoSeconds gap_at(Rate rate, std::uint32_t wire) const;
  void consider(Qpn qpn, Flow& flow);
  void activate(Qpn qpn, Flow& flow);
  static void keep_due(Flow& flow, PicoSeconds start);
  PicoSeconds due_of_next(const Flow& flow) const;
  /// As the host's clock has it.
  PicoSeconds measured(const Flow& flow, PicoSeconds rtt, bool marked);
  Bytes complete_before(Qpn qpn, Flow& flow, Psn psn);
  void progressed(Qpn qpn, Flow& flow, Bytes newly);
  void track(Qpn qpn, Flow& flow);
  void untrack(Qpn qpn, Flow& flow);
  void check_timeouts();
  void repeat_from_oldest(Qpn qpn, Flow& flow);
  void pause(unsigned classes);
  bool transport_may_send() const {
    return (blocked_ == 0 || transport_->heeds_pauses()) && transport_->has_packet();
  }
  unsigned sendable_control() const { return control_waiting_ & ~blocked_; }

  Scheduler& scheduler_;
  PacketPool& pool_;
  FlowLedger& ledger_;
  NicCounters& counters_;
  const NicParameters& parameters_;
  std::uint32_t rank_;
  Rate line_rate_;
  std::uint32_t full_wire_;  // of a full middle packet, with overhead
  bool demotes_ = false;     // there is a demotion_
  PacketOut* out_ = nullptr;
  Algorithm* algorithm_ = nullptr;
  Transport* transport_ = nullptr;
  AlgorithmNeeds needs_;
  CompletionSink* completions_ = nullptr;
  Dma* dma_ = nullptr;

  NumberedTable<Flow> flows_;
  PacingScheduler pacing_;
  std::array<PacketFifo, kPriorities + 1> control_{};  // the last: the link's own
  unsigned control_waiting_ = 0;                       // bit p: control_[p] holds a packet
  unsigned paused_ = 0;                                // bit p: the far end stopped priority p
  unsigned pfc_mask_ = 0xFF;                           // bit p: it may
  unsigned blocked_ = 0;                               // the same, or all for want of a wire
  PicoSeconds pause_started_{};
  PicoSeconds paused_time_{};
  PicoSeconds wire_free_{};  // when the wire has sent what it was given
  bool sending_ = false;
  Event wake_;  // when the next packet may go, as far as is known

  // Real payload: packets whose bytes are on their way from host RAM, in order; those of the first
  // `arrived_` are there, or never had to come.
  struct Staged {
    Packet* packet;
    bool waits;
  };
  std::deque<Staged> staged_;
  bool waits_ = false;  // the packet that is being made has asked host RAM for its bytes
  std::size_t arrived_ = 0;
  Bytes staged_bytes_ = 0;
  Bytes staging_limit_ = 0;

  FlowTally tally_;
  Qpn oldest_ = kNoFlow, youngest_ = kNoFlow;
  Event timeout_;
  LogHistogram rtt_ns_;
  DelaysByClass* delays_ = nullptr;
  std::unique_ptr<HostClock> clock_;  // null: exact
  std::vector<Bytes> demotion_;
};

}  // namespace dcc
