#include "nic/pacer/pacer_model.h"

#include <algorithm>

namespace dcc {
namespace {

// Widths of rtl/pacer/rtl/dc_pacer_pkg.sv.
constexpr unsigned kTimeBits = 56;
constexpr unsigned kFractionBits = 38;
constexpr unsigned kNearBits = 38;
constexpr std::uint64_t kNearMask = (std::uint64_t{1} << kNearBits) - 1;
constexpr std::uint64_t kNearSign = std::uint64_t{1} << (kNearBits - 1);
constexpr std::uint64_t kTimeMask = (std::uint64_t{1} << kTimeBits) - 1;
constexpr std::uint64_t kFractionMask = (std::uint64_t{1} << kFractionBits) - 1;
constexpr Uint128 kExactMask = (Uint128{1} << (kTimeBits + kFractionBits)) - 1;
constexpr std::uint32_t kDividerCycles = 15;  // 60 bits of the quotient, four in each
constexpr std::uint64_t kNoKey = ~std::uint64_t{0};
constexpr unsigned kLevelShift = kNearBits;
constexpr std::uint64_t kNotBegun = std::uint64_t{1} << (kNearBits + 3);

bool is_negative(std::uint64_t near) { return (near & kNearSign) != 0; }
/// A signed time as an unsigned key that sorts in the same order.
std::uint64_t in_order(std::uint64_t near) { return near ^ kNearSign; }
std::uint64_t cycles_of(Uint128 exact) {
  return static_cast<std::uint64_t>(exact >> kFractionBits) & kTimeMask;
}

}  // namespace

PacerModel::PacerModel(const PacerShape& shape, const PacerSettings& settings)
    : shape_(shape),
      settings_(settings),
      rows_(shape.rows()),
      calm_cycles_(rows_ + 8),
      entries_(shape.flows),
      flows_(shape.flows),
      lengths_(std::size_t{shape.flows} * shape.depth),
      candidates_(rows_),
      busy_(rows_) {
  for (Flow& flow : flows_) flow.gap = std::uint64_t{settings.scale} << kFractionBits;
  clocks_.fill(shape.flows);  // the memory sweep after reset takes one cycle for each flow
  calm_ = std::min(shape.flows, calm_cycles_);
}

bool PacerModel::has_begun(const Entry& entry) const {
  const std::uint64_t left = (entry.start - clocks_[entry.level]) & kNearMask;
  return left == 0 || is_negative(left);
}

/// Number of cycles from an entry's deadline to the present time, modulo 2^38.
std::uint64_t PacerModel::since_deadline(const Entry& entry) const {
  return (clocks_[entry.level] - entry.deadline) & kNearMask;
}

/// The key by which packets that may leave are ordered; the least key leaves first.
std::uint64_t PacerModel::key_of(const Entry& entry) const {
  const std::uint64_t level = strict_ ? 7u - entry.level : 0u;
  return level << kLevelShift | in_order((entry.deadline - clocks_[entry.level]) & kNearMask);
}

PacerModel::Best PacerModel::best_candidate(const PacerInputs& inputs, bool& overdue) const {
  Best best;
  std::uint64_t least = kNoKey;
  for (std::uint32_t row = 0; row < rows_; ++row) {
    const Candidate& one = candidates_[row];
    if (!one.valid || (inputs.paused >> one.entry.level & 1u) != 0 || !has_begun(one.entry)) {
      continue;
    }
    const std::uint64_t to_deadline = (one.entry.deadline - clocks_[one.entry.level]) & kNearMask;
    overdue = overdue || is_negative(to_deadline);
    if (busy_[row] != 0) continue;
    const std::uint64_t key = key_of(one.entry);
    if (key >= least) continue;
    least = key;
    best = {true, one.flow};
  }
  return best;
}

/// Chooses the pacer operation that begins: a rate change precedes all others, and wakes and
/// decisions take turns.
PacerModel::Operation PacerModel::choose(const PacerInputs& inputs, const Best& best) {
  Operation op;
  const bool may_decide = inputs.want && best.any;
  if (rate_busy_ && rate_left_ == 0 && busy_[row_of(rate_flow_)] == 0) {
    op.step = Step::kRate;
    op.flow = rate_flow_;
    op.gap = rate_gap_;
    op.level = rate_level_;
  } else if (wakes_waiting_ > 0 && busy_[row_of(wakes_[0])] == 0 && !(may_decide && woke_)) {
    op.step = Step::kWake;
    op.flow = wakes_[0];
    woke_ = true;
  } else if (may_decide) {
    op.step = Step::kSent;
    op.flow = best.flow;
    woke_ = false;
  } else {
    return op;
  }
  op.runs = true;
  return op;
}

PacerModel::Candidate PacerModel::candidate_of(std::uint32_t row, unsigned paused) const {
  Candidate found;
  std::uint64_t least = kNoKey;
  for (std::uint32_t at = 0; at < shape_.width; ++at) {
    const Entry& entry = entries_[row * shape_.width + at];
    if (!entry.waits || (paused >> entry.level & 1u) != 0) continue;
    const std::uint64_t key =
        has_begun(entry) ? key_of(entry)
                         : kNotBegun | in_order((entry.start - clocks_[entry.level]) & kNearMask);
    const std::uint64_t lateness = since_deadline(entry);
    if (!is_negative(lateness) && lateness > settings_.slack) {
      found.late |= static_cast<std::uint8_t>(1u << entry.level);
    }
    if (key >= least) continue;
    least = key;
    found.valid = true;
    found.flow = static_cast<PacerFlow>(at * rows_ + row);
    found.entry = entry;
  }
  return found;
}

/// Updates the rings of packet lengths: adds or refuses the packet posted in the cycle before,
/// removes the packet of an operation, and reads the pointers for the operation that begins.
void PacerModel::queue_steps(const PacerInputs& inputs, Operation& issued, PacerAnswer& answer) {
  const auto counts = static_cast<std::uint8_t>(2 * shape_.depth - 1);
  const std::uint32_t places = shape_.depth - 1;
  if (posted_ && posted_count_ < shape_.depth) {
    Flow& flow = flows_[posted_flow_];
    lengths_[posted_flow_ * shape_.depth + (flow.end & places)] = posted_bytes_;
    flow.end = static_cast<std::uint8_t>(flow.end + 1u) & counts;
    if (posted_count_ <= 1) wakes_[wakes_waiting_++] = posted_flow_;
  }
  if (op1_.runs) {
    Flow& flow = flows_[op1_.flow];
    const bool pops = op1_.step == Step::kSent;
    const auto first = static_cast<std::uint8_t>(op1_.begin + (pops ? 1u : 0u)) & counts;
    op1_.any = first != op1_.end;
    op1_.bytes = op1_.any ? lengths_[op1_.flow * shape_.depth + (first & places)] : flow.first;
    if (pops) {
      flow.begin = static_cast<std::uint8_t>(first);
      answer.sent = true;
      answer.flow = op1_.flow;
      answer.bytes = static_cast<std::uint16_t>(flow.first);
    }
  }
  posted_ = inputs.post;
  if (posted_) {
    const Flow& flow = flows_[inputs.post_flow];
    posted_flow_ = inputs.post_flow;
    posted_bytes_ = inputs.post_bytes;
    posted_count_ = static_cast<std::uint8_t>(flow.end - flow.begin) & counts;
    answer.refused = posted_count_ == shape_.depth;
  }
  if (issued.runs) {
    issued.begin = flows_[issued.flow].begin;
    issued.end = flows_[issued.flow].end;
  }
}

/// Sets start and deadline of the flow's first packet after the operation. `op.gap` and `op.level`
/// are the new values; `flow` still has the old ones.
void PacerModel::change(const Operation& op) {
  Flow& flow = flows_[op.flow];
  Entry& entry = entry_of(op.flow);
  const bool is_rate = op.step == Step::kRate;
  const std::uint64_t gap = is_rate ? op.gap : flow.gap;
  const std::uint8_t level = is_rate ? op.level : flow.level;
  const bool moved = is_rate && level != flow.level;
  const Uint128 step = (Uint128{gap} - flow.gap) * flow.behind;  // wraps modulo 2^128
  flow.gap = gap;
  flow.level = level;
  if (op.step == Step::kWake && entry.waits) return;

  const std::uint64_t now = clocks_[level];
  const Uint128 present = Uint128{now} << kFractionBits;
  const Uint128 product = Uint128{gap} * op.bytes;
  const bool idle = cycles_of(flow.exact) < now;
  Uint128 start = flow.exact;
  std::uint32_t behind = flow.first;
  bool waits = op.any;
  if (is_rate) {
    waits = entry.waits;
    const std::uint64_t ahead = (entry.start - now) & kNearMask;
    const std::uint64_t old_start =
        (now + (is_negative(ahead) ? ahead | ~kNearMask : ahead)) & kTimeMask;
    const Uint128 planned = waits ? Uint128{old_start} << kFractionBits | flow.part : flow.exact;
    const Uint128 shifted = (planned + step) & kExactMask;
    const bool reached = cycles_of(planned) <= now;
    const bool past = cycles_of(shifted) < now;
    if (moved) {
      start = (present + product) & kExactMask;
      behind = op.bytes;
    } else {
      start = reached ? planned : past ? present : shifted;
      behind = reached || past ? 0 : flow.behind;
    }
  } else if (op.step == Step::kWake) {
    start = idle ? present : flow.exact;
    behind = idle ? 0 : flow.behind;
  }
  const Uint128 deadline = (start + product) & kExactMask;
  waiting_ += waits ? 1u : 0u;
  waiting_ -= entry.waits ? 1u : 0u;
  entry = {cycles_of(start) & kNearMask, cycles_of(deadline) & kNearMask, level, waits};
  flow.exact = waits ? deadline : start;
  flow.first = op.bytes;
  flow.behind = behind;
  flow.part = static_cast<std::uint64_t>(start) & kFractionMask;
}

/// Computes the candidates of two rows: the row that an operation changed and the row of the sweep.
void PacerModel::keep_candidates(const PacerInputs& inputs, const Operation& issued) {
  if (scanning_) {
    const std::uint32_t row = (scan_ + rows_ - 1) & (rows_ - 1);
    candidates_[row] = candidate_of(row, inputs.paused);
  }
  if (op4_.runs) {
    const std::uint32_t row = row_of(op4_.flow);
    candidates_[row] = candidate_of(row, inputs.paused);
    busy_[row] = 0;
  }
  if (issued.runs) busy_[row_of(issued.flow)] = 1;
}

void PacerModel::move_clocks(unsigned stopped, std::uint64_t cycles) {
  for (std::size_t p = 0; p < kPriorityCount; ++p) {
    if ((stopped >> p & 1u) == 0) clocks_[p] = (clocks_[p] + cycles) & kTimeMask;
  }
}

void PacerModel::move_rate(const PacerInputs& inputs, bool taken) {
  if (inputs.rate && !rate_busy_) {
    const std::uint64_t divisor = std::max(1u, inputs.rate_value.raw);
    const std::uint64_t dividend = std::uint64_t{settings_.scale} << kFractionBits;
    rate_busy_ = true;
    rate_left_ = kDividerCycles;
    rate_flow_ = inputs.rate_flow;
    rate_level_ = inputs.priority;
    rate_gap_ = dividend / divisor + (dividend % divisor != 0 ? 1u : 0u);
  } else if (rate_left_ > 0) {
    --rate_left_;
  } else if (taken) {
    rate_busy_ = false;
  }
}

PacerAnswer PacerModel::cycle(const PacerInputs& inputs) {
  unsigned late = 0;
  for (const Candidate& one : candidates_) late |= one.late;
  bool overdue = false;
  const Best best = best_candidate(inputs, overdue);
  Operation issued = choose(inputs, best);
  if (issued.runs && issued.step == Step::kWake) {
    std::copy(wakes_.begin() + 1, wakes_.end(), wakes_.begin());
    --wakes_waiting_;
  }
  PacerAnswer answer;
  queue_steps(inputs, issued, answer);
  keep_candidates(inputs, issued);  // reads rows as they were before this cycle's operation
  if (op3_.runs) change(op3_);
  move_rate(inputs, issued.runs && issued.step == Step::kRate);
  if (late != 0) {
    strict_ = true;
  } else if (calm_ >= calm_cycles_) {
    strict_ = false;
  }
  calm_ = overdue ? 0 : std::min(calm_ + 1, calm_cycles_);
  move_clocks(inputs.paused | late, 1);
  op4_ = op3_;
  op3_ = op2_;
  op2_ = op1_;
  op1_ = issued;
  scanning_ = true;
  scan_ = (scan_ + 1) & (rows_ - 1);
  answer.post_ready = wakes_waiting_ <= 2;
  answer.rate_ready = !rate_busy_;
  answer.strict = strict_;
  return answer;
}

bool PacerModel::is_idle() const {
  if (waiting_ > 0 || posted_ || wakes_waiting_ > 0 || rate_busy_) return false;
  if (op1_.runs || op2_.runs || op3_.runs || op4_.runs) return false;
  return std::none_of(candidates_.begin(), candidates_.end(),
                      [](const Candidate& one) { return one.valid || one.late != 0; });
}

PacerAnswer PacerModel::skip(std::uint64_t cycles, const PacerInputs& inputs) {
  PacerAnswer answer;
  for (; cycles > 0 && !is_idle(); --cycles) answer = cycle(inputs);
  if (cycles == 0) return answer;
  if (calm_ + cycles > calm_cycles_) strict_ = false;
  calm_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(calm_ + cycles, calm_cycles_));
  move_clocks(inputs.paused, cycles);
  scanning_ = true;
  scan_ = static_cast<std::uint32_t>((scan_ + cycles) & (rows_ - 1));
  answer = {};
  answer.strict = strict_;
  return answer;
}

}  // namespace dcc
