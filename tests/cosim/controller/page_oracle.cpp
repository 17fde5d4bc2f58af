#include "page_oracle.h"

#include <algorithm>

namespace dcc::page {
namespace {

constexpr std::uint64_t kD = 32, kF = 16, kK = 8, kS = 4, kR = 16, kP = 64;
constexpr std::uint32_t kOne = 65536;
constexpr std::int64_t kLimit = (1 << 27) - 1;

std::uint64_t rounded(std::uint64_t a, std::uint64_t b) { return (a * b + 32768) / 65536; }
std::uint32_t more(std::uint32_t count) { return count < 255 ? count + 1 : 255; }

}  // namespace

Tables::Tables() {
  factor.fill(0x10000100);
  floor.fill(0);
  ceiling.fill(0xFFFFFFFF);
  decay_hi.fill(kOne);
  decay_lo.fill(kOne);
  decrease.fill(kOne);
}

Oracle::Oracle(const Shape& shape) : shape_(shape), slots_(shape.slots) {
  for (std::uint32_t i = 0; i < shape.slots; ++i) free_.emplace_back(0, i);
  past_.fill({{}, shape.slots});
}

void Oracle::remember() {
  const auto later = std::find_if(free_.rbegin(), free_.rend(),
                                  [&](const auto& one) { return one.first <= n_ + 1; });
  past_[n_ % kRemembered] = {counts_, static_cast<std::uint32_t>(free_.rend() - later)};
}

std::optional<Answer> Oracle::answer() const {
  if (!answers_.empty() && answers_.front().first == n_) return answers_.front().second;
  return std::nullopt;
}

std::uint64_t Oracle::write_edge(std::uint64_t a) const {
  return std::max(a, last_issue_.has_value() ? *last_issue_ + kD : 0) + 2;
}

std::uint64_t Oracle::write_end(std::uint64_t a) const {
  const bool at_once = write_edge(a) == a + 2;
  return write_edge(a) + (at_once ? 1 : kP);
}

void Oracle::soft_reset() {
  for (auto& [flow, latest] : issued_) latest.joined.reset();
  cnps_.clear();
  commands_.clear();
  bytes_.clear();
  slot_of_.clear();
  wheel_.clear();
  answers_.clear();
  free_.clear();
  last_timer_.reset();
  kept_waiting_.fill(false);
  bytes_turn_ = false;
  counts_ = {};
  for (std::uint32_t i = 0; i < shape_.slots; ++i) {
    slots_[i] = {};
    free_.emplace_back(0, i);
  }
  ready_from_ = n_ + shape_.slots + kR;
  past_.fill({{}, shape_.slots});
}

std::uint32_t Oracle::free_slots() const { return static_cast<std::uint32_t>(free_.size()); }

std::optional<std::uint64_t> Oracle::lag() const {
  // maximum number of edges until the wheel has reached a tick
  constexpr std::uint64_t kThere = 40;
  if (n_ < ready_from_ + kThere || n_ < tick_begin_ + kThere) return std::nullopt;
  const std::uint64_t at = wheel_.empty() ? tick_ : std::min(tick_, wheel_.begin()->first);
  if (last_timer_.has_value() && n_ < *last_timer_ + kK + kS * (at - last_due_) + kThere)
    return std::nullopt;
  return tick_ - at;
}

// Joined CNPs of a flow may be issued at multiples of D edges after the latest issue of that flow.
std::optional<std::uint32_t> Oracle::round(std::uint64_t edge) const {
  for (const auto& [flow, latest] : issued_) {
    if (latest.joined.has_value() && edge > latest.edge && (edge - latest.edge) % kD == 0)
      return flow;
  }
  return std::nullopt;
}

bool Oracle::blocked(std::uint32_t flow, std::uint64_t edge) const {
  const auto latest = issued_.find(flow);
  return latest != issued_.end() &&
         (edge - latest->second.edge < kD || latest->second.joined.has_value());
}

bool Oracle::joins(bool hold) const {
  if (hold || !ready() || cnps_.empty()) return false;
  const Cnp& cnp = cnps_.front();
  if (!blocked(cnp.flow, n_ + 1) || round(n_ + 1) == cnp.flow) return false;
  const std::optional<Cnp>& there = issued_.at(cnp.flow).joined;
  return !there.has_value() || ((there->marks == 0) == (cnp.marks == 0) &&
                                there->marks + cnp.marks < 256 && there->count < 255);
}

std::optional<std::uint32_t> Oracle::head(Kind kind, std::uint64_t edge) const {
  switch (kind) {
    case kCnp:
      if (!cnps_.empty()) return cnps_.front().flow;
      break;
    case kTimer:
      if (!wheel_.empty() && wheel_.begin()->first <= tick_) {
        const auto [due, slot] = *wheel_.begin();
        const bool begun =
            due < tick_ || (edge >= tick_begin_ + kF && registers.tick_div == used_div_);
        const bool paced =
            !last_timer_.has_value() || edge >= *last_timer_ + kK + kS * (due - last_due_);
        if (begun && paced) return slots_[slot].flow;
      }
      break;
    case kCommand:
      if (!commands_.empty()) return commands_.front().flow;
      break;
    case kBytes:
      if (!bytes_.empty()) return bytes_.front().flow;
      break;
  }
  return std::nullopt;
}

// Predicts the event that is issued at the edge that ends this cycle.
std::optional<Kind> Oracle::chosen(bool hold) const {
  if (hold || !ready()) return std::nullopt;
  const std::uint64_t edge = n_ + 1;
  const std::optional<std::uint32_t> own = round(edge);
  const Kind third = bytes_turn_ ? kBytes : kCommand, last = bytes_turn_ ? kCommand : kBytes;
  if (own.has_value()) {
    for (const Kind kind : {kTimer, third, last}) {
      if (head(kind, edge) == own && issued_.at(*own).cnp) return kind;
    }
    return kCnp;
  }
  for (const Kind kind : {kCnp, kTimer, third, last}) {
    const std::optional<std::uint32_t> flow = head(kind, edge);
    if (!flow.has_value() || blocked(*flow, edge)) continue;
    if (kind != kCnp) return kind;
    for (const Kind other : {kTimer, third, last}) {
      if (kept_waiting_[other] && head(other, edge) == flow) return other;
    }
    return kCnp;
  }
  return std::nullopt;
}

bool Oracle::bytes_ready(std::uint32_t flow, bool hold) const {
  if (!ready() || !registers.enable) return true;
  const bool pop = chosen(hold) == kBytes;
  for (std::size_t i = pop ? 1 : 0; i < bytes_.size(); ++i) {
    if (bytes_[i].flow == flow) return true;
  }
  return bytes_.size() - (pop ? 1 : 0) < shape_.bytes_depth;
}

bool Oracle::command_ready(bool hold) const {
  return ready() && commands_.size() - (chosen(hold) == kCommand ? 1 : 0) < shape_.command_depth;
}

std::optional<Issue> Oracle::edge(const Inputs& in, bool hold) {
  const std::optional<Kind> kind = chosen(hold);
  const std::optional<std::uint32_t> own = hold ? std::nullopt : round(n_ + 1);
  const bool taken = ready() && registers.enable;
  const bool early = !ready() && registers.enable;
  const bool bytes_taken = in.bytes && taken && bytes_ready(in.bytes_flow, hold);
  const bool command_taken = in.command && command_ready(hold);
  if (!hold && ready()) {
    for (const Kind each : {kTimer, kCommand, kBytes}) {
      const std::optional<std::uint32_t> flow = head(each, n_ + 1);
      if (flow.has_value() && blocked(*flow, n_ + 1)) kept_waiting_[each] = true;
    }
  }
  if (kind.has_value()) kept_waiting_[*kind] = false;
  if (kind == kBytes) bytes_turn_ = false;
  if (kind == kCommand && !bytes_.empty()) bytes_turn_ = true;
  std::optional<Cnp> joining;
  if (joins(hold)) {
    joining = cnps_.front();
    cnps_.pop_front();
  }
  if (!answers_.empty() && answers_.front().first == n_) answers_.pop_front();

  // Counts the clock edge, which may begin a new tick.
  ++n_;
  if (registers.tick_div != used_div_) {
    used_div_ = registers.tick_div;
    tick_begin_ = n_;
  } else if (n_ - tick_begin_ >= used_div_) {
    ++tick_;
    tick_begin_ = n_;
  }

  std::optional<Issue> issue;
  if (kind.has_value()) {
    switch (*kind) {
      case kCnp: {
        Cnp cnp{};
        if (own.has_value()) {
          cnp = *issued_.at(*own).joined;
          issued_.at(*own).joined.reset();
        } else {
          cnp = cnps_.front();
          cnps_.pop_front();
        }
        issue = Issue{kCnp, cnp.flow, cnp.sampled, 0};
        on_cnp(cnp);
        break;
      }
      case kTimer:
        issue = Issue{kTimer, slots_[wheel_.begin()->second].flow, n_, wheel_.begin()->first};
        on_timer();
        break;
      case kCommand: {
        const Command command = commands_.front();
        commands_.pop_front();
        issue = Issue{kCommand, command.flow, command.sampled, 0};
        on_command(command);
        break;
      }
      case kBytes: {
        const Bytes bytes = bytes_.front();
        bytes_.pop_front();
        issue = Issue{kBytes, bytes.flow, bytes.sampled, 0};
        on_bytes(bytes);
        break;
      }
    }
    Latest& latest = issued_[issue->flow];  // joined CNPs that this event did not issue stay joined
    latest.edge = n_;
    latest.cnp = *kind == kCnp;
    last_issue_ = n_;
  }
  if (joining.has_value()) {
    std::optional<Cnp>& there = issued_.at(joining->flow).joined;
    if (!there.has_value()) {
      there = joining;
    } else {
      there->dscp = joining->dscp;
      there->marks += joining->marks;
      const bool untold = there->packets == 0 || joining->packets == 0;
      there->packets = untold ? 0 : std::min(255u, there->packets + joining->packets);
      there->count += 1;
    }
  }

  if (in.cnp && taken) {
    if (cnps_.size() < shape_.cnp_depth) {
      cnps_.push_back({n_, in.cnp_flow, in.cnp_dscp, in.cnp_marks, in.cnp_packets});
    } else {
      ++counts_.cnps_lost;
    }
  }
  if (bytes_taken) {
    auto entry = std::find_if(bytes_.begin(), bytes_.end(),
                              [&](const Bytes& b) { return b.flow == in.bytes_flow; });
    if (entry == bytes_.end()) {
      bytes_.push_back({n_, in.bytes_flow, in.bytes_dscp, in.bytes_length, 1});
    } else {
      entry->length = std::min<std::uint64_t>(0xFFFFFFFF, entry->length + in.bytes_length);
      entry->packets = std::min<std::uint64_t>(0xFFFF, entry->packets + 1);
      entry->dscp = in.bytes_dscp;
    }
  }
  if (command_taken) commands_.push_back({n_, in.command_flow, in.command_query});
  if (early) counts_.inputs_dropped += (in.cnp ? 1u : 0u) + (in.bytes ? 1u : 0u);
  remember();
  return issue;
}

std::optional<std::uint32_t> Oracle::find(std::uint32_t flow) const {
  const auto it = slot_of_.find(flow);
  if (it == slot_of_.end()) return std::nullopt;
  return it->second;
}

void Oracle::say(std::uint32_t flow, std::uint32_t rate) {
  ++counts_.rate_updates;
  answers_.emplace_back(n_ + shape_.latency, Answer{flow, rate, false, true});
}

std::uint32_t Oracle::since_latest(const Slot& slot) const {
  return std::min<std::uint32_t>((1u << 20) - 1, static_cast<std::uint32_t>(tick_) - slot.latest);
}

void Oracle::add(Slot& slot, std::int64_t difference) const {
  slot.length = std::clamp(slot.length + difference, -kLimit - 1, kLimit);
}

std::uint64_t Oracle::due_of(std::uint32_t slot) const {
  for (const auto& [due, of] : wheel_) {
    if (of == slot) return due;
  }
  return 0;
}

// A timer that an event starts enters the wheel two ticks later at the earliest.
void Oracle::put(std::uint32_t slot) {
  wheel_.emplace(std::max(slots_[slot].due, tick_ + 2), slot);
}

void Oracle::on_cnp(const Cnp& cnp) {
  const Registers& r = registers;
  counts_.cnps_received += cnp.count;
  std::optional<std::uint32_t> at = find(cnp.flow);
  const bool first = !at.has_value();
  const bool binds = first && (r.dcqcn || cnp.marks != 0);
  const bool no_slot = binds && (free_.empty() || free_.front().first > n_);
  // joined CNPs are one event, and the others count as coalesced
  if (!no_slot) counts_.cnps_coalesced += cnp.count - 1;
  // a clear notification ends a rate hold and has no other effect
  if (!r.dcqcn && cnp.marks == 0) {
    if (!first && in_hold(slots_[*at])) {
      const std::uint32_t before = slots_[*at].rc;
      end_hold(slots_[*at]);
      slots_[*at].rc = slots_[*at].rt;
      if (slots_[*at].rc != before) say(cnp.flow, slots_[*at].rc);
    }
    return;
  }
  if (first) {
    if (no_slot) {
      counts_.cnps_dropped_no_slot += cnp.count;
      return;
    }
    at = free_.front().second;
    free_.pop_front();
    ++counts_.slots_bound;
    std::uint64_t free_now = 0;
    for (const auto& f : free_) free_now += f.first <= n_;
    counts_.slots_in_use_max =
        std::max<std::uint64_t>(counts_.slots_in_use_max, shape_.slots - free_now);
    slot_of_[cnp.flow] = *at;
    Slot fresh;
    fresh.bound = true;
    fresh.flow = cnp.flow;
    fresh.rc = fresh.rt = std::min(r.initial_rate, limits(cnp.dscp).second);
    fresh.alpha = r.dcqcn ? r.initial_alpha : 0;
    slots_[*at] = fresh;
  }
  Slot& slot = slots_[*at];
  const std::uint32_t delta = first ? 0 : since_latest(slot);
  if (!first && delta < r.decrease_period && (r.dcqcn || slot.t == 1)) {
    ++counts_.cnps_coalesced;
    return;
  }
  slot.dscp = cnp.dscp;
  slot.latest = static_cast<std::uint32_t>(tick_);
  if (first || r.timer_restart) {
    slot.due = tick_ + std::max(1u, r.timer_interval);
    ++counts_.events_started;
    if (first) {
      put(*at);
    } else {
      ++counts_.events_cancelled;
    }
  }
  const std::uint32_t before = slot.rc;
  if (r.dcqcn) {
    const std::uint32_t target = slot.rt;
    const bool raised_by_timer = slot.t != 0;
    cut(slot, delta, cnp.marks, first);
    if (r.keep_target && !first && !raised_by_timer) slot.rt = target;
    slot.t = slot.bc = 0;
    slot.length = 0;
  } else if (in_hold(slot)) {  // in a rate hold marks are counted and do not cut the rate
    slot.bc = std::min(255u, slot.bc + cnp.marks);
    if (cnp.packets > cnp.marks) {
      end_hold(slot);
      slot.rc = slot.rt;
    }
  } else {
    if (cnp.packets != 0 && cnp.packets != 255) {
      add(slot, 256 * (std::int64_t{cnp.packets} - std::int64_t{slot.alpha}));
    }
    add(slot, -static_cast<std::int64_t>(std::uint64_t{cnp.marks} * r.g / 256));
    slot.alpha = 0;
    const bool may_hold = r.first_cut != 0;
    if (!first || !may_hold) {
      const std::uint32_t marks = in_fast_phase(slot) ? std::min(255u, 4 * cnp.marks) : cnp.marks;
      cut(slot, 0, marks, first);
    }
    const std::int64_t owed = slot.length < 0 ? -slot.length / 256 - 8 : -1;
    const bool swamped =
        owed > 0 && static_cast<std::uint64_t>(owed) * r.r_hai > std::uint64_t{4} * slot.rt;
    if (may_hold && (first || swamped)) {
      slot.t = 1;
      slot.bc = 0;
      // 1: the receiver has promised a clear notification
      slot.alpha = first && cnp.packets == cnp.marks ? 1 : 0;
      slot.length = 0;
      slot.rc = slot.rt;
      cut(slot, 0, 0, true);
    }
  }
  if (first || slot.rc != before) say(cnp.flow, slot.rc);
}

void Oracle::end_hold(Slot& slot) const {
  slot.t = registers.brisk == 0 ? 0 : 256 - registers.brisk;
  slot.bc = slot.alpha = 0;
  slot.length = 0;
}

void Oracle::on_timer() {
  const Registers& r = registers;
  const auto [due, at] = *wheel_.begin();
  const bool late = n_ > tick_begin_ + kF + kD || due != tick_;
  wheel_.erase(wheel_.begin());
  last_timer_ = n_;
  last_due_ = due;
  Slot& slot = slots_[at];
  if (!slot.bound) {
    free_.emplace_back(n_ + kD, at);
    return;
  }
  if (slot.due > due) {  // a stale expiry: the slot's timer was restarted since
    put(at);
    return;
  }
  ++counts_.timer_events;
  if (late) {
    ++counts_.missed_latency;
    counts_.lateness_max = std::max(counts_.lateness_max, tick_ - due);
  }
  const std::uint32_t before = slot.rc;
  bool maximum = false;
  if (r.dcqcn) {
    slot.t = more(slot.t);
    maximum = increase(slot, 0);
  } else {
    bool over = false;  // true if the rate hold has ended
    bool held = false;
    if (in_hold(slot)) {
      const std::uint32_t quiet = since_latest(slot);
      const std::uint64_t t = r.timer_interval;
      const std::uint64_t patience = std::min<std::uint64_t>(
          (1u << 20) - 1, slot.alpha != 0 ? 64 * t : t + t * (slot.t - 1) / 8);
      if (quiet < patience && slot.t < kMaxHold) {
        held = true;
        const bool overrated = slot.bc != 255 && std::uint64_t{slot.rt} * slot.t >=
                                                     std::uint64_t{2} * slot.bc * r.r_hai;
        if (quiet < r.timer_interval && overrated) {
          slot.rc = slot.rt;
          cut(slot, 0, 0, true);
        }
        slot.t = more(slot.t);
      } else {
        over = true;
      }
    }
    const bool fast = in_fast_phase(slot);
    if (over) end_hold(slot);
    if (!held) {
      const bool silent =
          slot.bc >= r.silence &&
          (slot.bc == 255 || std::uint64_t{slot.rt} * slot.bc >= std::uint64_t{4} * r.r_hai);
      const bool counts = slot.bc == 0 || silent;  // true if this interval shortens the fast phase
      slot.bc = more(slot.bc);
      std::uint64_t packets = 0;
      if (silent) {
        packets = std::max(1u, slot.rt / 131072);
      } else if (slot.length > 0) {
        packets = static_cast<std::uint64_t>(slot.length / 256);
        slot.length %= 256;
      }
      if (fast) {
        packets = std::min<std::uint64_t>((1u << 20) - 1, 4 * packets);
        if (counts) slot.t = slot.t == 255 ? 0 : slot.t + 1;
      }
      maximum = increase(slot, static_cast<std::uint32_t>(packets));
    }
  }
  if (maximum) {
    slot.bound = false;
    slot_of_.erase(slot.flow);
    free_.emplace_back(n_ + kD, at);
    ++counts_.slots_released;
  } else {
    slot.due = tick_ + std::max(1u, r.timer_interval);
    put(at);
    ++counts_.events_started;
  }
  if (slot.rc != before) say(slot.flow, slot.rc);
}

void Oracle::on_command(const Command& command) {
  const std::optional<std::uint32_t> at = find(command.flow);
  if (command.query) {
    answers_.emplace_back(
        n_ + shape_.latency,
        Answer{command.flow, at.has_value() ? slots_[*at].rc : 0, true, at.has_value()});
  } else if (at.has_value()) {
    slots_[*at].bound = false;
    slot_of_.erase(command.flow);
    ++counts_.slots_released;
    ++counts_.events_cancelled;
  }
}

void Oracle::on_bytes(const Bytes& bytes) {
  const Registers& r = registers;
  counts_.byte_notifications += bytes.packets;
  const std::optional<std::uint32_t> at = find(bytes.flow);
  if (!at.has_value()) {
    counts_.byte_notifications_unmatched += bytes.packets;
    return;
  }
  Slot& slot = slots_[*at];
  slot.dscp = bytes.dscp;
  if (!r.dcqcn) {
    if (!in_hold(slot)) {
      slot.alpha = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(kOne, std::uint64_t{slot.alpha} + bytes.packets));
      add(slot, 256 * static_cast<std::int64_t>(bytes.packets));
      slot.bc = 0;
    }
    return;
  }
  if (!r.byte_counter) return;
  slot.length += static_cast<std::int64_t>(bytes.length);
  if (slot.length <= r.byte_threshold) return;
  slot.length = std::min<std::int64_t>(0xFFFFFFFF, slot.length - r.byte_threshold);
  slot.bc = more(slot.bc);
  const std::uint32_t before = slot.rc;
  increase(slot, 0);
  if (slot.rc != before) say(bytes.flow, slot.rc);
}

std::pair<std::uint32_t, std::uint32_t> Oracle::limits(std::uint32_t dscp) const {
  const std::uint32_t lo = std::max(registers.r_min, tables.floor[dscp]);
  return {lo, std::max(lo, std::min(registers.r_max, tables.ceiling[dscp]))};
}

namespace {
// The part of a step that applies at a target rate. At targets of 2^17 and above the whole step
// applies. Below 2^17 the step shrinks in proportion to the target, rounded to its four leading
// bits, but never below 1/128.
std::uint64_t part(std::uint64_t value, std::uint32_t target) {
  if (target >= 1u << 17) return value;
  std::uint64_t unit = 1u << 13;  // a sixteenth of the target's power-of-two interval
  while (unit > 128 && target < 8 * unit) unit /= 2;
  return value * std::max<std::uint64_t>(8, target / unit) / ((1u << 17) / unit);
}
}  // namespace

void Oracle::cut(Slot& slot, std::uint32_t delta, std::uint32_t marks, bool first) {
  const Registers& r = registers;
  ++counts_.rate_decreases;
  const std::uint64_t n =
      std::min<std::uint64_t>(4095, (first ? 0 : std::uint64_t{delta}) * r.alpha_recip >> 32);
  const std::uint64_t alpha =
      rounded(rounded(slot.alpha, tables.decay_hi[n / 64]), tables.decay_lo[n % 64]);
  const std::uint64_t source = r.cut_by_marks ? std::uint64_t{marks} << r.mark_shift : alpha;
  const std::uint64_t argument =
      std::min<std::uint64_t>(kOne, source * (tables.factor[slot.dscp] >> 16) / 4096);
  std::uint64_t multiplier = tables.decrease[argument / 256];
  if (argument % 256 != 0) {
    multiplier = (multiplier * (256 - argument % 256) +
                  tables.decrease[argument / 256 + 1] * (argument % 256) + 128) /
                 256;
  }
  const bool by_first_cut = first && r.first_cut != 0;
  multiplier = by_first_cut ? r.first_cut : std::max<std::uint64_t>(multiplier, r.cut_floor);
  const auto [lo, hi] = limits(slot.dscp);
  const std::uint64_t left = slot.rc * multiplier / kOne;
  std::uint64_t target = slot.rc;
  if (!r.dcqcn) {
    std::uint64_t taken = slot.rc - left;
    if (multiplier == 0) {  // the argument counts from one to two or four quarters of 1.0
      const std::uint64_t quarters = slot.rt < 1u << 15 ? 4 : slot.rt < 1u << 16 ? 2 : 1;
      const std::uint64_t counted =
          std::clamp<std::uint64_t>(argument, kOne / 4, quarters * kOne / 4);
      taken = std::min<std::uint64_t>(0xFFFFFFFF, slot.rc * counted / (kOne / 4));
    }
    const std::uint64_t lasting = by_first_cut ? slot.rt / 2 : part(taken, slot.rt) / 4;
    target = std::max<std::uint64_t>(lo, slot.rt > lasting ? slot.rt - lasting : 0);
  }
  slot.rc = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(left, lo, hi));
  slot.rt = static_cast<std::uint32_t>(target);
  if (r.dcqcn) {
    slot.alpha = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(kOne, alpha + rounded(kOne - alpha, r.g)));
  }
}

bool Oracle::increase(Slot& slot, std::uint32_t packets) {
  const Registers& r = registers;
  ++counts_.rate_increases;
  const auto [lo, hi] = limits(slot.dscp);
  const std::uint32_t most = std::max(slot.t, slot.bc), least = std::min(slot.t, slot.bc);
  std::uint64_t additive = 0, multiplicative = 0;
  if (!r.dcqcn) {
    additive = part(std::min<std::uint64_t>(0xFFFFFFFF, std::uint64_t{r.r_ai} * packets), slot.rt);
    multiplicative = rounded(slot.rt, r.mi);
  } else if (most >= r.f) {
    const std::uint64_t step = least > r.f ? r.r_hai : r.r_ai;
    additive = (step * (tables.factor[slot.dscp] & 0xFFFF) + 128) / 256;
    multiplicative = rounded(slot.rt, r.mi);
  }
  const std::uint64_t target = std::min<std::uint64_t>(hi, slot.rt + additive + multiplicative);
  const std::uint64_t next = r.dcqcn ? (slot.rc + target + 1) / 2 : target;
  slot.rt = static_cast<std::uint32_t>(target);
  slot.rc = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(next, lo, hi));
  return slot.rc == hi;
}

}  // namespace dcc::page
