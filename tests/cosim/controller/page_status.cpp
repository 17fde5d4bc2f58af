// Checks registers that show state while events are in flight: counters, STATUS, interrupt causes.
#include <algorithm>
#include <iterator>

#include "driver/dcc_regs.h"
#include "page_bench.h"

namespace dcc::page {
namespace {

// number of edges from an issue until its counts are written
constexpr std::uint64_t kWritten = 32;
// number of edges from an issue until its slot no longer counts as free
constexpr std::uint64_t kTaken = 3;

/// A statistics counter of the register map: the address of its low half, and the member of the
/// oracle's counts that holds the expected value.
struct Counter {
  std::uint32_t address;
  std::uint64_t Counts::*count;
};
constexpr Counter kCounters[] = {
    {DCC_STAT_CNPS_RECEIVED_LO_OFFSET, &Counts::cnps_received},
    {DCC_STAT_CNPS_DROPPED_NO_SLOT_LO_OFFSET, &Counts::cnps_dropped_no_slot},
    {DCC_STAT_CNPS_COALESCED_LO_OFFSET, &Counts::cnps_coalesced},
    {DCC_STAT_BYTE_NOTIFICATIONS_LO_OFFSET, &Counts::byte_notifications},
    {DCC_STAT_BYTE_NOTIFICATIONS_UNMATCHED_LO_OFFSET, &Counts::byte_notifications_unmatched},
    {DCC_STAT_RATE_DECREASES_LO_OFFSET, &Counts::rate_decreases},
    {DCC_STAT_RATE_INCREASES_LO_OFFSET, &Counts::rate_increases},
    {DCC_STAT_RATE_UPDATES_LO_OFFSET, &Counts::rate_updates},
    {DCC_STAT_TIMER_EVENTS_LO_OFFSET, &Counts::timer_events},
    {DCC_STAT_EVENTS_STARTED_LO_OFFSET, &Counts::events_started},
    {DCC_STAT_EVENTS_CANCELLED_LO_OFFSET, &Counts::events_cancelled},
    {DCC_STAT_SLOTS_BOUND_LO_OFFSET, &Counts::slots_bound},
    {DCC_STAT_SLOTS_RELEASED_LO_OFFSET, &Counts::slots_released},
    {DCC_STAT_SLOTS_IN_USE_MAX_LO_OFFSET, &Counts::slots_in_use_max},
    {DCC_STAT_MISSED_LATENCY_LO_OFFSET, &Counts::missed_latency},
    {DCC_STAT_CNPS_LOST_LO_OFFSET, &Counts::cnps_lost},
    {DCC_STAT_INPUTS_DROPPED_LO_OFFSET, &Counts::inputs_dropped},
    {DCC_TIMER_LATENESS_MAX_OFFSET, &Counts::lateness_max},
};

}  // namespace

std::optional<std::uint64_t> Bench::counter(const Counts& counts, std::uint32_t address) {
  for (const Counter& one : kCounters) {
    if (one.address == address) return counts.*one.count;
  }
  return std::nullopt;
}

// Reads a random register that shows state, in most cases a counter.
void Bench::random_status() {
  static constexpr std::uint32_t kState[] = {
      DCC_STATUS_OFFSET,    DCC_FREE_SLOTS_OFFSET,       DCC_EVENTS_PENDING_OFFSET,
      DCC_TIME_OFFSET,      DCC_IRQ_STATUS_OFFSET,       DCC_MEMORY_ERROR_OFFSET,
      DCC_TIMER_LAG_OFFSET, DCC_MEMORY_CORRECTED_OFFSET, DCC_MEMORY_WORD_OFFSET};
  if (oracle_.ready() && chance(16))
    return begin(true, DCC_IRQ_STATUS_OFFSET, DCC_IRQ_STATUS_TABLE_FULL_MASK);
  if (oracle_.ready() && chance(16)) return begin(true, DCC_IRQ_MASK_OFFSET, below(2));
  if (oracle_.ready() && chance(16)) return begin(true, DCC_IRQ_TEST_OFFSET, below(2));
  if (below(4) == 0) {
    begin(false, kState[below(std::size(kState))], 0);
    access_.status = true;
    return;
  }
  const std::uint32_t address = kCounters[below(std::size(kCounters))].address;
  const bool upper = address >= DCC_STAT_CNPS_RECEIVED_LO_OFFSET && below(8) == 0;
  begin(false, address + (upper ? 4 : 0), 0);
  access_.status = true;
}

std::optional<std::uint64_t> Bench::expected_status(std::uint32_t address) const {
  const std::uint64_t then = oracle_.cycle() - 1;
  if (then < 2 * kQuiet || then == reset_at_) return std::nullopt;
  const Counts& written = oracle_.counts_at(then - kWritten);
  switch (address) {
    case DCC_STATUS_OFFSET:
      return (status_before_.ready ? DCC_STATUS_READY_MASK : 0) |
             (status_before_.idle ? DCC_STATUS_IDLE_MASK : 0);
    case DCC_FREE_SLOTS_OFFSET:
      return oracle_.free_at(then - kTaken);
    case DCC_TIME_OFFSET:
      return status_before_.time;
    case DCC_EVENTS_PENDING_OFFSET:
      return static_cast<std::uint32_t>(written.events_started - written.events_cancelled -
                                        written.timer_events) &
             DCC_EVENTS_PENDING_VALUE_MASK;
    case DCC_TIMER_LAG_OFFSET:
      return status_before_.lag;
    case DCC_IRQ_STATUS_OFFSET:
      return status_before_.table_full ? DCC_IRQ_STATUS_TABLE_FULL_MASK : 0;
    case DCC_MEMORY_ERROR_OFFSET:
    case DCC_MEMORY_ERRORS_OFFSET:
    case DCC_MEMORY_CORRECTED_OFFSET:
    case DCC_MEMORY_WORD_OFFSET:
      return 0;
    case DCC_STAT_CNPS_LOST_LO_OFFSET:  // CNPs that the controller lost caused no event
      return oracle_.counts_at(then).cnps_lost;
    case DCC_STAT_INPUTS_DROPPED_LO_OFFSET:
      return oracle_.counts_at(then).inputs_dropped;
    case DCC_STAT_SLOTS_IN_USE_MAX_LO_OFFSET:
      return oracle_.counts_at(then - kTaken - 1).slots_in_use_max;
    default:
      break;
  }
  if (address >= DCC_STAT_CNPS_RECEIVED_LO_OFFSET && (address & 4) != 0) return stat_high_;
  return counter(written, address);
}

void Bench::follow_status() {
  status_before_ = status_;
  const std::uint64_t n = oracle_.cycle();
  if (n <= 2 * kQuiet) return;
  const std::uint64_t no_slot = oracle_.counts_at(n - kWritten).cnps_dropped_no_slot;
  // compared with != and not with >, since the count may overflow
  status_.table_full |= no_slot != no_slot_seen_ && n != reset_at_;
  no_slot_seen_ = no_slot;
  status_.ready = oracle_.ready();
  status_.idle = oracle_.free_at(n - kTaken) == dut_->shape().slots && oracle_.nothing_waits() &&
                 oracle_.since_issue() >= kWritten;
  status_.time = static_cast<std::uint32_t>(oracle_.tick());
  status_.lag = oracle_.lag();
  if (status_.lag.has_value()) status_.lag = std::min<std::uint64_t>(*status_.lag, 0xFFFF);
}

// Starts with a tick number that only days of operation would reach.
void Bench::begin_late() {
  if (dut_->add_time == nullptr) return;
  const std::uint32_t ticks = below(1u << 15) << 17;
  dut_->check_assertions(false);  // setting the time forward would fail assertions of the RTL
  dut_->add_time(*dut_, ticks);
  oracle_.begin_at(ticks);
  step({});
  dut_->check_assertions(true);
}

// Sets the counters of RTL and oracle to values of all magnitudes, most of them about to carry into
// the next bit.
void Bench::set_counters() {
  if (oracle_.cycle() < 2 * kQuiet || oracle_.cycle() == reset_at_) return;
  for (const WideCounter& one : dut_->wide_counters) {
    const std::uint64_t mask = ~std::uint64_t{0} >> below(64);
    const std::uint64_t value = below(4) == 0 ? random_() & mask : mask - below(4);
    const bool of_inputs = one.count == &Counts::cnps_lost || one.count == &Counts::inputs_dropped;
    const std::uint64_t now = oracle_.cycle();
    const std::uint64_t before = oracle_.counts_at(of_inputs ? now : now - kWritten).*one.count;
    one.set(*dut_, value);
    oracle_.shift(one.count, value - before);
    if (one.count == &Counts::cnps_dropped_no_slot) no_slot_seen_ += value - before;
  }
}

void Bench::compare_counters() {
  for (const Counter& one : kCounters) {
    const bool wide = one.address >= DCC_STAT_CNPS_RECEIVED_LO_OFFSET;
    for (std::uint32_t half = 0; half < (wide ? 2 : 1) && difference_.empty(); ++half) {
      begin(false, one.address + 4 * half, 0);
      access_.status = true;
      while (accessing_ && difference_.empty()) step({});
    }
  }
}

void Bench::read_settled_counters() {
  for (const Counter& one : kCounters) {
    for (int patience = 0; oracle_.cycle() - last_issue_ < kQuiet && patience < 200'000; ++patience)
      step({});
    read(one.address);
    if (one.address >= DCC_STAT_CNPS_RECEIVED_LO_OFFSET) read(one.address + 4);
  }
}

}  // namespace dcc::page
