// The model of the controller as a block with a clock: notifications in, rates out a fixed number
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
#include "controller/rate_engine.h"
#include "controller/recent_issues.h"
#include "controller/ring_queue.h"
#include "controller/timer_engine.h"
#include "sim/scheduler.h"

namespace dcc {

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
class ControllerModel final : public ControllerEngine {
 public:
  /// Null engines mean the models (TimingWheel, RateUnit). std::invalid_argument for a
  /// configuration outside its ranges. `rank`: of answers among the events of one instant.
  ControllerModel(Scheduler& scheduler, const ControllerConfig& config, std::uint32_t rank,
                  RateSink& sink, std::unique_ptr<TimerEngine> timers = nullptr,
                  std::unique_ptr<RateEngine> rates = nullptr);

  // As in ControllerEngine.
  void cnp(std::uint32_t flow, std::uint8_t dscp, std::uint8_t marks,
           std::uint8_t packets = 0) override;
  void bytes(std::uint32_t flow, std::uint8_t dscp, std::uint32_t length) override;
  void release(std::uint32_t flow) override { command(flow, true); }
  void query(std::uint32_t flow) override { command(flow, false); }

  const ControllerParameters& parameters() const override { return manager_.parameters(); }
  const RateTables& tables() const override { return manager_.tables(); }
  void access(regs::RegisterAccess& access) override;
  void set_parameters(const ControllerParameters& parameters, bool reset = false) override;
  // Parts of an access without a register block.
  void soft_reset() { set_parameters(parameters(), true); }
  /// Writes an entry of a table; false if there is no such entry.
  bool write_table(RateTable table, std::uint32_t index, std::uint32_t word);
  /// Waits as a read of a table or a slot does.
  void access_window() { quiesce(); }

  const ControllerConfig& config() const override { return config_; }
  bool ready() override { return edge() + 1 >= ready_from_; }
  SlotView slot(SlotIndex slot) override;
  std::optional<SlotIndex> slot_of(std::uint32_t flow) override;
  std::uint32_t free_slots() override;
  const ControllerStatistics& statistics() override;
  const TimerCounters& timer_counters() override;
  std::uint64_t missed_latency() override;
  Tick timer_lateness_max() override;
  Tick time() override { return clock_.tick_of(edge()); }
  Tick timer_lag() override;
  bool overrun() override;
  bool idle() override;

  void observe(SlotObserver* observer) override;
  void on_cause(CauseSink* sink) override { causes_ = sink; }
  ControllerModel* model() override { return this; }

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

  static std::uint32_t divider(const ControllerParameters& parameters) {
    return std::max(regs::dcc_map::kTickDivValueMin, std::uint32_t{parameters.tick_div});
  }
  Cycle edge() const { return clock_.edge_at(scheduler_.now()); }
  bool before_first_edge() const { return scheduler_.now() == clock_.time_of(0); }
  void command(std::uint32_t flow, bool release);
  /// An input handed over now might count.
  bool might_be_enabled() const {
    return enabled_ || manager_.parameters().enable || !enable_changes_.empty();
  }
  bool might_increase(SlotIndex slot, std::uint32_t length) const;
  /// What comes now meets nothing on its way into the pipeline.
  bool alone() const;

  /// Brings everything up to `cycle`: what is sampled at its edge, what is issued in it. Nothing is
  /// kept back afterwards.
  void advance(Cycle cycle) {
    if (lone_.packets != 0) end_lone(cycle);
    if (cycle >= next_possible_) work_until(cycle);
  }
  void end_lone(Cycle cycle);
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
  bool issue_cnp_alone(Cycle cycle);
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
  void write_register(const regs::RegisterAccess& access, Cycle effect);
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
  // One packet's bytes that met nothing and lead to no answer are kept back until something else
  // comes: nearly always they have been issued by then, and were never in a queue. 0 packets: none.
  Bytes lone_{0, 0, 0, 0, 0};
  SlotIndex lone_slot_ = 0;
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
