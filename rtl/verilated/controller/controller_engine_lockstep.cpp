// The whole controller in lock-step: every call goes to model and hardware, whose answers and times
// must be equal.
#include "controller_engine_lockstep.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "controller/controller_model.h"
#include "controller/ring_queue.h"
#include "controller_recording.h"
#include "driver/dcc_regs.h"

namespace dcc {
namespace {

/// One output of the congestion controller, for the comparison of RTL and model: a new rate, the
/// answer to a slot query, or a change of the interrupt causes.
struct ControllerOutput {
  enum class Kind : std::uint8_t { kRate, kBoundQuery, kUnboundQuery, kCause };
  PicoSeconds time{};
  Kind kind = Kind::kRate;
  std::uint32_t flow = 0;  // flow number of a rate, or bits of interrupt causes
  std::uint32_t rate = 0;
  bool operator==(const ControllerOutput& o) const {
    return time == o.time && kind == o.kind && flow == o.flow && rate == o.rate;
  }
};

class Lockstep final : public LockstepControllerEngine {
 public:
  Lockstep(Scheduler& scheduler, const ControllerConfig& config, std::uint32_t rank, RateSink& sink,
           const ControllerLockstepOptions& options, const MakeRtlControllerFor& make_rtl)
      : scheduler_(scheduler),
        clock_(scheduler.now(), config.clock_period(), 1),
        sink_(sink),
        options_(options),
        ears_{Ear(*this, false), Ear(*this, true)},
        model_(scheduler, config, rank, ears_[0]),
        rtl_(make_rtl(ears_[1])) {
    model_.on_cause(&ears_[0]);
    rtl_->on_cause(&ears_[1]);
    rtl_->on_error([this](const std::string& error) { stop(error); });
    recording_.seed = options.seed;
    recording_.slots = config.slots;
    recording_.clock_hertz = config.clock.hertz;
    recording_.fault = options.rtl.fault;
  }

  void cnp(std::uint32_t flow, std::uint8_t dscp, std::uint8_t marks,
           std::uint8_t packets) override {
    record(ControllerCall::Kind::kCnp, flow, 0, dscp, marks, packets);
    model_.cnp(flow, dscp, marks, packets);
    of_rtl([&] { rtl_->cnp(flow, dscp, marks, packets); });
  }
  void bytes(std::uint32_t flow, std::uint8_t dscp, std::uint32_t length) override {
    record(ControllerCall::Kind::kBytes, flow, length, dscp);
    model_.bytes(flow, dscp, length);
    of_rtl([&] { rtl_->bytes(flow, dscp, length); });
  }
  void release(std::uint32_t flow) override {
    record(ControllerCall::Kind::kRelease, flow);
    model_.release(flow);
    of_rtl([&] { rtl_->release(flow); });
  }
  void query(std::uint32_t flow) override {
    record(ControllerCall::Kind::kQuery, flow);
    model_.query(flow);
    of_rtl([&] { rtl_->query(flow); });
  }

  const ControllerParameters& parameters() const override { return model_.parameters(); }
  const RateTables& tables() const override { return model_.tables(); }
  void access(regs::RegisterAccess& access) override;
  void set_parameters(const ControllerParameters& parameters, bool reset) override {
    model_.set_parameters(parameters, reset);
  }

  const ControllerConfig& config() const override { return model_.config(); }
  bool ready() override { return model_.ready(); }
  SlotView slot(SlotIndex slot) override {
    of_rtl([&] {
      if (rtl_->sees_all()) compare_slot(slot);
    });
    return model_.slot(slot);
  }
  std::optional<SlotIndex> slot_of(std::uint32_t flow) override {
    const auto slot = model_.slot_of(flow);
    of_rtl([&] {
      if (!rtl_->sees_all()) return;
      const auto other = rtl_->slot_of(flow);
      compare("slot of flow", flow, slot.value_or(kMaxSlots), other.value_or(kMaxSlots),
              ControllerCall::kSlotOf);
    });
    return slot;
  }
  std::uint32_t free_slots() override {
    compare_figures();
    return model_.free_slots();
  }
  const ControllerStatistics& statistics() override {
    compare_figures();
    return model_.statistics();
  }
  const TimerCounters& timer_counters() override {
    compare_figures();
    return model_.timer_counters();
  }
  std::uint64_t bytes_dropped_at_port() const override { return model_.bytes_dropped_at_port(); }
  std::uint64_t missed_latency() override {
    compare_figures();
    return model_.missed_latency();
  }
  Tick timer_lateness_max() override {
    compare_figures();
    return model_.timer_lateness_max();
  }
  Tick time() override { return model_.time(); }
  Tick timer_lag() override { return model_.timer_lag(); }
  bool overrun() override { return model_.overrun(); }
  bool idle() override { return model_.idle(); }

  void observe(SlotObserver* observer) override { model_.observe(observer); }
  void on_cause(CauseSink* sink) override { causes_ = sink; }
  void finish() override;
  ControllerModel* model() override { return &model_; }

  std::uint64_t comparisons() const override { return comparisons_; }

 private:
  class Ear final : public RateSink, public CauseSink {
   public:
    Ear(Lockstep& owner, bool rtl) : owner_(owner), rtl_(rtl) {}
    void rate_calculated(std::uint32_t flow, Rate rate) override {
      owner_.compare(rtl_,
                     {owner_.scheduler_.now(), ControllerOutput::Kind::kRate, flow, rate.raw});
      if (!rtl_) owner_.sink_.rate_calculated(flow, rate);
    }
    void query_answered(std::uint32_t flow, std::optional<Rate> rate) override {
      owner_.compare(
          rtl_, {owner_.scheduler_.now(),
                 rate ? ControllerOutput::Kind::kBoundQuery : ControllerOutput::Kind::kUnboundQuery,
                 flow, rate.value_or(Rate()).raw});
      if (!rtl_) owner_.sink_.query_answered(flow, rate);
    }
    void causes_raised(std::uint32_t causes) override {
      owner_.compare(rtl_, {owner_.scheduler_.now(), ControllerOutput::Kind::kCause, causes, 0});
      if (!rtl_ && owner_.causes_ != nullptr) owner_.causes_->causes_raised(causes);
    }

   private:
    Lockstep& owner_;
    bool rtl_;
  };

  void compare(bool rtl, const ControllerOutput& what) {
    if (differed_) return;
    history_[rtl][heard_[rtl]++ % kHistory] = what;
    RingQueue<ControllerOutput>& others = unmatched_[!rtl];
    RingQueue<ControllerOutput>& own = unmatched_[rtl];
    if (!own.empty() && own.front().time < what.time) missing(rtl);
    if (others.empty()) {
      own.push(what);
      return;
    }
    ++comparisons_;
    const ControllerOutput other = others.front();
    others.pop();
    if (!(other == what)) differ("answer", text(rtl ? other : what), text(rtl ? what : other));
  }
  /// Reports that only one of model and RTL gave an answer.
  void missing(bool rtl) {
    const std::string lonely = text(unmatched_[rtl].front());
    differ("answer", rtl ? "none" : lonely, rtl ? lonely : "none");
  }

  void record(ControllerCall::Kind kind, std::uint32_t first = 0, std::uint32_t second = 0,
              std::uint8_t dscp = 0, std::uint8_t marks = 0, std::uint8_t packets = 0) {
    const ControllerCall call{scheduler_.now(), first, second, kind, dscp, marks, packets};
    if (recording_.calls.size() == ControllerRecording::kMaxCalls) {
      complete_ = false;
      std::rotate(recording_.calls.end() - kMinKept, recording_.calls.end() - kMinKept + 1,
                  recording_.calls.end());
      recording_.calls.back() = call;
      return;
    }
    recording_.calls.push_back(call);
  }

  template <class What>
  void compare(const char* what, std::uint32_t of, const What& of_model, const What& of_rtl,
               ControllerCall::Look look = ControllerCall::kSlot) {
    ++comparisons_;
    if (differed_ || of_model == of_rtl) return;
    record(ControllerCall::Kind::kLook, look, of);
    differ(what + std::string(" ") + std::to_string(of), std::to_string(of_model),
           std::to_string(of_rtl));
  }
  void compare_figure(const char* what, std::uint64_t of_model, std::uint64_t of_rtl) {
    ++comparisons_;
    if (differed_ || of_model == of_rtl) return;
    record(ControllerCall::Kind::kLook, ControllerCall::kFigures);
    differ(what, std::to_string(of_model), std::to_string(of_rtl));
  }
  /// Makes `call` on the RTL, unless a difference was found before. An error of the RTL is reported
  /// like a difference, and no comparison follows.
  template <class Call>
  void of_rtl(const Call& call) {
    if (differed_) return;
    try {
      call();
    } catch (const RtlError& error) {
      stop(error.what());
    }
  }
  [[noreturn]] void stop(const std::string& error) { differ("error of the RTL", "goes on", error); }
  void compare_figures() {
    of_rtl([this] { compare_all_figures(); });
  }
  void compare_all_figures();
  void compare_slot(SlotIndex slot);

  std::string text(const ControllerOutput& what) const {
    std::ostringstream s;
    s << "cycle " << clock_.edge_at(what.time) << ' ';
    if (what.kind == ControllerOutput::Kind::kCause) {
      s << "causes " << what.flow;
    } else {
      s << (what.kind == ControllerOutput::Kind::kRate ? "flow " : "query of flow ") << what.flow;
      if (what.kind != ControllerOutput::Kind::kUnboundQuery) {
        s << " rate " << static_cast<double>(what.rate) / 256 << " Mb/s (" << what.rate << ")";
      }
    }
    return s.str();
  }
  std::string describe_model();
  std::string describe_rtl();
  std::string described(const ControllerCall& call) const;
  std::string history(bool rtl) const;
  [[noreturn]] void differ(const std::string& what, const std::string& of_model,
                           const std::string& of_rtl);

  static constexpr std::size_t kHistory = 16;  // number of reported answers of each side
  // minimum number of calls kept when the length of the recording is limited
  static constexpr std::ptrdiff_t kMinKept = 64;

  Scheduler& scheduler_;
  CycleClock clock_;
  RateSink& sink_;
  CauseSink* causes_ = nullptr;
  ControllerLockstepOptions options_;
  // Lock-step reports only the first difference; later calls return the model's results.
  bool differed_ = false;
  bool complete_ = true;  // true if the recording has all calls since the start
  std::uint64_t comparisons_ = 0;
  ControllerRecording recording_;
  RingQueue<ControllerOutput> unmatched_[2];  // unmatched outputs of model and RTL
  ControllerOutput history_[2][kHistory];
  std::size_t heard_[2] = {0, 0};
  Ear ears_[2];
  ControllerModel model_;
  std::unique_ptr<RtlControllerEngine> rtl_;
};

void Lockstep::compare_all_figures() {
  if (!rtl_->sees_all()) return;
  const ControllerFigures f = rtl_->figures();
  const ControllerStatistics& m = model_.statistics();
  const ControllerStatistics& r = f.statistics;
  compare_figure("CNPs received", m.cnps_received, r.cnps_received);
  compare_figure("CNPs dropped", m.cnps_dropped_no_slot, r.cnps_dropped_no_slot);
  compare_figure("CNPs coalesced", m.cnps_coalesced, r.cnps_coalesced);
  compare_figure("byte notifications", m.byte_notifications, r.byte_notifications);
  compare_figure("byte notifications unmatched", m.byte_notifications_unmatched,
                 r.byte_notifications_unmatched);
  compare_figure("rate decreases", m.rate_decreases, r.rate_decreases);
  compare_figure("rate increases", m.rate_increases, r.rate_increases);
  compare_figure("rate updates", m.rate_updates, r.rate_updates);
  compare_figure("slots bound", m.slots_bound, r.slots_bound);
  compare_figure("slots released", m.slots_released, r.slots_released);
  compare_figure("most slots in use", m.slots_in_use_max, r.slots_in_use_max);
  compare_figure("CNPs lost", m.cnps_lost, r.cnps_lost);
  compare_figure("inputs dropped", m.inputs_dropped, r.inputs_dropped);
  compare_figure("timer events started", model_.timer_counters().started, f.timers.started);
  compare_figure("timer events expired", model_.timer_counters().expired, f.timers.expired);
  compare_figure("timer events cancelled", model_.timer_counters().cancelled, f.timers.cancelled);
  compare_figure("missed latency", model_.missed_latency(), f.missed_latency);
  compare_figure("greatest lateness", model_.timer_lateness_max(), f.lateness_max);
  compare_figure("byte notifications dropped at the port", model_.bytes_dropped_at_port(),
                 rtl_->bytes_dropped_at_port());
  compare_figure("free slots", model_.free_slots(), f.free_slots);
}

void Lockstep::finish() {
  compare_figures();
  of_rtl([this] {
    // While software's access is under way, the RTL cannot be held to look at its slots.
    if (!rtl_->sees_all()) return;
    for (SlotIndex slot = 0; slot < config().slots && !differed_; ++slot) compare_slot(slot);
  });
  for (const bool rtl : {false, true}) {
    const RingQueue<ControllerOutput>& alone = unmatched_[rtl];
    if (!differed_ && !alone.empty() && alone.front().time < scheduler_.now()) missing(rtl);
  }
}

void Lockstep::compare_slot(SlotIndex slot) {
  const SlotView m = model_.slot(slot);
  const SlotView r = rtl_->slot(slot);
  constexpr std::uint32_t kFree = 0xFFFFFFFF;
  compare("flow of slot", slot, m.flow.value_or(kFree), r.flow.value_or(kFree));
  if (!m.flow.has_value()) return;
  const SlotParameters& p = m.parameters;
  const SlotParameters& q = r.parameters;
  compare("rate of slot", slot, p.rc, q.rc);
  compare("target of slot", slot, p.rt, q.rt);
  compare("alpha of slot", slot, p.alpha, q.alpha);
  compare("T of slot", slot, p.t, q.t);
  compare("BC of slot", slot, p.bc, q.bc);
  compare("DSCP of slot", slot, p.dscp, q.dscp);
  compare("length of slot", slot, p.pkt_length, q.pkt_length);
  compare("last cut of slot", slot, p.t_latest, q.t_latest);
  compare("due tick of slot", slot, m.timer_due.value_or(kFree), r.timer_due.value_or(kFree));
}

/// Returns the bits of a register that must equal the model's at once. Counters follow an issue
/// within some cycles (docs/controller-contract.md, "Answers"), so while events are under way the
/// comparison uses the final counts. The wheel's lag and the cause of its interrupt depend on the
/// moment between two ticks.
std::uint32_t comparable_bits(std::uint32_t address) {
  if (address == DCC_TIMER_LAG_OFFSET || address == DCC_IRQ_STATUS_OFFSET ||
      address == DCC_TIME_OFFSET || address == DCC_STATUS_OFFSET) {
    return 0;
  }
  const bool live = address == DCC_FREE_SLOTS_OFFSET || address == DCC_EVENTS_PENDING_OFFSET ||
                    address == DCC_TIMER_LATENESS_MAX_OFFSET ||
                    (address >= DCC_STAT_CNPS_RECEIVED_LO_OFFSET &&
                     address < DCC_STAT_INPUTS_DROPPED_LO_OFFSET + 8);
  return live ? 0 : 0xFFFFFFFF;
}

void Lockstep::access(regs::RegisterAccess& access) {
  model_.access(access);
  if (differed_) return;
  record(access.write ? ControllerCall::Kind::kWrite : ControllerCall::Kind::kRead, access.address,
         access.write ? access.value : 0, access.strobe);
  const std::uint32_t live =
      access.write || access.refused() ? 0 : ~comparable_bits(access.address);
  if (live != 0) compare_figures();
  regs::RegisterAccess other = access;
  bool alone = true;
  of_rtl([&] {
    alone = rtl_->port_free();
    rtl_->access(other);
  });
  ++comparisons_;
  if (access.write || access.refused()) return;
  std::uint32_t bits = comparable_bits(access.address);
  // A word whose read waits for another access is not compared, because events may change it before
  // it is read.
  if (!alone && access.address >= DCC_STAT_CNPS_RECEIVED_LO_OFFSET) bits = 0;
  if (access.address >= DCC_SLOTS_OFFSET) {
    // The contents of a free slot have no meaning.
    const SlotIndex slot = (access.address - DCC_SLOTS_OFFSET) / DCC_SLOTS_STRIDE;
    if (access.address % DCC_SLOTS_STRIDE != 0 && !model_.slot(slot).flow) bits = 0;
  }
  if ((access.value & bits) == (other.value & bits)) return;
  std::ostringstream what;
  what << "read of 0x" << std::hex << access.address;
  differ(what.str(), std::to_string(access.value), std::to_string(other.value));
}

std::string Lockstep::describe_model() {
  return "cycle " + std::to_string(clock_.edge_at(scheduler_.now()) - 1) + ", " +
         std::to_string(config().slots - model_.free_slots()) + " slots in use, " +
         std::to_string(model_.statistics().rate_updates) + " rates, " +
         std::to_string(model_.timer_counters().pending()) + " timers pending";
}

std::string Lockstep::describe_rtl() {
  try {
    return rtl_->describe();
  } catch (const RtlError& error) {
    return error.what();
  }
}

/// Describes a call with its cycle; the recording contains the same in numbers.
std::string Lockstep::described(const ControllerCall& call) const {
  return "cycle " + std::to_string(clock_.edge_at(call.time)) + " (" +
         std::to_string(call.time.count) + " ps): " + in_words(call);
}

std::string Lockstep::history(bool rtl) const {
  std::string lines;
  for (std::size_t i = heard_[rtl] - std::min(heard_[rtl], kHistory); i < heard_[rtl]; ++i) {
    lines += "    " + text(history_[rtl][i % kHistory]) + "\n";
  }
  return lines;
}

void Lockstep::differ(const std::string& what, const std::string& of_model,
                      const std::string& of_rtl) {
  differed_ = true;
  const PicoSeconds now = scheduler_.now();
  std::string report = options_.name + ": model and RTL differ in cycle " +
                       std::to_string(clock_.edge_at(now)) + ", seed " +
                       std::to_string(options_.seed) + ": " + what + ": model " + of_model +
                       ", RTL " + of_rtl + "\n";
  report += "  model: " + describe_model() + "\n  RTL:   " + describe_rtl() + "\n";
  report += "  last answers of the model:\n" + history(false);
  report += "  last answers of the RTL:\n" + history(true) + "  last calls:\n";
  const std::vector<ControllerCall>& calls = recording_.calls;
  for (std::size_t i = calls.size() - std::min(calls.size(), options_.last_calls); i < calls.size();
       ++i) {
    report += "    " + described(calls[i]) + "\n";
  }
  if (complete_) {
    try {
      recording_.end = now;
      write_recording(options_.log_path, recording_);
      report += options_.replay_line("controller.fst");
    } catch (const std::runtime_error& error) {
      report += std::string("  no replay: ") + error.what();
    }
  } else {
    report += "  no replay: the run had more calls than are recorded";
  }
  throw LockstepMismatch(report);
}

}  // namespace

std::unique_ptr<LockstepControllerEngine> make_lockstep_controller(
    Scheduler& scheduler, const ControllerConfig& config, std::uint32_t rank, RateSink& sink,
    const ControllerLockstepOptions& options) {
  return make_lockstep_controller(scheduler, config, rank, sink, options, [&](RateSink& ear) {
    return make_rtl_controller(scheduler, config, rank, ear, options.rtl);
  });
}

std::unique_ptr<LockstepControllerEngine> make_lockstep_controller(
    Scheduler& scheduler, const ControllerConfig& config, std::uint32_t rank, RateSink& sink,
    const ControllerLockstepOptions& options, const MakeRtlControllerFor& make_rtl) {
  return std::make_unique<Lockstep>(scheduler, config, rank, sink, options, make_rtl);
}

}  // namespace dcc
