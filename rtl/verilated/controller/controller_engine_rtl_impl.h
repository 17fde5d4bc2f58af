// Adapter between timed calls and clock cycles of the verilated controller.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "controller/cycle_clock.h"
#include "controller/ring_queue.h"
#include "controller_engine_rtl.h"
#include "driver/dcc_regs.h"
#include "registers/generated/dcc_map.h"

namespace dcc {

/// Drives the RTL lazily: cycles are simulated only when the state is needed, and up to the edge
/// before the present one, because inputs of this instant may still come for the present edge. The
/// RTL shows an answer a cycle before it leaves, so the adapter passes the answer on at the
/// answer's own edge.
///
/// The adapter makes a register access of software at once on a copy of the state, so that the
/// caller gets the value and the end of the access. The access then waits with the other inputs for
/// its cycles, and must end in the same way.
template <class Dut>
class RtlController final : public RtlControllerEngine {
 public:
  RtlController(Scheduler& scheduler, const ControllerConfig& config, std::uint32_t rank,
                RateSink& sink, const RtlControllerOptions& options, std::unique_ptr<Dut> dut)
      : scheduler_(scheduler),
        config_(config),
        clock_(scheduler.now(), config.clock_period(), 1),
        sink_(sink),
        options_(options),
        dut_(std::move(dut)),
        wake_event_(Event::calling<&RtlController::wake>(*this, rank)) {
    dut_->set_slots(config.slots);
  }

  void cnp(std::uint32_t flow, std::uint8_t dscp, std::uint8_t marks,
           std::uint8_t packets) override {
    const Cycle from = arrival();
    cnps_.push({from, known(flow), 0, dscp, marks, packets});
    wake_by(from + 1 + kRtlLatency);
  }
  void bytes(std::uint32_t flow, std::uint8_t dscp, std::uint32_t length) override {
    if (bytes_.size() == timing::kAtPort) catch_up();
    if (bytes_.size() == timing::kAtPort) {
      ++dropped_at_port_;
      return;
    }
    const Cycle from = arrival();
    bytes_.push({from, known(flow), length, dscp, 0, 0});
    wake_by(from + 1 + kRtlLatency);
  }
  void release(std::uint32_t flow) override { command(flow, false); }
  void query(std::uint32_t flow) override { command(flow, true); }

  const ControllerParameters& parameters() const override { return parameters_; }
  const RateTables& tables() const override { return tables_; }
  void access(regs::RegisterAccess& access) override;
  /// Sets the parameters that parameters() returns. The RTL has registers of its own, with their
  /// reset values.
  void set_parameters(const ControllerParameters& parameters, bool) override {
    parameters_ = parameters;
  }

  const ControllerConfig& config() const override { return config_; }
  bool ready() override {
    catch_up();
    return dut_->ready();
  }
  SlotView slot(SlotIndex slot) override {
    return drained([&] { return dut_->slot(slot); });
  }
  std::optional<SlotIndex> slot_of(std::uint32_t flow) override {
    if (flow >> kRtlFlowBits != 0) return std::nullopt;
    return drained([&] { return dut_->slot_of(flow); });
  }
  std::uint32_t free_slots() override { return figures().free_slots; }
  const ControllerStatistics& statistics() override {
    seen_ = figures();
    return seen_.statistics;
  }
  const TimerCounters& timer_counters() override {
    seen_ = figures();
    return seen_.timers;
  }
  std::uint64_t bytes_dropped_at_port() const override { return dropped_at_port_; }
  std::uint64_t missed_latency() override { return figures().missed_latency; }
  Tick timer_lateness_max() override { return figures().lateness_max; }
  Tick time() override {
    catch_up();
    return dut_->time();
  }
  Tick timer_lag() override {
    catch_up();
    return figures().lag;
  }
  // While the block is not ready, reads of these two registers, which software polls, do not
  // simulate to the end of the reset, because each poll would simulate a whole reset.
  bool overrun() override { return ready() && figures().overrun; }
  bool idle() override { return ready() && figures().free_slots == config_.slots; }

  void observe(SlotObserver* observer) override {
    if (observer != nullptr) throw std::logic_error("the RTL's slots cannot be observed");
  }
  void on_cause(CauseSink* sink) override { causes_ = sink; }
  ControllerModel* model() override { return nullptr; }

  std::uint64_t cycles() const override { return static_cast<std::uint64_t>(at_ + 1); }
  std::uint64_t cycles_made() const override { return made_; }
  ControllerFigures figures() override {
    return drained([&] { return dut_->figures(); });
  }
  bool sees_all() override {
    if (!looked()) catch_up(true);
    return !in_access_;
  }
  bool port_free() override {
    catch_up();
    return accesses_.empty();
  }
  void on_error(std::function<void(const std::string&)> told) override { told_ = std::move(told); }
  std::string describe() override;
  /// Switches the skipping of idle cycles on or off; state read before the call is invalid
  /// afterwards.
  void skip_idle(bool skip) { options_.skip_idle = skip; }

 private:
  static constexpr Cycle kNever = std::numeric_limits<Cycle>::max() / 2;
  static constexpr Cycle kSettled = 4;  // cycles after an access in which its registers settle
  // cycles that an access may take, a reset included
  static constexpr Cycle kMaxAccess = 1'000'000;
  // number of cycles that an answer waits in the RTL's ring
  static constexpr Cycle kRing = kRtlLatency - timing::kSameFlow;

  struct Input {
    Cycle from = 0;
    std::uint32_t flow = 0;
    std::uint32_t length = 0;
    std::uint8_t dscp = 0, marks = 0, packets = 0;
    bool query = false;
  };
  /// A bus transfer of software and its result.
  struct Transfer {
    bool write = false;
    std::uint32_t address = 0;  // byte offset from the block's start
    std::uint32_t value = 0;    // data that was written or read
    std::uint8_t strobe = 0;    // byte enables of a bus write
    bool refused = false;
  };
  struct Access {
    Cycle from = 0;  // edge at which the RTL first sees PSEL
    Cycle end = 0;   // edge at which the register access ends
    // false if the access had to wait, so that events issued meanwhile are unknown
    bool sure = true;
    Transfer what;
  };
  struct Answer {
    Cycle when = 0;
    ControllerRate rate;
  };
  struct Cause {
    Cycle when = 0;
    std::uint32_t causes = 0;
  };

  Cycle edge() const { return clock_.edge_at(scheduler_.now()); }
  /// Earliest edge at which a new input is sampled.
  Cycle arrival() {
    begin();
    return edge();
  }
  std::uint32_t known(std::uint32_t flow) const {
    if (flow >> kRtlFlowBits == 0) return flow;
    throw RtlError("flow number " + std::to_string(flow) + ": the controller's RTL has " +
                   std::to_string(kRtlFlowBits) + " bits for it");
  }
  void command(std::uint32_t flow, bool query) {
    const Cycle from = arrival();
    commands_.push({from, known(flow), 0, 0, 0, 0, query});
    wake_by(from + 1 + kRtlLatency);
  }

  /// Starts the time. Register writes before the first edge have taken effect and took no time.
  void begin() {
    if (began_) return;
    began_ = true;
    come_back();
    for (Cycle i = 0; !dut_->resting() || i < kSettled; ++i) {
      if (i == kMaxAccess) throw RtlError("the controller's RTL does not come to rest");
      dut_->edge();
    }
    dut_->rewind();
    at_ = -1;
    last_busy_ = at_;
    last_access_ = at_;
  }
  bool before_time() const { return !began_ && scheduler_.now() == clock_.time_of(0); }
  /// Simulates up to the present edge; `lazily`: not if nothing but time would change.
  void catch_up(bool lazily = false) {
    come_back();
    if (before_time()) return;
    begin();
    run_to(edge() - 1, lazily);
  }

  /// Simulates or skips all cycles up to `cycle`. `lazily`: the caller only wants the answers that
  /// have left by then, so that cycles in which nothing but time changes may wait, and logic that
  /// only depends on the time need not be up to date.
  void run_to(Cycle cycle, bool lazily = false) {
    come_back();
    while (at_ < cycle) {
      const Cycle next = next_input();
      if (lazily && next > cycle && nothing_until(cycle)) return;
      if (next > at_ + 1 && !driven_ && options_.skip_idle &&
          skip(std::min(cycle, next - 1) - at_, accesses_.empty() && next - 1 <= cycle, lazily)) {
        continue;
      }
      make_cycle((lazily || at_ + 1 < cycle) && (accesses_.empty() || next > at_ + 2));
    }
  }
  bool rests() const { return at_ > last_busy_ && at_ - last_access_ >= kSettled; }
  /// True if the RTL, without an input, is idle in every cycle up to this one.
  bool nothing_until(Cycle cycle) const {
    if (driven_ || !options_.skip_idle || !rests()) return false;
    const std::int64_t due = dut_->until_due();
    return due < 0 || at_ + due > cycle;
  }
  /// Skips some of the next cycles, in which the RTL is idle. `input`: the cycle after the last of
  /// them has an input and no register access.
  bool skip(Cycle most, bool input, bool lazily) {
    const bool rests = this->rests();
    const Cycle skipped = rests ? dut_->skip(most, input) : dut_->glide(most, input || lazily);
    if (skipped == 0) return false;
    at_ += skipped;
    ++made_;
    if (!rests) after_edge();
    return true;
  }
  Cycle next_input() const {
    Cycle next = kNever;
    if (!cnps_.empty()) next = std::min(next, cnps_.front().from);
    if (!bytes_.empty()) next = std::min(next, bytes_.front().from);
    if (!commands_.empty()) next = std::min(next, commands_.front().from);
    if (!accesses_.empty()) next = std::min(next, accesses_.front().from);
    return next;
  }
  /// Makes a cycle. `parts` is true if the state is not read before the next edge and no register
  /// access begins in the next cycle.
  void make_cycle(bool parts);
  void after_edge();
  void drive_access(ControllerPins& pins);
  Transfer make_access(const Transfer& access, Cycle& edges);
  Cycle effect_of_reset();
  Transfer forward(const Transfer& asked);
  Cycle finish_accesses();
  void set_access(ControllerPins& pins, const Transfer& access, bool penable) const {
    pins.psel = true;
    pins.penable = penable;
    pins.pwrite = access.write;
    pins.paddr = access.address;
    pins.pwdata = access.write ? access.value : 0;
    pins.pstrb = access.strobe;
  }
  bool is_soft_reset(const Transfer& access) const {
    return access.write && !access.refused && access.address == DCC_CTRL_OFFSET &&
           (access.value & DCC_CTRL_SOFT_RESET_MASK) != 0;
  }
  /// Calls `look` on the state in which all events issued before the present edge are complete. The
  /// RTL stays in that state for further calls at this edge.
  template <class Look>
  auto drained(const Look& look);

  bool looked() const { return ahead_ && ahead_from_ == edge(); }
  void come_back() {
    if (!ahead_) return;
    dut_->restore(image_);
    ahead_ = false;
  }

  void wake();
  void wake_up();
  void wake_by(Cycle cycle) {
    const PicoSeconds when = clock_.time_of(cycle);
    if (wake_event_.is_scheduled() && when >= wake_event_.due()) return;
    scheduler_.schedule_at(wake_event_, when);
  }
  Cycle next_outcome() const;

  Scheduler& scheduler_;
  ControllerConfig config_;
  CycleClock clock_;
  RateSink& sink_;
  CauseSink* causes_ = nullptr;
  RtlControllerOptions options_;
  std::unique_ptr<Dut> dut_;
  ControllerParameters parameters_;
  RateTables tables_;
  ControllerFigures seen_;

  bool began_ = false;
  Cycle at_ = -1;           // cycle that the RTL is in; its inputs are not given yet
  Cycle last_busy_ = -1;    // last cycle in which the RTL had work
  Cycle last_access_ = -1;  // last cycle in which software accessed a register
  std::uint64_t made_ = 0;
  std::uint64_t dropped_at_port_ = 0;
  bool driven_ = false;  // true if the pins do not have their idle values
  RingQueue<Input> cnps_, bytes_, commands_;
  RingQueue<Access> accesses_;
  bool in_access_ = false;  // true if the first access is under way (PENABLE)
  Cycle access_end_ = 0;
  // cycle in which a soft reset takes effect: no answer leaves in this cycle and in the next one
  Cycle reset_at_ = kNever;
  RingQueue<Answer> answers_;
  RingQueue<Cause> causes_raised_;
  bool port_ = false;       // true if the rate port must show an answer in this cycle
  bool port_next_ = false;  // true if the rate port must show an answer in the next cycle
  bool overrun_ = false;
  std::vector<unsigned char> image_;
  // true if the RTL was simulated ahead; image_ then holds the RTL's present state
  bool ahead_ = false;
  Cycle ahead_from_ = 0;  // edge to which the state in image_ belongs
  std::function<void(const std::string&)> told_;
  Event wake_event_;
};

template <class Dut>
void RtlController<Dut>::make_cycle(bool parts) {
  const Cycle edge = at_ + 1;
  ControllerPins pins;
  const auto there = [edge](const auto& queue) {
    return !queue.empty() && queue.front().from <= edge;
  };
  const bool access = there(accesses_);
  const bool any = access || there(cnps_) || there(bytes_) || there(commands_);
  const bool driven = any || driven_;
  if (driven) {
    if (there(cnps_)) {
      const Input& in = cnps_.front();
      pins.cnp = true;
      pins.cnp_flow = in.flow;
      pins.cnp_dscp = in.dscp;
      pins.cnp_marks = in.marks;
      pins.cnp_packets = in.packets;
    }
    if (there(bytes_)) {
      const Input& in = bytes_.front();
      pins.bytes = true;
      pins.bytes_flow = in.flow;
      pins.bytes_dscp = in.dscp;
      pins.bytes_length = in.length;
    }
    if (there(commands_)) {
      pins.command = true;
      pins.command_query = commands_.front().query;
      pins.command_flow = commands_.front().flow;
    }
    if (access) set_access(pins, accesses_.front().what, in_access_);
    dut_->drive(pins);
    driven_ = Dut::kParts ? access : any;
    // An input port that is not ready gets the same input again at the next edge; the next input of
    // that kind follows after it.
    const auto taken = [edge](RingQueue<Input>& queue) {
      queue.pop();
      if (!queue.empty()) queue.front().from = std::max(queue.front().from, edge + 1);
    };
    if (pins.cnp) taken(cnps_);
    if (pins.bytes && dut_->bytes_ready()) taken(bytes_);
    if (pins.command && dut_->command_ready()) taken(commands_);
    if (access) {
      drive_access(pins);
      last_access_ = edge;
    }
  }
  // After the inputs of the cycle are set, the rate port must show the answer that was predicted
  // for the cycle.
  if (!Dut::kParts && dut_->rate_valid() != port_) {
    throw RtlError("in cycle " + std::to_string(at_) + " the rate port shows " +
                   (port_ ? "no answer, but one was" : "an answer, but none was") +
                   " under way a cycle before");
  }
  if (options_.skip_idle && at_ - last_access_ >= kSettled) {
    if (driven || !parts || !dut_->part_edge()) dut_->needed_edge();
  } else {
    dut_->edge();
  }
  ++at_;
  ++made_;
  after_edge();
}

template <class Dut>
void RtlController<Dut>::after_edge() {
  if (!dut_->resting()) last_busy_ = at_;
  const bool resets = at_ == reset_at_ || at_ + 1 == reset_at_;
  if constexpr (Dut::kParts) {
    // A soft reset drops the answers under way.
    if (resets) answers_.clear();
    if (!resets && dut_->next_valid()) answers_.push({at_ + 1 + kRing, dut_->next_rate()});
  } else {
    port_ = port_next_;
    port_next_ = dut_->next_valid() && !resets;
    if (port_next_) answers_.push({at_ + 1, dut_->next_rate()});
  }
  // An event is written back Distance − 1 cycles after its issue, and its answer leaves a latency
  // after its issue.
  if (dut_->table_full()) causes_raised_.push({at_ + 1 + kRing, kCauseTableFull});
  if (dut_->overrun() != overrun_) {
    overrun_ = !overrun_;
    if (overrun_) causes_raised_.push({at_ + kRtlLatency, kCauseOverrun});
  }
}

template <class Dut>
void RtlController<Dut>::wake() {
  try {
    wake_up();
  } catch (const RtlError& error) {
    if (told_) told_(error.what());
    throw;
  }
}

template <class Dut>
void RtlController<Dut>::wake_up() {
  const Cycle now = edge();
  run_to(now - 1, true);
  while (!answers_.empty() && answers_.front().when <= now) {
    const auto [when, rate] = answers_.front();
    answers_.pop();
    if (when == reset_at_) continue;  // dropped by the reset, which the RTL has not reached yet
    if (!rate.query) {
      sink_.rate_calculated(rate.flow, Rate(rate.value));
    } else if (rate.bound) {
      sink_.query_answered(rate.flow, Rate(rate.value));
    } else {
      sink_.query_answered(rate.flow, std::nullopt);
    }
  }
  while (!causes_raised_.empty() && causes_raised_.front().when <= now) {
    const std::uint32_t causes = causes_raised_.front().causes;
    causes_raised_.pop();
    if (causes_ != nullptr) causes_->causes_raised(causes);
  }
  const Cycle next = next_outcome();
  if (next == kNever) {
    scheduler_.cancel(wake_event_);
  } else {
    scheduler_.schedule_at(wake_event_, clock_.time_of(std::max(next, now + 1)));
  }
}

/// Earliest cycle in which an answer can leave.
template <class Dut>
Cycle RtlController<Dut>::next_outcome() const {
  Cycle next = kNever;
  const auto consider = [&next](Cycle cycle) { next = std::min(next, cycle); };
  if (!answers_.empty()) consider(answers_.front().when);
  if (!causes_raised_.empty()) consider(causes_raised_.front().when);
  const std::uint32_t waiting = dut_->waiting() & ~(1u << (kRing - 1));
  if (waiting != 0) {
    const int highest = 31 - __builtin_clz(waiting);
    consider(at_ + kRing - highest);
  }
  if (!dut_->resting()) {
    // An issued event gets its place in the ring one cycle after its write-back.
    if (waiting == 0) consider(at_ + 1 + kRing);
  } else if (const std::int64_t due = dut_->until_due(); due >= 0) {
    consider(at_ + due + timing::kFirstOfTick + kRtlLatency);
  }
  if (const Cycle input = next_input(); input != kNever) {
    consider(std::max(input, at_ + 1) + (accesses_.empty() ? 1 + kRtlLatency : 0));
  }
  return next;
}

template <class Dut>
std::string RtlController<Dut>::describe() {
  const ControllerFigures f = figures();
  return "cycle " + std::to_string(at_) + ", tick " + std::to_string(time()) + ", " +
         std::to_string(config_.slots - f.free_slots) + " slots in use, " +
         std::to_string(f.statistics.rate_updates) + " rates, " +
         std::to_string(f.timers.pending()) + " timers pending";
}

}  // namespace dcc

#include "controller_engine_rtl_bus.h"
