// Oracle for the controller's RTL: the cycle contract (docs/controller-contract.md) and the rate
// laws, restated edge by edge in the simplest form. The oracle shares no code with the model.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace dcc::page {

constexpr std::uint32_t kMaxHold = 160;      // longest rate hold in intervals
constexpr std::uint32_t kMaxFastPhase = 95;  // longest fast phase in intervals

struct Shape {
  std::uint32_t slots;
  std::uint32_t latency;
  std::size_t cnp_depth;
  std::size_t command_depth;
  std::size_t bytes_depth;
};

struct Registers {
  bool enable = false;
  bool timer_restart = true;
  bool dcqcn = true;
  bool cut_by_marks = false;
  bool byte_counter = true;
  bool keep_target = false;
  std::uint32_t tick_div = 250;
  std::uint32_t timer_interval = 55;
  std::uint32_t byte_threshold = 10'000'000;
  std::uint32_t f = 5;
  std::uint32_t g = 256;
  std::uint32_t r_ai = 10240;
  std::uint32_t r_hai = 102400;
  std::uint32_t mi = 0;
  std::uint32_t r_min = 2560;
  std::uint32_t r_max = 25'600'000;
  std::uint32_t initial_rate = 25'600'000;
  std::uint32_t initial_alpha = 65536;
  std::uint32_t alpha_recip = 78'090'315;
  std::uint32_t decrease_period = 50;
  std::uint32_t first_cut = 0;
  std::uint32_t mark_shift = 0;
  std::uint32_t silence = 32;
  std::uint32_t brisk = 0;
  std::uint32_t cut_floor = 0;
};

struct Tables {
  Tables();
  std::array<std::uint32_t, 64> factor, floor, ceiling, decay_hi, decay_lo;
  std::array<std::uint32_t, 257> decrease;
};

/// Inputs at the controller's ports in one cycle.
struct Inputs {
  bool cnp = false, bytes = false, command = false;
  std::uint32_t cnp_flow = 0, cnp_dscp = 0, cnp_marks = 0, cnp_packets = 0;
  std::uint32_t bytes_flow = 0, bytes_dscp = 0, bytes_length = 0;
  std::uint32_t command_flow = 0;
  bool command_query = false;
};

struct Answer {
  std::uint32_t flow = 0;
  std::uint32_t rate = 0;
  bool query = false;
  bool bound = true;
};

struct Slot {
  bool bound = false;
  std::uint32_t flow = 0;
  std::uint32_t rc = 0, rt = 0, alpha = 0, t = 0, bc = 0, dscp = 0;
  // DCQCN: bytes since the last increase; proportional law: signed account of packets
  std::int64_t length = 0;
  std::uint32_t latest = 0;
  std::uint64_t due = 0;
};

struct Counts {
  std::uint64_t cnps_received = 0, cnps_dropped_no_slot = 0, cnps_coalesced = 0;
  std::uint64_t byte_notifications = 0, byte_notifications_unmatched = 0;
  std::uint64_t rate_decreases = 0, rate_increases = 0, rate_updates = 0;
  std::uint64_t timer_events = 0, events_started = 0, events_cancelled = 0;
  std::uint64_t slots_bound = 0, slots_released = 0, slots_in_use_max = 0;
  std::uint64_t missed_latency = 0, cnps_lost = 0, inputs_dropped = 0;
  std::uint64_t lateness_max = 0;
};

enum Kind { kCnp, kTimer, kCommand, kBytes };

/// An issued event, for coverage counts.
struct Issue {
  Kind kind;
  std::uint32_t flow;
  std::uint64_t sampled;  // clock edge at which the input was sampled
  std::uint64_t due = 0;  // due tick of a timer event
};

class Oracle {
 public:
  explicit Oracle(const Shape& shape);

  /// Cycle n lies between edge n and edge n + 1; the first cycle is 0.
  std::uint64_t cycle() const { return n_; }
  bool ready() const { return n_ >= ready_from_; }
  /// The response at the controller's rate port in this cycle.
  std::optional<Answer> answer() const;
  /// True if the byte port accepts a notification of the flow in this cycle; `hold` is defined at
  /// edge().
  bool bytes_ready(std::uint32_t flow, bool hold) const;
  bool command_ready(bool hold) const;
  /// Advances to the edge at the end of this cycle with the given port inputs. `hold` is true while
  /// a register access waits for an empty pipeline. Returns the event that is issued at this edge,
  /// if any.
  std::optional<Issue> edge(const Inputs& inputs, bool hold);
  /// The edge at which a write that began in cycle `a` takes effect.
  std::uint64_t write_edge(std::uint64_t a) const;
  /// The edge at which a write that began in cycle `a` ends.
  std::uint64_t write_end(std::uint64_t a) const;
  /// Register values of the oracle. Change them right after the edge at which a write takes effect.
  Registers registers;
  Tables tables;
  void soft_reset();

  const Slot& slot(std::uint32_t index) const { return slots_[index]; }
  /// Sets a slot's state as if events had led to it. Call it only while the pipeline is empty.
  void set_slot(std::uint32_t index, const Slot& slot) { slots_[index] = slot; }
  /// The tick at which the timer of a slot expires in the wheel; 0: the wheel holds no timer of the
  /// slot.
  std::uint64_t due_of(std::uint32_t slot) const;
  const Counts& counts() const { return counts_; }
  /// The counters after a clock edge, at most kRemembered - 1 edges ago.
  const Counts& counts_at(std::uint64_t edge) const { return past_[edge % kRemembered].counts; }
  /// Sets the number of the first tick. Call it before any event is issued.
  void begin_at(std::uint64_t tick) { tick_ += tick; }
  /// Number of ticks by which the timing wheel is late. The wheel stops at its first waiting
  /// expiry. Empty while the wheel may still be moving to that expiry.
  std::optional<std::uint64_t> lag() const;
  /// Raises a counter by `difference`, now and in all remembered states.
  void shift(std::uint64_t Counts::*count, std::uint64_t difference) {
    counts_.*count += difference;
    for (Past& past : past_) past.counts.*count += difference;
  }
  /// Number of slots that an event issued after that edge may take.
  std::uint32_t free_at(std::uint64_t edge) const { return past_[edge % kRemembered].free; }
  /// True if no event waits at an input port or in the timing wheel.
  bool nothing_waits() const {
    for (const auto& [flow, latest] : issued_) {
      if (latest.joined.has_value()) return false;
    }
    return cnps_.empty() && commands_.empty() && bytes_.empty() && wheel_.empty();
  }
  std::uint64_t since_issue() const { return last_issue_.has_value() ? n_ - *last_issue_ : n_; }
  std::uint32_t free_slots() const;  // number of free slots; exact while the pipeline is empty
  std::uint64_t tick() const { return tick_; }

 private:
  struct Cnp {
    std::uint64_t sampled;
    std::uint32_t flow, dscp, marks, packets;
    std::uint32_t count = 1;  // number of joined CNPs
  };
  /// The latest issue of a flow, and the flow's CNPs that are joined behind it.
  struct Latest {
    std::uint64_t edge = 0;
    bool cnp = false;
    std::optional<Cnp> joined;
  };
  struct Command {
    std::uint64_t sampled;
    std::uint32_t flow;
    bool query;
  };
  struct Bytes {
    std::uint64_t sampled;
    std::uint32_t flow, dscp;
    std::uint64_t length, packets;
  };
  struct Rates {
    std::uint32_t rc, rt, alpha;
    bool maximum;
  };

  static constexpr std::size_t kRemembered = 64;  // number of past edges whose state is kept
  struct Past {
    Counts counts;
    std::uint32_t free = 0;
  };

  void remember();
  std::optional<Kind> chosen(bool hold) const;
  /// The flow of the head of a kind that can be issued at that edge if the flow is not busy.
  std::optional<std::uint32_t> head(Kind kind, std::uint64_t edge) const;
  /// The flow whose joined CNPs may be issued at that edge, if any.
  std::optional<std::uint32_t> round(std::uint64_t edge) const;
  bool blocked(std::uint32_t flow, std::uint64_t edge) const;
  /// True if the first CNP of the FIFO joins other CNPs of its flow at the edge that ends this
  /// cycle.
  bool joins(bool hold) const;
  std::optional<std::uint32_t> find(std::uint32_t flow) const;
  void on_cnp(const Cnp& cnp);
  void on_timer();
  void on_command(const Command& command);
  void on_bytes(const Bytes& bytes);
  void put(std::uint32_t slot);
  void end_hold(Slot& slot) const;
  static bool in_hold(const Slot& slot) { return slot.t >= 1 && slot.t <= kMaxHold; }
  /// True if the slot is in the fast phase after a rate hold, in which packets and marks count four
  /// times.
  static bool in_fast_phase(const Slot& slot) { return slot.t > kMaxHold; }
  void say(std::uint32_t flow, std::uint32_t rate);
  std::pair<std::uint32_t, std::uint32_t> limits(std::uint32_t dscp) const;
  void cut(Slot& slot, std::uint32_t delta, std::uint32_t marks, bool first);
  bool increase(Slot& slot, std::uint32_t packets);
  void add(Slot& slot, std::int64_t difference) const;
  std::uint32_t since_latest(const Slot& slot) const;

  Shape shape_;
  std::uint64_t n_ = 0;
  std::uint64_t ready_from_ = 0;
  std::deque<Cnp> cnps_;
  std::deque<Command> commands_;
  std::deque<Bytes> bytes_;
  std::map<std::uint32_t, Latest> issued_;  // latest issue, by flow number
  std::array<bool, 4> kept_waiting_{};      // by kind: the head once found its flow busy
  bool bytes_turn_ = false;                 // a command went before the bytes at the head
  std::optional<std::uint64_t> last_issue_;
  std::vector<Slot> slots_;
  std::map<std::uint32_t, std::uint32_t> slot_of_;
  // (edge from which the slot is free, slot)
  std::deque<std::pair<std::uint64_t, std::uint32_t>> free_;
  std::set<std::pair<std::uint64_t, std::uint32_t>> wheel_;
  std::optional<std::uint64_t> last_timer_;
  std::uint64_t last_due_ = 0;
  std::uint64_t tick_ = 0;
  std::uint64_t in_tick_ = 0;  // number of cycles of the present tick that have passed
  std::uint64_t tick_begin_ = 0;
  std::uint32_t used_div_ = 250;
  std::deque<std::pair<std::uint64_t, Answer>> answers_;
  Counts counts_;
  std::array<Past, kRemembered> past_;
};

}  // namespace dcc::page
