// The controller as a block with a clock: notifications in, rates out a fixed number of cycles
// later.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "controller/congestion_manager.h"
#include "controller/controller_timing.h"
#include "controller/cycle_clock.h"
#include "controller/rate_engine.h"
#include "controller/recent_issues.h"
#include "controller/ring_queue.h"
#include "controller/timer_engine.h"
#include "describe/quantities.h"
#include "registers/generated/dcc_map.h"
#include "sim/scheduler.h"

namespace dcc {

/// Who takes the calculated rates: the NIC's scheduler.
class RateSink {
 public:
  virtual void rate_calculated(std::uint32_t flow, Rate rate) = 0;
  /// A query's answer: the rate of the flow's slot, or none. For those who ask.
  virtual void query_answered(std::uint32_t /*flow*/, std::optional<Rate> /*rate*/) {}

 protected:
  ~RateSink() = default;
};

/// Causes of an interrupt, as bits; positions of the register map.
enum ControllerCause : std::uint32_t {
  kCauseTableFull = 1u << 0,  // a CNP found no free slot
  kCauseOverrun = 1u << 1,    // the timing engine fell 2^15 ticks behind
};

/// Hears of causes as they arise (each time, not only the first); the register block keeps them.
class CauseSink {
 public:
  virtual void causes_raised(std::uint32_t causes) = 0;

 protected:
  ~CauseSink() = default;
};

class ParameterVisitor;

/// CAPS has eight bits for it.
constexpr std::uint32_t kMaxLatencyCycles =
    regs::dcc_map::kCapsLatencyMask >> regs::dcc_map::kCapsLatencyShift;

/// What an instance is built with.
struct ControllerConfig {
  std::uint32_t slots = 1024;  // 1 … kMaxSlots
  Frequency clock{250'000'000};
  PicoSeconds tick = kMicroSecond;    // of the timing engine; its registers start at a reset value
  std::uint32_t latency_cycles = 64;  // timing::kLeastLatency … kMaxLatencyCycles: issue to answer
  std::array<unsigned, 3> split{5, 5, 6};  // bits of the wheel's levels, first to last

  PicoSeconds clock_period() const { return clock.cycles(1); }
  void describe(ParameterVisitor& v);
  /// Throws ParameterError when values do not go together.
  void check() const;
};

/// One slot as the register window shows it.
struct SlotView {
  std::optional<std::uint32_t> flow;  // none: free
  SlotParameters parameters;
  std::optional<std::uint32_t> timer_due;  // 16 bits and the epoch bit; none: not pending
};

/// Congestion manager, timing engine and rate engine as a machine with a clock:
/// docs/controller-contract.md has its rules.
///
/// Inputs are calls at any time; they are sampled at the next edge, one of a kind at an edge. A
/// cycle issues at most one event: a CNP, else a timer event, else a command, else bytes. All that
/// an event does is done at its issue; its answer and its cause leave `latency_cycles` later.
///
/// There is no clock process. The cycle in which an event is issued follows from what came before
/// it, so it is reckoned when somebody needs to know: with the next input or access, at the latest
/// when an answer may be due. Calls come in time order, and see all that was issued up to the edge
/// at which they are sampled.
class ControllerDevice {
 public:
  /// Null engines mean the models (TimingWheel, RateUnit). std::invalid_argument for a
  /// configuration outside its ranges. `rank`: of answers among the events of one instant.
  ControllerDevice(Scheduler& scheduler, const ControllerConfig& config, std::uint32_t rank,
                   RateSink& sink, std::unique_ptr<TimerEngine> timers = nullptr,
                   std::unique_ptr<RateEngine> rates = nullptr);

  // Notifications. While not enabled they are dropped and counted nowhere.
  void cnp(std::uint32_t flow, std::uint8_t dscp, std::uint8_t marks, std::uint8_t packets = 0);
  void bytes(std::uint32_t flow, std::uint8_t dscp, std::uint32_t length);

  // Commands, enabled or not.
  /// The queue pair is destroyed: the flow loses its slot.
  void release(std::uint32_t flow) { command(flow, true); }
  /// Asks for the flow's rate: RateSink::query_answered.
  void query(std::uint32_t flow) { command(flow, false); }

  // Registers. A write waits until nothing is on its way, and acts on what is issued afterwards. At
  // the very instant of construction it comes before the first edge and waits for nothing.
  const ControllerParameters& parameters() const { return manager_.parameters(); }
  void set_parameters(const ControllerParameters& parameters) { access(parameters, false); }
  const RateTables& tables() const { return manager_.tables(); }
  /// False if there is no such entry.
  bool write_table(RateTable table, std::uint32_t index, std::uint32_t word);
  /// Software reads a table or a slot: waits as a write does.
  void access_window() { quiesce(); }
  /// When the last access is over.
  PicoSeconds access_done() const { return clock_.time_of(quiet_until_ - 1); }
  /// Forgets every slot, timer event, input that waits and answer under way; clears statistics,
  /// lateness and overrun. Parameters, tables and the time stay. It takes a cycle a slot and some;
  /// what comes meanwhile is dropped and counted. The scheduler keeps the rates it has: the driver
  /// resets before traffic, or gives the flows their rates itself.
  void soft_reset() { access(parameters(), true); }
  /// One access that does both.
  void access(const ControllerParameters& parameters, bool soft_reset);

  // Reading: side-effect free for the simulated hardware, exact at the present edge.
  const ControllerConfig& config() const { return config_; }
  bool ready() const { return edge() + 1 >= ready_from_; }
  SlotView slot(SlotIndex slot);
  /// The slot of a flow, or none.
  std::optional<SlotIndex> slot_of(std::uint32_t flow);
  std::uint32_t free_slots();
  const ControllerStatistics& statistics();
  const TimerCounters& timer_counters();
  std::uint64_t missed_latency();
  Tick timer_lateness_max();  // whole ticks
  Tick time() const { return clock_.tick_of(edge()); }
  Tick timer_lag();
  bool overrun();
  bool idle();  // every slot free

  /// Null switches either off. Slots are observed in the cycle in which they change.
  void observe(SlotObserver* observer);
  void on_cause(CauseSink* sink) { causes_ = sink; }

  /// As it is, for those who are just being told of a change; all others ask the above.
  const CongestionManager& manager() const { return manager_; }
  TimerEngine& timers() { return *timers_; }
  RateEngine& rates() { return *rates_; }

 private:
  static constexpr Cycle kNever = std::numeric_limits<Cycle>::max() / 2;

  struct Cnp {
    Cycle sampled = 0;
    std::uint32_t flow = 0;
    std::uint8_t dscp = 0;
    std::uint8_t marks = 0;
    std::uint8_t packets = 0;
  };
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
  /// The wheel's next event, taken from it ahead of its issue: nothing can change it any more.
  struct TimerHead {
    bool valid = false;
    std::uint32_t flow = 0;
    TimerExpiry event;
  };
  struct Outcome {
    enum class Kind : std::uint8_t { kRate, kBoundQuery, kUnboundQuery, kCause };
    Cycle when = 0;
    Kind kind = Kind::kRate;
    std::uint32_t flow = 0;  // or causes
    Rate rate;
  };

  Cycle edge() const { return clock_.edge_at(scheduler_.now()); }
  bool before_first_edge() const { return scheduler_.now() == clock_.time_of(0); }
  void command(std::uint32_t flow, bool release);
  /// An input handed over now might count.
  bool might_be_enabled() const {
    return enabled_ || manager_.parameters().enable || !enable_changes_.empty();
  }
  bool might_increase(std::uint32_t flow, std::uint32_t length) const;

  /// Brings everything up to `cycle`: what is sampled at its edge, what is issued in it.
  void advance(Cycle cycle) {
    if (cycle >= next_possible_) work_until(cycle);
  }
  /// What is called now is sampled at edge(): the cycles before it cannot change any more.
  void settle() { advance(edge() - 1); }
  void work_until(Cycle cycle);
  Cycle next_sample() const;
  void sample(Cycle edge);
  void sample_cnp(const Cnp& cnp);
  /// False: the FIFO is full.
  bool sample_bytes(const Bytes& bytes);
  bool dropped(Cycle sampled);
  /// The next issue is not before the cycle it returns.
  Cycle issue_until(Cycle cycle);
  bool issue_alone(Cycle cycle);
  void note_issue(std::uint32_t flow, Cycle cycle);
  void issue_cnp(Cycle cycle, const Cnp& cnp);
  void issue_timer(Cycle cycle);
  void issue_command(Cycle cycle, const Command& command);
  void issue_bytes(Cycle cycle, const Bytes& bytes);
  bool load_timer_head(Cycle cycle);
  void bound_timer(Tick now);
  Cycle timer_from(Tick due) const;
  std::uint32_t freed_lately(Cycle cycle);
  Cycle quiesce();
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
  Cycle look_ahead_;  // so long after its cycle an issue may be reckoned
  RateSink& sink_;
  CauseSink* causes_ = nullptr;
  std::unique_ptr<TimerEngine> timers_;
  std::unique_ptr<RateEngine> rates_;
  CongestionManager manager_;

  // Each port: the edge of its last sample, and what is handed over but not sampled yet.
  Cycle cnp_sampled_ = -1;
  Cycle bytes_sampled_ = -1;
  Cycle command_sampled_ = -1;
  RingQueue<Cnp> cnps_ahead_;
  RingQueue<Bytes> bytes_ahead_;
  RingQueue<Command> commands_ahead_;
  // FIFOs.
  RingQueue<Cnp> cnps_;
  RingQueue<Bytes> bytes_;
  RingQueue<Command> commands_;
  bool bytes_matter_ = false;  // one of those that wait may lead to an answer

  Cycle last_issue_ = -timing::kSameFlow;
  Cycle next_issue_ = 0;          // none before
  Cycle next_possible_ = kNever;  // neither a sample nor an issue before
  RecentIssues recent_;
  RingQueue<Cycle> freed_;  // issues that freed slots, of the last cycles
  TimerHead timer_head_;
  Cycle timer_bound_ = kNever;  // the next timer event is not issued before
  Cycle last_timer_ = 0;        // issue of the one before
  Tick last_timer_due_ = 0;     // … and what it was due in

  Cycle quiet_until_ = 0;  // an access is over
  struct EnableChange {
    Cycle from = 0;
    bool enable = false;
  };
  bool enabled_ = false;  // CTRL.ENABLE as of the edge sampled last, and what becomes of it
  RingQueue<EnableChange> enable_changes_;
  // A reset: of what is sampled at the first of these edges and before the second.
  bool reset_pending_ = false;
  Cycle reset_from_ = 0;
  Cycle ready_from_ = 0;

  std::uint64_t missed_latency_ = 0;
  Tick lateness_max_ = 0;
  RingQueue<Outcome> outcomes_;
  Event wake_event_;
};

}  // namespace dcc
