// Accesses of software to the model of the controller, soft reset, and inspection of slots and
// counters.
#include <algorithm>

#include "controller/controller_model.h"
#include "registers/generated/dcc_map.h"

namespace dcc {

namespace block = regs::dcc_map;

namespace {
// Table windows come first in the register map, in the order of RateTable.
constexpr RateTable table_of(std::uint16_t window) { return static_cast<RateTable>(window); }
static_assert(table_of(block::kWindowFactor) == RateTable::kFactor, "order of tables");
static_assert(table_of(block::kWindowFloor) == RateTable::kFloor, "order of tables");
static_assert(table_of(block::kWindowCeiling) == RateTable::kCeiling, "order of tables");
static_assert(table_of(block::kWindowDecayHi) == RateTable::kDecayHi, "order of tables");
static_assert(table_of(block::kWindowDecayLo) == RateTable::kDecayLo, "order of tables");
static_assert(table_of(block::kWindowDecrease) == RateTable::kDecrease, "order of tables");
static_assert(DCC_DECREASE_ENTRIES == kDecreaseEntries, "size of the decrease table");

// mask of a stored due tick: 16 bits and the epoch bit
constexpr std::uint32_t kStoredDueMask = (1u << 17) - 1;
}  // namespace

// ---- Accesses -----------------------------------------------------------------------------------

/// Waits until the pipeline is empty. Returns the edge from which a register access takes effect.
Cycle ControllerModel::quiesce() {
  if (before_first_edge()) return 0;
  advance(edge() - 1);
  return begin_access(std::max(edge() - 1, port_free_), timing::kEndOfWrite);
}

/// Makes events wait for a register access that begins in cycle `begin`; all events up to that
/// cycle are issued. Returns the edge at which the access acts.
Cycle ControllerModel::begin_access(Cycle begin, Cycle least) {
  const Cycle quiet = std::max({begin, last_issue_ + timing::kSameFlow, ready_from_ - 1});
  const Cycle effect = quiet + timing::kWrite;
  port_free_ = effect + (quiet > begin ? std::max(timing::kRecovery, least) : least);
  next_issue_ = std::max(next_issue_, effect + 1);
  return effect;
}

/// Begins the accesses whose turn at the register port comes up to `cycle`.
void ControllerModel::carry_out_orders(Cycle cycle) {
  while (!orders_.empty()) {
    const Cycle begin = std::max(orders_.front().called, port_free_);
    if (begin > cycle) return;
    if (begin >= next_possible_) work_until(begin);
    const Order order = orders_.take();
    if (is_soft_reset(order)) --resets_ordered_;
    carry_out(order, begin);
  }
}

void ControllerModel::carry_out(const Order& order, Cycle begin) {
  if (order.waits) {
    apply(order, begin_access(begin, order.least));
  } else {
    port_free_ = begin + timing::kRead;
  }
}

void ControllerModel::apply(const Order& order, Cycle effect) {
  switch (order.change) {
    case Order::Change::kNothing:
      break;
    case Order::Change::kTable:
      manager_.write_table(table_of(order.index), order.word, order.value);
      break;
    case Order::Change::kRegister:
      write_register(order.index, order.value, effect);
      break;
  }
}

// The hardware delays an access before decoding, so refused accesses and accesses to the register
// block's own registers wait, too. Reads of registers and counters do not wait.
void ControllerModel::access(regs::RegisterAccess& access) {
  constexpr std::uint32_t kPage = 0x1000;
  const std::uint32_t page = access.address / kPage;
  const bool waits =
      access.write || (page != 0 && page != DCC_STAT_CNPS_RECEIVED_LO_OFFSET / kPage);
  Order order;
  order.waits = waits;
  order.least = timing::kEndOfWrite;
  if (access.window_written()) {
    order.change = Order::Change::kTable;
    order.index = access.index;
    order.word = access.word;
    order.value = access.value;
  } else if (access.write && access.register_written && access.index != block::kIrqMask) {
    order.change = Order::Change::kRegister;
    order.index = access.index;
    order.value = access.stored;
  } else if (!access.write && !access.refused() &&
             access.target == regs::RegisterAccess::Target::kWindow) {
    order.least =
        access.address >= DCC_SLOTS_OFFSET ? timing::kEndOfSlotRead : timing::kEndOfTableRead;
  }
  if (before_first_edge()) {
    apply(order, 0);
  } else {
    advance(edge() - 1);
    order.called = edge() - 1;
    if (orders_.empty() && port_free_ <= order.called) {
      carry_out(order, order.called);
    } else {
      orders_.push(order);
      if (is_soft_reset(order)) ++resets_ordered_;
      if (order.change != Order::Change::kNothing) {
        wake_for_issue(std::max(order.called, port_free_));
      }
    }
  }
  if (!access.write) access.answer();
}

bool ControllerModel::is_soft_reset(const Order& order) {
  return order.change == Order::Change::kRegister && order.index == block::kCtrl &&
         (order.value & DCC_CTRL_SOFT_RESET_MASK) != 0;
}

void ControllerModel::write_register(std::uint16_t index, std::uint32_t stored, Cycle effect) {
  ControllerParameters parameters = manager_.parameters();
  block::decode(parameters, index, stored);
  bool soft_reset = false;
  switch (static_cast<block::Command>(index)) {
    case block::Command::kCtrl:
      parameters.rate.law = law_number(stored);
      soft_reset = (stored & DCC_CTRL_SOFT_RESET_MASK) != 0;
      break;
  }
  change_parameters(parameters, effect);
  if (soft_reset) begin_reset(effect);
}

void ControllerModel::set_parameters(const ControllerParameters& parameters, bool reset) {
  const Cycle effect = quiesce();
  change_parameters(parameters, effect);
  if (reset) begin_reset(effect);
}

void ControllerModel::change_parameters(const ControllerParameters& parameters, Cycle effect) {
  if (parameters.enable != manager_.parameters().enable) {
    enable_changes_.push({before_first_edge() ? 0 : effect + 1, parameters.enable});
  }
  if (divider(parameters) != clock_.divider()) {
    clock_.set_divider(divider(parameters), before_first_edge() ? 0 : effect + 1,
                       std::min(edge(), effect));
    if (timer_head_.valid) {
      timer_bound_ = timer_from(timer_head_.event.due);
    } else if (timer_bound_ != kNever) {
      bound_timer(clock_.tick_of_next(effect + 1));
    }
    if (timer_bound_ != kNever) wake_for_issue(timer_bound_);
  }
  manager_.set_parameters(parameters);
  // Waiting byte notifications will be issued with the new parameters, so they may lead to an
  // answer.
  bytes_matter_ = bytes_matter_ || !bytes_.empty() || !bytes_ahead_.empty();
  if (const Cycle next = next_of_interest(); next != kNever) wake_for_issue(next);
  next_possible_ = std::min(next_possible_, next_issue_);
}

bool ControllerModel::write_table(RateTable table, std::uint32_t index, std::uint32_t word) {
  quiesce();
  return manager_.write_table(table, index, word);
}

void ControllerModel::begin_reset(Cycle effect) {
  reset_pending_ = true;
  reset_from_ = before_first_edge() ? 0 : effect + 1;
  ready_from_ =
      before_first_edge() ? 0 : reset_from_ + Cycle{config_.slots} + timing::kResetBesidesSlots;
  next_issue_ = std::max(next_issue_, ready_from_);
  next_possible_ = std::min(next_possible_, reset_from_);
  // Answers that leave before the reset takes effect are kept.
  RingQueue<Outcome> leaving;
  for (; !outcomes_.empty() && outcomes_.front().when < effect; outcomes_.pop()) {
    leaving.push(outcomes_.front());
  }
  outcomes_ = leaving;
  if (before_first_edge()) reset();
}

void ControllerModel::reset() {
  reset_pending_ = false;
  cnps_.clear();
  bytes_.clear();
  commands_.clear();
  bytes_matter_ = false;
  freed_.clear();
  recent_.clear();
  joined_.clear();
  timer_head_.valid = false;
  waited_ = {};
  bytes_turn_ = false;
  timer_bound_ = kNever;
  last_timer_ = reset_from_;
  last_timer_due_ = clock_.tick_of_next(reset_from_);
  manager_.reset(last_timer_due_);
  missed_latency_ = 0;
  lateness_max_ = 0;
}

// ---- Reading ------------------------------------------------------------------------------------

SlotView ControllerModel::slot(SlotIndex slot) {
  settle();
  SlotView view;
  const std::uint32_t flow = manager_.flows().read(slot);
  view.parameters = manager_.slot(slot);
  if (flow == FlowTable::kNoFlow) return view;
  view.flow = flow;
  view.timer_due = view.parameters.due & kStoredDueMask;
  return view;
}

std::optional<SlotIndex> ControllerModel::slot_of(std::uint32_t flow) {
  settle();
  const SlotIndex slot = manager_.flows().match(flow);
  if (slot == FlowTable::kNoSlot) return std::nullopt;
  return slot;
}

std::uint32_t ControllerModel::free_slots() {
  settle();
  return manager_.flows().free_slots();
}

const ControllerStatistics& ControllerModel::statistics() {
  settle();
  return manager_.statistics();
}

const TimerCounters& ControllerModel::timer_counters() {
  settle();
  return manager_.timer_counters();
}

std::uint64_t ControllerModel::missed_latency() {
  settle();
  return missed_latency_;
}

Tick ControllerModel::timer_lateness_max() {
  settle();
  return lateness_max_;
}

Tick ControllerModel::timer_lag() {
  settle();
  return timer_head_.valid ? time() - timer_head_.event.due : timers_->lag(time());
}

bool ControllerModel::overrun() {
  settle();
  return timers_->overrun();
}

bool ControllerModel::idle() {
  settle();
  return manager_.flows().bound_slots() == 0;
}

void ControllerModel::observe(SlotObserver* observer) {
  settle();
  manager_.observe(observer);
  look_ahead_ = observer != nullptr ? 1 : latency_;
  if (const Cycle next = next_of_interest(); next != kNever) wake_for_issue(next);
}

}  // namespace dcc
