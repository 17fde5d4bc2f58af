// Drives a class that Verilator made of controller_rtl_dut.sv, cycle by cycle.
#pragma once

#include <verilated.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "controller_clocks.h"
#include "controller_rtl_dut.h"
#include "driver/dcc_regs.h"
#include "no_watch.h"
#include "single_thread_context.h"

// Accesses members of the design's state by the names of the RTL.
#define DCC_MANAGER(name) controller_rtl_dut__DOT__u_top__DOT__u_manager__DOT__##name
#define DCC_TIMERS(name) DCC_MANAGER(u_timers__DOT__##name)
#define DCC_WHEEL_TIME(name) DCC_MANAGER(u_timers__DOT__u_wheel__DOT__u_time__DOT__##name)
#define DCC_STATISTICS(name) DCC_MANAGER(u_status__DOT__u_statistics__DOT__##name)
#define DCC_LOOKUP(name) DCC_MANAGER(u_lookup__DOT__##name)

namespace dcc {

/// `Verilated` is the class that Verilator generated; `Root` is the class of its state and holds
/// all of it, because the design is flattened. One cycle: drive() if the inputs differ from those
/// of the cycle before; then the caller reads the outputs; then edge(), or needed_edge() or
/// part_edge() if no memory was written from outside and no register access was near. `Watch` is
/// called with the pins twice a cycle; see NoWatch. `Clocks` defines how edges are made; see
/// OneClock.
template <class Verilated, class Root, class Watch = NoWatch, class Clocks = OneClock>
class VerilatedController {
 public:
  explicit VerilatedController(unsigned fault) {
    context_.fatalOnError(false);  // a failed assertion becomes an exception, not an abort
    top_ = std::make_unique<Verilated>(&context_, "controller");
    set_fault(*top_, fault, 0);
    top_->set_i = 0;
    top_->clk_i = 0;
    top_->rst_ni = 1;
    top_->eval();
    top_->rst_ni = 0;
    top_->eval();
    clocks_.begin(*top_);
    drive({});
    for (int i = 0; i < 3; ++i) edge();
    top_->rst_ni = 1;
    top_->eval();
    become_ready(fault);
  }
  ~VerilatedController() {
    // Sets this design's context, because the thread's previous context may be destroyed.
    ::Verilated::threadContextp(&context_);
    top_->final();
    top_.reset();
  }
  VerilatedController(const VerilatedController&) = delete;
  VerilatedController& operator=(const VerilatedController&) = delete;

  /// Sets the inputs of this cycle, which are valid until the next call.
  void drive(const ControllerPins& in) {
    top_->cnp_valid_i = in.cnp;
    top_->cnp_flow_i = static_cast<std::uint16_t>(in.cnp_flow);
    top_->cnp_dscp_i = in.cnp_dscp & 0x3F;
    top_->cnp_marks_i = in.cnp_marks;
    top_->cnp_packets_i = in.cnp_packets;
    top_->bytes_valid_i = in.bytes;
    top_->bytes_flow_i = static_cast<std::uint16_t>(in.bytes_flow);
    top_->bytes_dscp_i = in.bytes_dscp & 0x3F;
    top_->bytes_length_i = in.bytes_length;
    top_->command_valid_i = in.command;
    top_->command_query_i = in.command_query;
    top_->command_flow_i = static_cast<std::uint16_t>(in.command_flow);
    top_->psel_i = in.psel;
    top_->penable_i = in.penable;
    top_->pwrite_i = in.pwrite;
    top_->paddr_i = in.paddr;
    top_->pwdata_i = in.pwdata;
    top_->pstrb_i = in.pstrb;
    clocks_.set(*top_, quiet());
  }
  /// Keeps further events from being issued, until restore(). An access under way is broken off.
  void hold() {
    if constexpr (kParts) {
      top_->hold_i = 1;
      drive({});
    } else {  // an access to a window blocks the issue of events until the pipeline is empty
      ControllerPins access;
      access.psel = true;
      access.paddr = DCC_SLOTS_OFFSET;
      drive(access);
    }
  }
  void edge() { edge(kAllClocks); }
  /// Makes the same edge as edge(), but leaves out parts whose state would not change.
  void needed_edge() { edge(needed_now()); }
  /// Has the effect of needed_edge(), but clocks fewer parts. Returns false if nothing was done.
  /// Precondition: this cycle has no inputs, and the next one begins no register access.
  ///
  /// Between two events the registers of clk_i itself (controller_rtl_dut.sv) only count. This
  /// function counts in their place and clocks the other parts. Logic that depends on the counts
  /// does not change meanwhile; the next edge of clk_i computes this logic anew.
  bool part_edge() {
    if constexpr (kParts) {
      Root* const root = at();
      if (!top_->counting_o || behind_ != 0) return false;
      if (root->DCC_TIMERS(cycle_q) > divider() - 3) return false;
      if (until_offer() < 2) return false;
      count(1);
      const std::uint32_t needed = needed_now();
      watch_.settled(*top_);
      clocks_.raise_parts(*top_, needed);
      return true;
    }
    return false;
  }

  bool ready() const { return top_->ready_o != 0; }
  bool bytes_ready() const { return top_->bytes_ready_o != 0; }
  bool command_ready() const { return top_->command_ready_o != 0; }
  bool pready() const { return top_->pready_o != 0; }
  bool pslverr() const { return top_->pslverr_o != 0; }
  std::uint32_t prdata() const { return top_->prdata_o; }
  bool rate_valid() const { return top_->rate_valid_o != 0; }
  ControllerRate rate() const {
    return {top_->rate_flow_o, top_->rate_value_o, top_->rate_query_o != 0,
            top_->rate_bound_o != 0};
  }
  /// True if parts of the design have clocks of their own. Then next_valid() shows an answer at the
  /// write-back of its event, kRtlLatency − 31 cycles before it leaves, and otherwise a cycle
  /// before; and inputs other than those of APB last for one edge, without a further drive().
  static constexpr bool kParts = Clocks::kParts;
  /// True if the rate port will show an answer.
  bool next_valid() const { return top_->next_valid_o != 0; }
  ControllerRate next_rate() const {
    return {top_->next_flow_o, top_->next_value_o, top_->next_query_o != 0,
            top_->next_bound_o != 0};
  }
  /// Returns the answers under way as bits; the highest bit is the answer of the next cycle.
  std::uint32_t waiting() const { return top_->waiting_o; }
  bool table_full() const { return top_->table_full_o != 0; }
  bool overrun() const { return at()->DCC_WHEEL_TIME(overrun_q) != 0; }
  bool quiet() const { return at()->DCC_MANAGER(u_arbiter__DOT__busy_q) == 0; }
  /// True if no event is under way or waiting, and the wheel has no work in this tick.
  bool resting() const { return top_->calm_o && quiet() && top_->waiting_o == 0; }

  /// While the block is idle: number of edges until the next tick with work begins; -1: never.
  std::int64_t until_due() const {
    if (!top_->next_due_valid_o) return -1;
    const std::uint32_t ticks = top_->next_due_o - time();
    const std::int64_t div = divider();
    return ticks * div - at()->DCC_TIMERS(cycle_q);
  }
  std::uint32_t time() const { return at()->DCC_WHEEL_TIME(now_q); }

  /// Skips at most `most` edges while the block is idle. Returns the number of skipped edges; if 0,
  /// the caller makes an edge. Precondition: the cycle has no inputs. `input`: after `most` edges
  /// comes a cycle with an input that is not a register access.
  ///
  /// While the block is idle (controller_rtl_dut.sv) only these counters change: cycles of the
  /// present tick, cycles since the last timer event, and with each tick the time and the wheel's
  /// pointer. The pointer follows in the tick's first cycles if no event is due in the tick and no
  /// row is loaded. A skip ends with one real edge, which computes the logic behind the counters
  /// anew. No event reads this logic at that edge. The edge at which a queue takes an input serves
  /// as well, unless a tick ends with it.
  std::int64_t skip(std::int64_t most, bool input) {
    Root* const root = at();
    const std::int64_t div = divider();
    const std::int64_t cycle = root->DCC_TIMERS(cycle_q);
    // the edge at which a tick ends must be simulated
    if (cycle > div - 2) return 0;
    std::int64_t target = cycle + most;
    // Ticks can be skipped only while no timer is due; a tick with work is simulated.
    std::int64_t last = div - 1;
    if (!top_->row_loaded_o) {
      std::int64_t ticks = target / div;
      if (top_->next_due_valid_o) {
        ticks = std::min<std::int64_t>(ticks, std::uint32_t{top_->next_due_o} - time() - 1);
      }
      last = ticks * div + div - 1;
    }
    target = std::min(target, last);
    if (target / div > 0 && target % div < kTickSettles) target = target / div * div - 1;
    const std::int64_t skipped = target - cycle;
    if (skipped < 2) return 0;
    const bool whole = kParts && input && skipped == most && target % div != div - 1;
    const std::int64_t counted = whole ? skipped : skipped - 1;
    const auto ticks = static_cast<std::uint32_t>((cycle + counted) / div);
    root->DCC_TIMERS(cycle_q) = static_cast<std::uint16_t>((cycle + counted) % div);
    root->DCC_TIMERS(since_q) = static_cast<std::uint32_t>(
        std::min<std::int64_t>(root->DCC_TIMERS(since_q) + counted, kMaxSince));
    root->DCC_WHEEL_TIME(now_q) += ticks;
    root->DCC_WHEEL_TIME(pointer_q) += ticks;
    if (ticks != 0) behind_ |= kWheelClock;
    if (!whole) jump_edge(0);
    return skipped;
  }
  /// Skips at most `most` edges while events only wait in the ring (fold_parts.sv), or an expiry
  /// for the cycle in which it may be offered. Returns the number of skipped edges, or 0.
  /// Precondition: the cycle has no inputs.
  ///
  /// Such a cycle only moves the ring, ages the arbiter's memory of the last issues, and counts
  /// time. The skip ends before the edge at which a word leaves the ring, before the edge at which
  /// an expiry is offered to the arbiter, and before the end of the tick. `whole`: the
  /// state is not read before the next edge, and no register access begins in the next cycle.
  std::int64_t glide(std::int64_t most, bool whole) {
    if constexpr (kParts) {
      if (clocks_.needed(*top_) != 0) return 0;
      const bool holds = at()->DCC_MANAGER(u_beside__DOT__valid_q) != 0;
      const std::int64_t cycle = at()->DCC_TIMERS(cycle_q);
      std::int64_t skipped = std::min(most, divider() - 2 - cycle);
      if (holds) skipped = std::min(skipped, ring_room());
      if (top_->counting_o) {
        // clk_i gets no edge in these cycles: count() changes its registers as they would, and the
        // logic behind them is calculated again at its next edge.
        skipped = std::min({skipped, most - (whole ? 0 : 1), until_offer() - 1});
        if (skipped < 1) return 0;
        move_ring(static_cast<unsigned>(skipped));
        count(static_cast<unsigned>(skipped));
        return skipped;
      }
      if (!top_->calm_o || !holds || skipped < 2) return 0;
      move_ring(static_cast<unsigned>(skipped - 1));
      count(static_cast<unsigned>(skipped - 1));
      jump_edge(0);
      return skipped;
    }
    return 0;
  }
  /// Sets the time to the last cycle before tick 0. Precondition: the block is idle and no slot is
  /// bound.
  void rewind() {
    Root* const root = at();
    root->DCC_TIMERS(cycle_q) = static_cast<std::uint16_t>(divider() - 3);
    root->DCC_WHEEL_TIME(now_q) = 0xFFFFFFFF;
    root->DCC_WHEEL_TIME(pointer_q) = 0xFFFFFFFF;
    jump_edge(kAllClocks);
    edge();
  }

  /// True if no event was issued in the last timing::kSameFlow + 2 cycles.
  ControllerFigures figures() const {
    const Root* const r = at();
    ControllerFigures f;
    ControllerStatistics& s = f.statistics;
    s.cnps_received = r->DCC_STATISTICS(cnps_received_o);
    s.cnps_dropped_no_slot = r->DCC_STATISTICS(cnps_dropped_no_slot_o);
    s.cnps_coalesced = r->DCC_STATISTICS(cnps_coalesced_o);
    s.byte_notifications = r->DCC_STATISTICS(byte_notifications_o);
    s.byte_notifications_unmatched = r->DCC_STATISTICS(byte_notifications_unmatched_o);
    s.rate_decreases = r->DCC_STATISTICS(rate_decreases_o);
    s.rate_increases = r->DCC_STATISTICS(rate_increases_o);
    s.rate_updates = r->DCC_STATISTICS(rate_updates_o);
    s.slots_bound = r->DCC_STATISTICS(slots_bound_o);
    s.slots_released = r->DCC_STATISTICS(slots_released_o);
    s.slots_in_use_max = r->DCC_LOOKUP(in_use_max_q);
    s.cnps_lost = r->DCC_STATISTICS(cnps_lost_o);
    s.inputs_dropped = r->DCC_STATISTICS(inputs_dropped_o);
    f.timers.started = r->DCC_STATISTICS(events_started_o);
    f.timers.expired = r->DCC_STATISTICS(timer_events_o);
    f.timers.cancelled = r->DCC_STATISTICS(events_cancelled_o);
    f.missed_latency = r->DCC_STATISTICS(missed_latency_o);
    f.lateness_max = r->DCC_STATISTICS(lateness_max_o);
    f.lag = r->DCC_WHEEL_TIME(lag_q);
    f.free_slots = r->DCC_LOOKUP(u_free__DOT__count_q);
    f.overrun = r->DCC_WHEEL_TIME(overrun_q) != 0;
    return f;
  }
  std::optional<SlotIndex> slot_of(std::uint32_t flow) const {
    const std::uint32_t entry = at()->DCC_LOOKUP(
        g_direct__DOT__u_flows__DOT__u_slot_of__DOT__u_ram__DOT__u_array__DOT__mem)[flow];
    const std::uint32_t bound = 1u << slot_bits_;
    if ((entry & bound) == 0) return std::nullopt;
    return entry & (bound - 1);
  }
  SlotView slot(SlotIndex index) const {
    const auto& word = at()->DCC_LOOKUP(u_store__DOT__u_ram__DOT__u_array__DOT__mem)[index];
    Fields fields{&word[0]};
    SlotView view;
    view.timer_due = fields.take(17);
    SlotParameters& p = view.parameters;
    p.t_latest = fields.take(32);
    p.pkt_length = fields.take(32);
    p.dscp = static_cast<std::uint8_t>(fields.take(6));
    p.bc = static_cast<std::uint8_t>(fields.take(8));
    p.t = static_cast<std::uint8_t>(fields.take(8));
    p.alpha = fields.take(17);
    p.rt = fields.take(32);
    p.rc = fields.take(32);
    const bool bound = fields.take(1) != 0;
    const std::uint32_t flow = fields.take(kRtlFlowBits);
    p.due = *view.timer_due;
    if (bound) {
      view.flow = flow;
    } else {
      view.timer_due.reset();
    }
    return view;
  }

  /// The whole state for a later continuation: the design's state and the last pin values.
  void save(std::vector<unsigned char>& image) const {
    image.resize(sizeof(Root) + sizeof(behind_));
    std::memcpy(image.data(), static_cast<const void*>(at()), sizeof(Root));
    std::memcpy(image.data() + sizeof(Root), &behind_, sizeof(behind_));
  }
  void restore(const std::vector<unsigned char>& image) {
    std::memcpy(static_cast<void*>(at()), image.data(), sizeof(Root));
    std::memcpy(&behind_, image.data() + sizeof(Root), sizeof(behind_));
  }

  void set_slots(std::uint32_t slots) {
    while ((1u << slot_bits_) < slots) ++slot_bits_;
  }
  Verilated& pins() { return *top_; }
  VerilatedContext& context() { return context_; }
  Watch& watch() { return watch_; }

 private:
  // number of cycles after which a tick without events is quiet
  static constexpr std::int64_t kTickSettles = 16;
  static constexpr std::int64_t kMaxSince = (1 << 19) - 1;

  // number of places of the ring in which events wait for their write-back
  static constexpr int kRingPlaces = timing::kSameFlow - 1;

  /// Number of edges before the one at which the ring's oldest word is read.
  std::int64_t ring_room() const {
    const std::uint32_t valid = at()->DCC_MANAGER(u_beside__DOT__valid_q);
    const int oldest = valid == 0 ? -1 : 31 - __builtin_clz(valid);
    return kRingPlaces - 2 - oldest;
  }
  /// Number of edges of clk_i before which a waiting expiry is not offered, if counting_o is 1; the
  /// last of them must be made.
  std::int64_t until_offer() const {
    if (!top_->expiring_o) return std::numeric_limits<std::int64_t>::max();
    const Root* const root = at();
    const std::int64_t paced = std::int64_t{top_->pace_o} - root->DCC_TIMERS(since_q);
    if (root->DCC_WHEEL_TIME(lag_q) != 0) return paced;  // the event's tick is over
    return std::max<std::int64_t>(paced, timing::kFirstOfTick - 1 - root->DCC_TIMERS(cycle_q));
  }
  /// Moves the ring by the next edge, unless a word enters or leaves it there. Returns the clocks
  /// that the edge then still needs.
  std::uint32_t needed_now() {
    std::uint32_t needed = clocks_.needed(*top_) | behind_;
    if constexpr (kParts) {
      if ((needed & kRingClock) != 0 || at()->DCC_MANAGER(u_beside__DOT__valid_q) == 0)
        return needed;
      if (ring_room() > 0) {
        move_ring(1);
      } else {
        needed |= kRingClock;
      }
    }
    return needed;
  }
  /// Moves the ring by a number of cycles, at most ring_room(). No logic looks at its places before
  /// the oldest word is read.
  void move_ring(unsigned cycles) {
    Root* const root = at();
    root->DCC_MANAGER(u_beside__DOT__valid_q) <<= cycles;
    auto& place = root->DCC_MANAGER(u_beside__DOT__at_q);
    place = static_cast<CData>((place + cycles) % kRingPlaces);
  }
  /// Counts cycles of the present tick in the registers that only count then.
  void count(unsigned cycles) {
    Root* const root = at();
    age_issues(cycles);
    root->DCC_TIMERS(cycle_q) = static_cast<std::uint16_t>(root->DCC_TIMERS(cycle_q) + cycles);
    root->DCC_TIMERS(since_q) = static_cast<std::uint32_t>(
        std::min<std::int64_t>(std::int64_t{root->DCC_TIMERS(since_q)} + cycles, kMaxSince));
  }
  /// Ages the arbiter's ring of the last issues by a number of cycles. No joined CNP waits in the
  /// ring.
  void age_issues(unsigned cycles) {
    Root* const root = at();
    const unsigned place = root->DCC_MANAGER(u_arbiter__DOT__at_q);
    std::uint32_t& busy = root->DCC_MANAGER(u_arbiter__DOT__busy_q);
    for (unsigned i = 0; i < std::min(cycles, 32u); ++i) busy &= ~(1u << (place + i) % 32);
    root->DCC_MANAGER(u_arbiter__DOT__at_q) = static_cast<std::uint8_t>((place + cycles) % 32);
  }

  /// A packed word that is read from its lowest bit up.
  class Fields {
   public:
    explicit Fields(const EData* words) : words_(words) {}
    std::uint32_t take(unsigned bits) {
      const std::uint64_t low = words_[at_ / 32];
      const std::uint64_t high = at_ % 32 + bits > 32 ? words_[at_ / 32 + 1] : 0;
      const std::uint64_t value = (high << 32 | low) >> at_ % 32;
      at_ += bits;
      return static_cast<std::uint32_t>(value & ((std::uint64_t{1} << bits) - 1));
    }

   private:
    const EData* words_;
    unsigned at_ = 0;
  };

  template <class Top>
  static auto set_fault(Top& top, unsigned fault, int) -> decltype(top.fault_i, void()) {
    top.fault_i = static_cast<unsigned char>(fault);
  }
  template <class Top>
  static void set_fault(Top&, unsigned fault, long) {
    if (fault != 0) throw std::invalid_argument("this RTL was built without faults");
  }

  /// Makes the design ready. After power-up every memory is swept, equally in all instances, so
  /// later instances copy the state of the first one. Instances with a watcher are simulated cycle
  /// by cycle.
  void become_ready(unsigned fault) {
    static std::vector<unsigned char> swept;  // state swept by the first instance, made first
    const bool alike = fault == 0 && std::is_same_v<Watch, NoWatch>;
    if (alike && !swept.empty()) {
      std::memcpy(state_begin(), swept.data(), swept.size());
      return;
    }
    for (int i = 0; i < (2 << kRtlFlowBits) && !top_->ready_o; ++i) edge();
    if (!top_->ready_o) throw RtlError("the controller's RTL does not become ready");
    if (alike) swept.assign(static_cast<const unsigned char*>(state_begin()), state_end());
  }
  /// Begin of the part of the root that is the design's state; the other part identifies the
  /// instance.
  unsigned char* state_begin() {
    return reinterpret_cast<unsigned char*>(at()) + sizeof(VerilatedModule);
  }
  const unsigned char* state_end() const {
    return reinterpret_cast<const unsigned char*>(&at()->vlSymsp);
  }

  /// Makes the edge after a skip, on the needed clocks and on `clocks`. Assertions, which only a
  /// design with one clock has, are off at this edge, because one would report the jump of time.
  void jump_edge(std::uint32_t clocks) {
    if constexpr (!kParts) context_.assertOn(false);
    edge(needed_now() | clocks);
    if constexpr (!kParts) context_.assertOn(true);
  }
  void edge(std::uint32_t clocks) {
    watch_.settled(*top_);
    behind_ = 0;
    clocks_.raise(*top_, clocks);
    if (kParts && top_->psel_i) clocks_.set(*top_, quiet());  // the APB gate sees the new state
    watch_.edge(*top_);
    clocks_.lower(*top_);
    if (!kParts && context_.gotError())
      throw RtlError("an assertion of the controller failed; see above");
  }
  Root* at() { return top_->rootp; }
  const Root* at() const { return top_->rootp; }
  std::int64_t divider() const { return at()->DCC_TIMERS(div_q); }

  SingleThreadContext context_;
  std::unique_ptr<Verilated> top_;
  unsigned slot_bits_ = 0;
  Watch watch_;
  Clocks clocks_;
  // clocks of the logic that skip() left with the counters' values before the skip
  std::uint32_t behind_ = 0;
};

}  // namespace dcc

#undef DCC_MANAGER
#undef DCC_TIMERS
#undef DCC_WHEEL_TIME
#undef DCC_STATISTICS
#undef DCC_LOOKUP
