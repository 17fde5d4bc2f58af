#include "page_faults.h"

#include <algorithm>
#include <utility>

#include "driver/dcc_regs.h"
#include "page_profiles.h"

namespace dcc::page {
namespace {

constexpr std::uint32_t kWarmUp = 4000, kPatience = 200'000;
constexpr std::uint32_t kState = DCC_STATUS_READY_MASK | DCC_STATUS_FAULT_MASK;

/// Sets delays so long that timers wait in the lists of the wheel's top level.
void wait_long(Bench& bench) {
  bench.write(DCC_TICK_DIV_OFFSET, 64);
  bench.write(DCC_TIMER_INTERVAL_OFFSET, 150);
}

/// Writes all tables with the oracle's values, as software does after a memory error.
void write_tables(Bench& bench) {
  const Tables tables = bench.oracle().tables;
  for (std::uint32_t i = 0; i < 64; ++i) {
    bench.write(DCC_FACTOR_ENTRY_OFFSET(i), tables.factor[i]);
    bench.write(DCC_FLOOR_ENTRY_OFFSET(i), tables.floor[i]);
    bench.write(DCC_CEILING_ENTRY_OFFSET(i), tables.ceiling[i]);
    bench.write(DCC_DECAY_HI_ENTRY_OFFSET(i), tables.decay_hi[i]);
    bench.write(DCC_DECAY_LO_ENTRY_OFFSET(i), tables.decay_lo[i]);
  }
  for (std::uint32_t i = 0; i < 257; ++i)
    bench.write(DCC_DECREASE_ENTRY_OFFSET(i), tables.decrease[i]);
}

}  // namespace

void soft_reset(Bench& bench) {
  const Registers& r = bench.oracle().registers;
  bench.write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK | DCC_CTRL_SOFT_RESET_MASK |
                                   (r.timer_restart ? DCC_CTRL_TIMER_RESTART_MASK : 0) |
                                   (r.dcqcn ? DCC_CTRL_LAW_MASK : 0) |
                                   (r.cut_by_marks ? DCC_CTRL_CUT_BY_MARKS_MASK : 0) |
                                   (r.byte_counter ? DCC_CTRL_BYTE_COUNTER_MASK : 0) |
                                   (r.keep_target ? DCC_CTRL_KEEP_TARGET_MASK : 0));
  for (int i = 0; i < 1000 && !(bench.ready && bench.oracle().ready()); ++i) bench.cycle({});
}

std::string lose_bits(Bench& bench, const GuardedMemory& memory, const std::vector<unsigned>& bits,
                      Loss& loss) {
  const unsigned bit = bits.front();
  const auto flip = [&] {
    for (const unsigned one : bits) flip_bit(bench.dut(), memory, one);
  };
  const Profile all = {256, 200, 500, 100, 0, 0};
  bench.program(bit % 2 == 0);
  if (memory.cause == DCC_MEMORY_ERROR_WHEEL_MASK) wait_long(bench);
  // a wrong table word that nothing reads causes no error
  if (memory.cause == DCC_MEMORY_ERROR_TABLES_MASK) {
    flip();
    for (int i = 0; i < 60; ++i) bench.cycle({});
    flip();
    if (!bench.ready || bench.read(DCC_MEMORY_ERRORS_OFFSET) != 0)
      return "an error in a word that nobody used";
  }
  bench.write(DCC_IRQ_MASK_OFFSET, DCC_IRQ_MASK_MEMORY_MASK);
  bench.run(kWarmUp, all);
  if (!bench.difference().empty()) return "before the error: " + bench.difference();
  if (bench.read(DCC_MEMORY_ERRORS_OFFSET) != 0) return "errors are counted that were not";

  bench.faulty = true;
  // the assertions of the RTL hold only while no memory word is wrong
  bench.dut().check_assertions(false);
  flip();
  const std::uint64_t before = bench.answered;
  std::uint32_t waited = 0;
  do {
    // The RTL overwrites queue memories all the time, and queues are mostly empty, so the test
    // flips the bit again and again.
    if (waited > 100 && waited % 3 == 0) flip();
    bench.run(1, all);
  } while (bench.ready && ++waited < kPatience);
  if (waited >= kPatience) return "it was never missed";
  loss.most_waited = std::max<std::uint64_t>(loss.most_waited, waited);
  bench.run(200, all);  // events in flight end within this time
  if (!bench.difference().empty()) return bench.difference();
  if (!bench.irq) return "no interrupt";
  const std::uint64_t then = bench.answered;
  bench.run(500, all);
  if (bench.answered != then) return "it does not stand still";
  loss.answered += then - before;

  if ((bench.read(DCC_STATUS_OFFSET) & kState) != DCC_STATUS_FAULT_MASK) return "STATUS is wrong";
  if (bench.read(DCC_MEMORY_ERROR_OFFSET) != memory.cause) return "another memory is named";
  if ((bench.read(DCC_IRQ_STATUS_OFFSET) & DCC_IRQ_STATUS_MEMORY_MASK) == 0)
    return "IRQ_STATUS is wrong";
  if (bench.read(DCC_MEMORY_ERRORS_OFFSET) == 0) return "no error is counted";
  loss.word = bench.read(DCC_MEMORY_WORD_OFFSET);
  if (bench.read(DCC_STAT_INPUTS_DROPPED_LO_OFFSET) <= 100) return "inputs were taken";

  write_tables(bench);
  soft_reset(bench);
  bench.write(DCC_IRQ_STATUS_OFFSET, DCC_IRQ_STATUS_MEMORY_MASK);
  if ((bench.read(DCC_STATUS_OFFSET) & kState) != DCC_STATUS_READY_MASK)
    return "STATUS is wrong after the soft reset";
  if (bench.read(DCC_MEMORY_ERROR_OFFSET) != 0) return "a memory is named after the soft reset";
  // The controller counts a wrong word at the head of a queue in each cycle in which the word waits
  // there.
  const std::uint32_t errors = bench.read(DCC_MEMORY_ERRORS_OFFSET);
  if (errors == 0) return "the soft reset cleared the count";
  if (bench.irq) return "the interrupt stays";
  if (!bench.difference().empty()) return bench.difference();
  bench.faulty = false;
  bench.dut().check_assertions(true);
  Profile again = all;
  again.access = 2;
  bench.run(kWarmUp, again);
  bench.compare_counters();
  bench.compare_slots();
  if (!bench.difference().empty()) return "after recovery: " + bench.difference();
  if (bench.read(DCC_MEMORY_ERRORS_OFFSET) != errors) return "errors are counted that were not";
  return {};
}

std::string lose_a_bit(Bench& bench, const GuardedMemory& memory, unsigned bit, Loss& loss) {
  return lose_bits(bench, memory, {bit}, loss);
}

std::string count_errors(Bench& bench, const GuardedMemory& cnps) {
  constexpr std::uint32_t kFull = 0xFFFF, kHold = 2500;
  const Profile floods = {256, 1024, 500, 100, 0, 0};
  bench.program(true);
  bench.run(kHold, floods);
  if (!bench.difference().empty()) return "before the error: " + bench.difference();
  bench.faulty = true;
  bench.dut().check_assertions(false);
  flip_bit(bench.dut(), cnps, 3);
  for (std::uint32_t i = 0; bench.ready && i < kPatience; ++i) bench.run(1, floods);
  const auto read = [&bench] {  // reads the error count and the cycle to which it belongs
    const std::uint64_t then = bench.oracle().cycle();
    return std::pair(bench.read(DCC_MEMORY_ERRORS_OFFSET), then);
  };
  const auto [first, since] = read();
  if (first == 0) return "no error is counted";
  // Waits until times at and next to every carry of the error counter.
  for (std::uint64_t wait = 1; first + (bench.oracle().cycle() - since) + wait < kFull;
       wait += wait / 8 + 1) {
    const auto [now, then] = read();
    if (now != first + (then - since)) return "errors are counted wrong";
    for (std::uint64_t i = 0; i < wait; ++i) bench.cycle({});
  }
  for (std::uint32_t i = 0; i < kFull; ++i) bench.cycle({});
  if (read().first != kFull) return "errors are not counted to the end";
  return {};
}

std::string starve(Bench& bench) {
  constexpr std::uint32_t kTicks = 33'000, kTick = 64;
  Inputs in;
  in.cnp = true;
  in.cnp_marks = 3;
  in.cnp_packets = 7;
  in.cnp_flow = 255;
  bench.write(DCC_TICK_DIV_OFFSET, kTick);
  bench.write(DCC_TIMER_INTERVAL_OFFSET, 20);
  bench.write(DCC_IRQ_MASK_OFFSET, DCC_IRQ_MASK_OVERRUN_MASK);
  bench.write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK | DCC_CTRL_LAW_MASK);
  bench.cycle(in);
  for (std::uint32_t i = 0; i < kTick * kTicks && bench.difference().empty(); ++i) {
    in.cnp_flow = i % 60;
    bench.cycle(in);
  }
  if (!bench.irq) return "no interrupt";
  if (bench.read(DCC_STATUS_OFFSET) != (DCC_STATUS_READY_MASK | DCC_STATUS_OVERRUN_MASK))
    return "STATUS is wrong";
  if (bench.read(DCC_TIMER_LAG_OFFSET) <= 32'768) return "TIMER_LAG is too small";
  bench.write(DCC_CTRL_OFFSET, DCC_CTRL_SOFT_RESET_MASK);
  while (!bench.oracle().ready()) bench.cycle({});
  if (bench.read(DCC_STATUS_OFFSET) != (DCC_STATUS_READY_MASK | DCC_STATUS_IDLE_MASK))
    return "STATUS is wrong after the soft reset";
  if (bench.read(DCC_IRQ_STATUS_OFFSET) != DCC_IRQ_STATUS_OVERRUN_MASK)
    return "IRQ_STATUS is wrong";
  return bench.difference();
}

std::string join_and_be_late(Bench& bench) {
  constexpr std::uint32_t kTick = 64, kEarly = 1300, kTicks = 1500, kDrained = 40'000;
  Inputs in;
  in.cnp = in.bytes = true;
  in.cnp_marks = 3;
  in.cnp_packets = 7;
  in.bytes_flow = 200;
  in.bytes_length = 1;
  bench.write(DCC_TICK_DIV_OFFSET, kTick);
  bench.write(DCC_TIMER_INTERVAL_OFFSET, 20);
  bench.write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK | DCC_CTRL_LAW_MASK);
  // The timer of a flow without further CNPs gets no edge, and the other timers wait behind it.
  Inputs first = in;
  first.cnp_flow = 255;
  first.bytes = false;
  bench.cycle(first);
  for (std::uint32_t i = 0; i < kTick * kTicks && bench.difference().empty(); ++i) {
    in.cnp_flow = i % (i < kTick * kEarly ? 60 : 61);
    bench.cycle(in);
  }
  for (std::uint32_t i = 0; i < kDrained && bench.difference().empty(); ++i) bench.cycle({});
  bench.compare_counters();
  bench.compare_slots();
  if (!bench.difference().empty()) return bench.difference();
  if (bench.oracle().counts().lateness_max < kTicks - 30) return "no expiry was late";
  if (bench.oracle().counts().byte_notifications < 0xFFFF) return "too few notifications";
  return {};
}

std::string long_ticks(Bench& bench) {
  bench.program(true);
  bench.write(DCC_TIMER_INTERVAL_OFFSET, 1);
  Profile calm;
  calm.access = 0;
  for (const std::uint32_t tick : {300u, 513u, 1030u, 2100u, 4100u, 8200u, 16400u, 32800u}) {
    const std::uint64_t before = bench.oracle().counts().timer_events;
    bench.write(DCC_TICK_DIV_OFFSET, tick);
    bench.run(std::uint64_t{4} * tick, calm);
    if (!bench.difference().empty()) return bench.difference();
    if (bench.oracle().counts().timer_events == before) return "no timer event";
  }
  bench.compare_counters();
  bench.compare_slots();
  return bench.difference();
}

}  // namespace dcc::page
