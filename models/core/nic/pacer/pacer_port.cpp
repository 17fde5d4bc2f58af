#include "nic/pacer/pacer_port.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace dcc {

PacerPort::PacerPort(Scheduler& scheduler, std::uint32_t rank, PacerEngine& engine, PacerUser& user,
                     const PacerShape& shape, const Clock& clock)
    : scheduler_(scheduler),
      engine_(engine),
      user_(user),
      shape_(shape),
      clock_(clock),
      tick_(Event::calling<&PacerPort::tick>(*this, rank)),
      slots_(shape.flows) {
  for (std::uint32_t flow = shape.flows; flow-- > 0;) free_.push_back(static_cast<PacerFlow>(flow));
}

/// The block's first clock cycle at or after time `t`.
std::int64_t PacerPort::edge_at(PicoSeconds t) const {
  return (std::max<std::int64_t>(t.count, 0) + clock_.period.count - 1) / clock_.period.count;
}

void PacerPort::bind(Qpn qpn, std::uint32_t flow, Rate rate, std::uint8_t priority) {
  if (free_.empty()) {
    throw std::runtime_error(
        "nic.pacer.engine: more than " + std::to_string(shape_.flows) +
        " queue pairs of a NIC send at once, for which the pacer was built; leave nic.pacer out, "
        "or let fewer flows start at this host");
  }
  const PacerFlow at = free_.back();
  free_.pop_back();
  if (qpn >= slots_of_.size()) slots_of_.resize(qpn + 1, kNone);
  slots_of_[qpn] = at;
  slots_[at].qpn = qpn;
  slots_[at].leaves = false;
  engine_.named(at, flow);
  set_rate(qpn, rate, priority);
}

void PacerPort::release(Qpn qpn) {
  if (!is_bound(qpn)) return;
  const auto at = static_cast<PacerFlow>(slots_of_[qpn]);
  slots_of_[qpn] = kNone;
  slots_[at].qpn = kNone;
  slots_[at].leaves = true;
  free_if_over(at);
}

void PacerPort::free_if_over(PacerFlow flow) {
  Slot& slot = slots_[flow];
  if (!slot.leaves || slot.posted > 0) return;
  slot.leaves = false;
  free_.push_back(flow);
}

void PacerPort::post(Qpn qpn, std::uint32_t bytes) {
  catch_up();
  const auto at = static_cast<PacerFlow>(slots_of_[qpn]);
  ++slots_[at].posted;
  ++in_block_;
  posts_.push_back({at, static_cast<std::uint16_t>(bytes)});
  arm();
}

void PacerPort::set_rate(Qpn qpn, Rate rate, std::uint8_t priority) {
  if (!is_bound(qpn)) return;
  catch_up();
  const auto at = static_cast<PacerFlow>(slots_of_[qpn]);
  Slot& slot = slots_[at];
  slot.rate = rate;
  slot.priority = priority;
  if (slot.rate_waits) return;  // the block gets the newest rate
  slot.rate_waits = true;
  rates_.push_back(at);
}

void PacerPort::set_paused(unsigned priorities) {
  if (paused_ == priorities) return;
  catch_up();
  paused_ = static_cast<std::uint8_t>(priorities);
}

bool PacerPort::has_decision(unsigned allowed) const {
  return std::any_of(decided_.begin(), decided_.end(), [&](const Post& one) {
    return (allowed >> slots_[one.flow].priority & 1u) != 0;
  });
}

Qpn PacerPort::take(unsigned allowed) {
  for (auto one = decided_.begin(); one != decided_.end();) {
    const PacerFlow flow = one->flow;
    Slot& slot = slots_[flow];
    if ((allowed >> slot.priority & 1u) == 0) {
      ++one;
      continue;
    }
    one = decided_.erase(one);
    --slot.posted;
    if (slot.qpn != kNone) return slot.qpn;
    free_if_over(flow);
  }
  return kNone;
}

/// The time from which on the port wants a decision of the block; max() if no decision is wanted
/// until the transmitter changes its state.
PicoSeconds PacerPort::wanted_from() const {
  if (clock_.ahead) {
    return user_.takes_ahead() && decided_.empty() && !asked_ ? PicoSeconds{} : PicoSeconds::max();
  }
  PicoSeconds end = std::max(user_.wire_free(), scheduler_.now());
  for (const Post& one : decided_) {
    // a paused decision does not hold back other priorities
    if ((paused_ >> slots_[one.flow].priority & 1u) == 0) end += user_.wire_time(one.bytes);
  }
  if (asked_) end += user_.wire_time(last_bytes_);
  return end - clock_.period * kLookAhead;
}

/// Runs the block's cycles before the present time, in which no decision is wanted or possible.
void PacerPort::catch_up() {
  const std::int64_t target = edge_at(scheduler_.now());
  while (cycles_ < target) {
    if (asked_ || !posts_.empty() || !rates_.empty()) {
      run(false);
      continue;
    }
    PacerInputs inputs;
    inputs.now = time_of(cycles_);
    inputs.paused = paused_;
    answer_ = engine_.skip(static_cast<std::uint64_t>(target - cycles_), inputs);
    cycles_ = target;
  }
}

void PacerPort::run(bool want) {
  PacerInputs inputs;
  inputs.now = time_of(cycles_);
  inputs.paused = paused_;
  inputs.want = want;
  if (!posts_.empty() && answer_.post_ready) {
    inputs.post = true;
    inputs.post_flow = posts_.front().flow;
    inputs.post_bytes = posts_.front().bytes;
    posts_.pop_front();
  }
  if (!rates_.empty() && answer_.rate_ready) {
    Slot& slot = slots_[rates_.front()];
    inputs.rate = true;
    inputs.rate_flow = rates_.front();
    inputs.rate_value = slot.rate;
    inputs.priority = slot.priority;
    slot.rate_waits = false;
    rates_.pop_front();
  }
  answer_ = engine_.cycle(inputs);
  ++cycles_;
  asked_ = want;
  if (answer_.refused) throw std::runtime_error("nic.pacer.engine: the pacer refuses a packet");
  if (!answer_.sent) return;
  --in_block_;
  last_bytes_ = answer_.bytes;
  decided_.push_back({answer_.flow, answer_.bytes});
}

void PacerPort::tick() {
  catch_up();
  if (cycles_ == edge_at(scheduler_.now())) run(wanted_from() <= scheduler_.now());
  if (!decided_.empty()) user_.decided();
  arm();
}

void PacerPort::arm() {
  PicoSeconds from = PicoSeconds::max();
  if (asked_) {
    from = PicoSeconds{};
  } else if (in_block_ > 0 && paused_ != 0xFF) {
    from = wanted_from();
  }
  if (from == PicoSeconds::max()) {
    scheduler_.cancel(tick_);
    return;
  }
  const PicoSeconds due = time_of(std::max({cycles_, edge_at(from), edge_at(scheduler_.now())}));
  if (!tick_.is_scheduled() || tick_.due() != due) scheduler_.schedule_at(tick_, due);
}

}  // namespace dcc
