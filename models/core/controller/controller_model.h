// The cycle-accurate model of the controller: notifications enter, and rates leave a fixed number
// of cycles later.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "controller/controller_engine.h"
#include "controller/cycle_clock.h"
#include "controller/joined_cnps.h"
#include "controller/rate_engine.h"
#include "controller/recent_issues.h"
#include "controller/ring_queue.h"
#include "controller/timer_engine.h"
#include "driver/dcc_regs.h"
#include "sim/scheduler.h"

namespace dcc {

/// The cycle-accurate model of the controller: congestion manager, timing engine and rate engine on
/// one clock, by the rules of docs/controller-contract.md.
///
/// An input is a call at any time. The model samples inputs at clock edges, one input of each kind
/// at an edge. Each cycle issues at most one event, in the order of preference CNP, timer event,
/// command, bytes. An event takes effect at its issue; its answer and its interrupt cause leave
/// `latency_cycles` later.
///
/// The model has no clock process. The cycle in which an event is issued follows from earlier
/// inputs, so the model computes it with the next input or access, at the latest when an answer may
/// be due. Calls must come in the order of time, and see every event that was issued before the
/// edge at which they are sampled.
class ControllerModel final : public ControllerEngine {
 public:
  /// A null engine stands for the model (TimingWheel, RateUnit). Throws std::invalid_argument for a
  /// configuration outside its ranges. `rank` orders the model's answers among the events of one
  /// instant.
  ControllerModel(Scheduler& scheduler, const ControllerConfig& config, std::uint32_t rank,
                  RateSink& sink, std::unique_ptr<TimerEngine> timers = nullptr,
                  std::unique_ptr<RateEngine> rates = nullptr);

  // Functions of ControllerEngine
  void cnp(std::uint32_t flow, std::uint8_t dscp, std::uint8_t marks,
           std::uint8_t packets = 0) override;
  void bytes(std::uint32_t flow, std::uint8_t dscp, std::uint32_t length) override;
  void release(std::uint32_t flow) override { command(flow, true); }
  void query(std::uint32_t flow) override { command(flow, false); }

  const ControllerParameters& parameters() const override { return manager_.parameters(); }
  const RateTables& tables() const override { return manager_.tables(); }
  /// Shares rate tables with `other`: keeps one copy of tables that are equal.
  void share_tables(const RateTables& other) { manager_.share_tables(other); }
  void access(regs::RegisterAccess& access) override;
  void set_parameters(const ControllerParameters& parameters, bool reset = false) override;
  // Steps of a register access, for callers without a register block.
  void soft_reset() { set_parameters(parameters(), true); }
  /// Writes an entry of a rate table; returns false if the index is beyond the table.
  bool write_table(RateTable table, std::uint32_t index, std::uint32_t word);
  /// Waits until the pipeline is empty, as a read of a table or of a slot does.
  void access_window() { quiesce(); }

  const ControllerConfig& config() const override { return config_; }
  bool ready() override { return resets_ordered_ == 0 && edge() + 1 >= ready_from_; }
  SlotView slot(SlotIndex slot) override;
  std::optional<SlotIndex> slot_of(std::uint32_t flow) override;
  std::uint32_t free_slots() override;
  const ControllerStatistics& statistics() override;
  const TimerCounters& timer_counters() override;
  std::uint64_t bytes_dropped_at_port() const override { return dropped_at_port_; }
  std::uint64_t missed_latency() override;
  Tick timer_lateness_max() override;
  Tick time() override { return clock_.tick_of(edge()); }
  Tick timer_lag() override;
  bool overrun() override;
  bool idle() override;

  void observe(SlotObserver* observer) override;
  void on_cause(CauseSink* sink) override { causes_ = sink; }
  ControllerModel* model() override { return this; }

  /// The congestion manager, not brought up to the present time; for SlotObserver callbacks only.
  const CongestionManager& manager() const { return manager_; }
  TimerEngine& timers() { return *timers_; }
  RateEngine& rates() { return *rates_; }

 private:
  static constexpr Cycle kNever = std::numeric_limits<Cycle>::max() / 2;

  using Cnp = ControllerCnp;
  struct Bytes {
    Cycle sampled = 0;
    std::uint32_t flow = 0;
    std::uint32_t length = 0;
    std::uint32_t packets = 1;
    std::uint8_t dscp = 0;
  };
  struct Command {
    Cycle sampled = 0;
    std::uint32_t flow = 0;
    bool release = false;
  };
  /// The next timer event, which was taken from the timing engine before its issue. No input can
  /// change this event any more.
  struct TimerHead {
    bool valid = false;
    std::uint32_t flow = 0;
    TimerExpiry event;
  };
  struct Outcome {
    enum class Kind : std::uint8_t { kRate, kBoundQuery, kUnboundQuery, kCause };
    Cycle when = 0;
    Kind kind = Kind::kRate;
    std::uint32_t flow = 0;  // flow number of the outcome; for kCause, the interrupt causes
    Rate rate;
  };

  /// An access of software that waits for its turn at the register port, with the change that the
  /// access makes.
  struct Order {
    enum class Change : std::uint8_t { kNothing, kTable, kRegister };
    Cycle called = 0;  // cycle in which software began the access
    bool waits = false;
    Change change = Change::kNothing;
    std::uint16_t index = 0;  // index of the table entry or the register accessed
    std::uint32_t word = 0;   // number of the word in a table's window
    std::uint32_t value = 0;
    Cycle least = 0;  // minimum number of cycles from the edge at which the access acts to its end
  };

  static std::uint32_t divider(const ControllerParameters& parameters) {
    return std::max(std::uint32_t{DCC_TICK_DIV_VALUE_MIN}, std::uint32_t{parameters.tick_div});
  }
  Cycle edge() const { return clock_.edge_at(scheduler_.now()); }
  bool before_first_edge() const { return scheduler_.now() == clock_.time_of(0); }
  void command(std::uint32_t flow, bool release);
  /// True if an input that is handed over now may be sampled while the controller is enabled.
  bool might_be_enabled() const {
    return enabled_ || manager_.parameters().enable || !enable_changes_.empty() || !orders_.empty();
  }
  /// True if CNPs or bytes wait to be issued.
  bool inputs_wait() const {
    return (cnps_.size() | cnps_ahead_.size() | bytes_.size() | bytes_ahead_.size()) != 0 ||
           !joined_.empty();
  }
  /// True if no command, reset or change of CTRL.ENABLE is pending, so that an input with an empty
  /// queue in front is issued as soon as the clock allows.
  bool is_steady() const {
    return enabled_ && !reset_pending_ && bytes_sampled_ >= ready_from_ &&
           enable_changes_.empty() && orders_.empty() &&
           (commands_.size() | commands_ahead_.size()) == 0;
  }

  /// Samples all inputs up to the edge of `cycle`, and issues all events up to that cycle. No bytes
  /// are pending afterwards.
  void advance(Cycle cycle) {
    if (pending_bytes_.packets != 0) flush_pending_bytes(cycle);
    if (!orders_.empty()) carry_out_orders(cycle);
    if (cycle >= next_possible_) work_until(cycle);
  }
  void flush_pending_bytes(Cycle cycle);
  /// Brings the model up to the cycle before edge(), which no input can change any more.
  void settle() { advance(edge() - 1); }
  void work_until(Cycle cycle);
  Cycle next_sample() const;
  void sample(Cycle edge);
  void sample_cnp(const Cnp& cnp);
  /// Samples byte notifications; returns false if the FIFO is full.
  bool sample_bytes(const Bytes& bytes);
  bool dropped(Cycle sampled);
  /// Issues events up to `cycle`. Returns a cycle before which no further event is issued.
  Cycle issue_until(Cycle cycle);
  /// The cycle from which on the head of each FIFO (CNP, timer, command, bytes) can be chosen for
  /// issue.
  struct Heads {
    Cycle cnp, timer, command, bytes;
  };
  /// For each kind: true if the head is there, and its flow is busy.
  struct Busy {
    bool cnp = false, timer = false, command = false, bytes = false;
  };
  Busy find_busy(Cycle at, const Heads& heads);
  bool yields(Cycle at, const Heads& heads) const;
  bool issue_at(Cycle at, const Heads& heads, const Busy& busy);
  void take_cnp(Cycle at);
  bool can_join(const Cnp& cnp, Cycle at);
  void join_cnp(Cycle at);
  bool blocked(std::uint32_t flow, Cycle at);
  Cycle unblocked(std::uint32_t flow, Cycle at);
  void note_issue(std::uint32_t flow, Cycle cycle, bool cnp = false);
  void issue_cnp(Cycle cycle, const Cnp& cnp);
  void issue_timer(Cycle cycle);
  void issue_command(Cycle cycle, const Command& command);
  void issue_bytes(Cycle cycle, const Bytes& bytes);
  bool load_timer_head(Cycle cycle);
  void bound_timer(Tick now);
  Cycle timer_from(Tick due) const;
  std::uint32_t freed_lately(Cycle cycle);
  Cycle quiesce();
  Cycle begin_access(Cycle begin, Cycle least);
  void carry_out_orders(Cycle cycle);
  static bool is_soft_reset(const Order& order);
  void carry_out(const Order& order, Cycle begin);
  void apply(const Order& order, Cycle effect);
  void write_register(std::uint16_t index, std::uint32_t stored, Cycle effect);
  void change_parameters(const ControllerParameters& parameters, Cycle effect);
  void begin_reset(Cycle effect);
  void reset();

  void answer(Cycle issued, const std::optional<RateAnswer>& answer);
  void raise(Cycle issued, std::uint32_t causes);
  void wake();
  void wake_by(Cycle cycle);
  void wake_for_issue(Cycle cycle) { wake_by(cycle + look_ahead_); }
  Cycle next_of_interest() const;

  Scheduler& scheduler_;
  ControllerConfig config_;
  CycleClock clock_;
  Cycle latency_;
  Cycle look_ahead_;  // number of cycles ahead for which the model must compute issues
  RateSink& sink_;
  CauseSink* causes_ = nullptr;
  std::unique_ptr<TimerEngine> timers_;
  std::unique_ptr<RateEngine> rates_;
  CongestionManager manager_;

  // Edge of the last sample, and inputs that are not sampled yet, for each input port.
  Cycle cnp_sampled_ = -1;
  Cycle bytes_sampled_ = -1;
  Cycle command_sampled_ = -1;
  RingQueue<Cnp> cnps_ahead_;
  RingQueue<Bytes> bytes_ahead_;
  RingQueue<Command> commands_ahead_;
  // Bytes of one packet that lead to no answer, kept while no other input waits. The next call
  // issues these bytes; their cycle is nearly always past by then, so the bytes never enter a
  // queue. The short cut saves 1.3 % of all instructions of configs/demo.yaml and 1.5 % of
  // configs/incast_8x25g.yaml. With 0 packets no bytes are pending.
  Bytes pending_bytes_{0, 0, 0, 0, 0};
  SlotIndex pending_slot_ = 0;
  // FIFOs of the inputs that were sampled.
  RingQueue<Cnp> cnps_;
  RingQueue<Bytes> bytes_;
  RingQueue<Command> commands_;
  bool bytes_matter_ = false;  // true if the waiting byte notifications may lead to an answer

  Cycle last_issue_ = -timing::kSameFlow;
  Cycle next_issue_ = 0;          // no event is issued before this cycle
  Cycle next_possible_ = kNever;  // no input is sampled and no event is issued before this cycle
  RecentIssues recent_;
  JoinedCnps joined_;
  Cycle next_take_ = 0;     // no CNP leaves its FIFO before this cycle
  RingQueue<Cycle> freed_;  // cycles of the latest issues that freed slots
  TimerHead timer_head_;
  Busy waited_;                 // for each kind but CNPs: true if the head once found its flow busy
  bool bytes_turn_ = false;     // true if a command went before the bytes at the head
  Cycle timer_bound_ = kNever;  // no timer event is issued before this cycle
  Cycle last_timer_ = 0;        // cycle in which the last timer event was issued
  Tick last_timer_due_ = 0;     // tick in which the last issued timer event was due

  Cycle port_free_ = 0;  // the first cycle in which software's next access can begin
  RingQueue<Order> orders_;
  std::uint32_t resets_ordered_ = 0;  // number of soft resets in orders_
  struct EnableChange {
    Cycle from = 0;
    bool enable = false;
  };
  // value of CTRL.ENABLE at the latest sampled edge; enable_changes_ holds later changes
  bool enabled_ = false;
  RingQueue<EnableChange> enable_changes_;
  // A soft reset drops inputs that are sampled from cycle reset_from_ on and before ready_from_.
  bool reset_pending_ = false;
  Cycle reset_from_ = 0;
  Cycle ready_from_ = 0;

  std::uint64_t missed_latency_ = 0;
  std::uint64_t dropped_at_port_ = 0;
  Tick lateness_max_ = 0;
  RingQueue<Outcome> outcomes_;
  Event wake_event_;
};

}  // namespace dcc
