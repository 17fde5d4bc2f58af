// Measures 1024 timers that expire on one tick, started a short delay before or from the wheel's
// top level: lateness, stall and schedule, in cycles for the RTL and in ticks for RTL and model.
// Prints the figures of rtl/timing_wheel/doc/theory.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "controller/timing_wheel.h"
#include "timing_wheel_dut.h"

namespace dcc {
namespace {

constexpr std::uint32_t kService = 4;

struct WorstCase {
  std::uint32_t expiries = 0;
  std::uint32_t lateness = 0;      // greatest lateness of an expiry in ticks
  std::uint32_t stall = 0;         // longest time in cycles that a command waited
  std::uint32_t slip = 0;          // longest delay in cycles behind the platform's schedule
  std::uint32_t crowd_cycles = 0;  // cycles from the tick's beginning to its last expiry
  bool in_order = true;
};

/// Starts all slots so that they expire on one tick, `distance` ticks ahead. At that tick the
/// consumer takes one expiry every 4 cycles, and starts each slot again as the congestion manager
/// does.
WorstCase run_rtl(std::uint32_t distance, std::uint32_t tick_cycles, bool restart) {
  const auto wheel = make_rtl_wheel();
  WheelInputs in;
  WheelOutputs out = wheel->cycle(in);
  while (!out.init_done) out = wheel->cycle(in);
  WorstCase result;
  std::uint32_t cycle = 0, tick = 0, tick_begin = 0, next_slot = 0, stall = 0, ideal = 0;
  const std::uint32_t target = distance;
  std::vector<std::uint16_t> again;
  std::uint32_t last_slot = 0;
  while (result.expiries < kVerilatedTimers) {
    in = WheelInputs{};
    in.tick = (cycle + 1) % tick_cycles == 0;
    if (next_slot < kVerilatedTimers) {  // starts timers as fast as the wheel accepts commands
      in.cmd_valid = true;
      in.cmd_slot = static_cast<std::uint16_t>(next_slot);
      in.cmd_delay = static_cast<std::uint16_t>(target - tick);
    } else if (!again.empty()) {
      in.cmd_valid = true;
      in.cmd_slot = again.front();
      in.cmd_delay = 55;
    }
    in.expire_ready = tick >= target && cycle >= ideal;
    out = wheel->cycle(in);
    if (in.cmd_valid) {
      stall = out.cmd_ready ? 0 : stall + 1;
      result.stall = std::max(result.stall, stall);
      if (out.cmd_ready) {
        if (next_slot < kVerilatedTimers) {
          ++next_slot;
        } else {
          again.erase(again.begin());
        }
      }
    }
    if (out.expire_valid && in.expire_ready) {
      EXPECT_EQ(out.expire_due, target);
      if (result.expiries > 0 && out.expire_slot <= last_slot) result.in_order = false;
      last_slot = out.expire_slot;
      result.slip = std::max(result.slip, cycle - ideal);
      ideal += kService;
      result.lateness = std::max(result.lateness, tick - target);
      result.crowd_cycles = cycle - tick_begin;
      ++result.expiries;
      if (restart) again.push_back(out.expire_slot);
    }
    ++cycle;
    if (in.tick) {
      ++tick;
      if (tick == target) {
        tick_begin = cycle;
        ideal = cycle;
      }
    }
    if (cycle > 40'000'000) {
      ADD_FAILURE() << "the crowd does not come out";
      break;
    }
  }
  return result;
}

/// Puts the same load on the model: the consumer takes one expiry every 4 cycles of a tick.
WorstCase run_model(std::uint32_t distance, std::uint32_t tick_cycles) {
  TimingWheel wheel(kVerilatedTimers);
  for (SlotIndex slot = 0; slot < kVerilatedTimers; ++slot) wheel.start(slot, distance, 0);
  WorstCase result;
  EXPECT_FALSE(wheel.take_expired(distance - 1).has_value());
  for (std::uint32_t cycle = 0; result.expiries < kVerilatedTimers; cycle += kService) {
    const Tick now = distance + cycle / tick_cycles;
    const auto expiry = wheel.take_expired(now);
    if (!expiry.has_value()) {
      ADD_FAILURE() << "an expiry is missing";
      break;
    }
    if (expiry->slot != result.expiries) result.in_order = false;
    result.lateness = std::max(result.lateness, static_cast<std::uint32_t>(now - expiry->due));
    result.crowd_cycles = cycle;
    ++result.expiries;
  }
  return result;
}

void print(const char* what, std::uint32_t tick_cycles, const WorstCase& w) {
  std::printf(
      "%-28s %4u cycles a tick: %4u expiries in %5u cycles, lateness %3u ticks, "
      "command stall %2u cycles, slip %2u cycles\n",
      what, tick_cycles, w.expiries, w.crowd_cycles, w.lateness, w.stall, w.slip);
}

struct Distance {
  const char* name;
  std::uint32_t ticks;
};
constexpr Distance kDistances[] = {{"within the last level", 20},
                                   {"first tick of a middle slot", 4032},
                                   {"first tick of a top slot", 63'488},
                                   {"last tick of the horizon", 65'535}};

TEST(WheelWorstCase, AtThePlatformsPace) {
  for (const Distance& d : kDistances) {
    const WorstCase rtl = run_rtl(d.ticks, 250, true);
    const WorstCase model = run_model(d.ticks, 250);
    print(d.name, 250, rtl);
    print("  model", 250, model);
    EXPECT_EQ(rtl.expiries, kVerilatedTimers);
    EXPECT_TRUE(rtl.in_order && model.in_order);
    EXPECT_EQ(rtl.lateness, model.lateness);
    EXPECT_LE(rtl.slip, 64u);
    EXPECT_LE(rtl.stall, 12u);
  }
}

TEST(WheelWorstCase, AtSixteenCyclesATick) {
  for (const Distance& d : kDistances) {
    const WorstCase rtl = run_rtl(d.ticks < 100 ? 1000 : d.ticks, 16, false);
    print(d.name, 16, rtl);
    EXPECT_EQ(rtl.expiries, kVerilatedTimers);
    EXPECT_TRUE(rtl.in_order);
    EXPECT_LE(rtl.stall, 12u);
  }
}

}  // namespace
}  // namespace dcc
