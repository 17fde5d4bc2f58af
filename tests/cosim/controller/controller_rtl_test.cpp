// The RTL of the whole controller obeys the cycle contract, docs/controller-contract.md, at every
// pin and clock edge.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "driver/dcc_regs.h"
#include "page_bench.h"
#include "page_faults.h"
#include "page_profiles.h"

namespace dcc::page {
namespace {

constexpr std::uint64_t kCycles = 150'000;
// Cycles of a run with sparse flow numbers, from the environment variable SPARSE_CYCLES if it is
// set.
const std::uint64_t kSparseCycles = [] {
  const char* given = std::getenv("SPARSE_CYCLES");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 40'000;
}();

class SmallController : public testing::TestWithParam<Case> {};

TEST_P(SmallController, KeepsThePageEdgeByEdge) {
  const Case& c = GetParam();
  const std::uint64_t seed = 1;  // a single seed; the program controller_campaign runs more seeds
  Bench bench(make_small_controller(static_cast<std::uint32_t>(seed)), seed);
  bench.program(c.dcqcn);
  bench.run(kCycles, c.profile);
  bench.compare_counters();
  bench.compare_slots();
  ASSERT_EQ(bench.difference(), "");
  EXPECT_GT(bench.issued, kCycles / 100);
  if (c.profile.states != 0) {
    EXPECT_GT(bench.states, 300u);
  }
  EXPECT_GT(bench.answered, 15u);
  std::printf(
      "%llu issued, %llu answers (%llu to queries), %llu accesses, %llu resets, %llu states set, "
      "%llu held back\n",
      static_cast<unsigned long long>(bench.issued),
      static_cast<unsigned long long>(bench.answered),
      static_cast<unsigned long long>(bench.queries),
      static_cast<unsigned long long>(bench.accesses),
      static_cast<unsigned long long>(bench.resets), static_cast<unsigned long long>(bench.states),
      static_cast<unsigned long long>(bench.back_pressure));
}

// The same run with sparse flow numbers. The oracle does not model the hash table.
class SparseController : public testing::TestWithParam<Case> {};

TEST_P(SparseController, KeepsThePageEdgeByEdge) {
  const Case& c = GetParam();
  Bench bench(make_sparse_controller(1), 1);
  bench.program(c.dcqcn);
  bench.run(kSparseCycles, c.profile);
  bench.compare_counters();
  bench.compare_slots();
  ASSERT_EQ(bench.difference(), "");
  EXPECT_GT(bench.issued, kSparseCycles / 100);
}

INSTANTIATE_TEST_SUITE_P(Profiles, SparseController, testing::ValuesIn(kCases),
                         [](const auto& one) { return one.param.name; });

INSTANTIATE_TEST_SUITE_P(Profiles, SmallController, testing::ValuesIn(kCases),
                         [](const auto& one) { return one.param.name; });

Inputs one(Kind kind, std::uint32_t flow, bool query) {
  Inputs in;
  in.cnp = kind == kCnp;
  in.bytes = kind == kBytes;
  in.command = kind == kCommand;
  in.cnp_flow = in.bytes_flow = in.command_flow = flow;
  in.cnp_marks = 3;
  in.cnp_packets = 7;
  in.bytes_length = 1500;
  in.command_query = query;
  return in;
}

Inputs both(Inputs a, const Inputs& b) {
  a.cnp |= b.cnp;
  a.bytes |= b.bytes;
  a.command |= b.command;
  a.command_query |= b.command_query;
  return a;
}

// Tests two inputs of one flow at every distance up to twice the latency D, for flows with and
// without a slot.
TEST(Hazards, EveryPairOfInputsAtEveryDistance) {
  for (const bool dcqcn : {true, false}) {
    Bench bench(make_small_controller(7), 7);
    bench.program(dcqcn);
    bench.write(DCC_BYTE_THRESHOLD_OFFSET, 1000);
    std::uint32_t flow = 0;
    for (const Kind first : {kCnp, kBytes, kCommand}) {
      for (const Kind second : {kCnp, kBytes, kCommand}) {
        for (std::uint32_t apart = 0; apart < 64; ++apart) {
          for (const bool query : {false, true}) {
            // an input port accepts one input per clock edge
            if (apart == 0 && first == second) continue;
            flow = (flow + 1) % 256;
            const Inputs a = one(first, flow, query), b = one(second, flow, query);
            if (apart % 2 == 0) {  // at even distances the flow has a slot
              bench.cycle(one(kCnp, flow, false));
              for (int i = 0; i < 40; ++i) bench.cycle({});
            }
            bench.cycle(apart == 0 ? both(a, b) : a);
            for (std::uint32_t i = 1; i < apart; ++i) bench.cycle({});
            if (apart > 0) bench.cycle(b);
            for (int i = 0; i < 40; ++i) bench.cycle({});
            ASSERT_EQ(bench.difference(), "");
          }
        }
        for (std::uint32_t apart = first == second ? 1 : 0; apart < 64; ++apart) {
          EXPECT_GT(bench.pairs[std::min(first, second)][std::max(first, second)][apart] +
                        bench.pairs[first][second][apart],
                    0u)
              << first << " " << second << " " << apart;
        }
      }
    }
    bench.compare_counters();
    ASSERT_EQ(bench.difference(), "");
  }
}

// Tests an input of a flow at every distance from the expiry of the flow's timer, from 64 edges
// before to 64 edges after.
TEST(Hazards, EveryInputAtEveryDistanceFromAnExpiry) {
  constexpr std::uint32_t kTick = 128;
  for (const bool dcqcn : {true, false}) {
    Bench bench(make_small_controller(9), 9);
    bench.program(dcqcn);
    bench.write(DCC_TICK_DIV_OFFSET, kTick);
    bench.write(DCC_TIMER_INTERVAL_OFFSET, 5);
    bench.write(DCC_BYTE_THRESHOLD_OFFSET, 1000);
    std::uint32_t flow = 0;
    for (const Kind kind : {kCnp, kBytes, kCommand}) {
      for (std::uint32_t run = 0; run < 4 * 128; ++run) {
        const std::uint32_t offset = run % 128;
        // in this time the slots become free
        for (std::uint32_t i = 0; i < run / 128 * 500; ++i) bench.cycle({});
        flow = (flow + 1) % 256;
        bench.cycle(one(kCnp, flow, false));
        for (int i = 0; i < 40; ++i) bench.cycle({});
        std::uint64_t due = 0;
        for (std::uint32_t s = 0; s < 64; ++s) {
          if (bench.oracle().slot(s).bound && bench.oracle().slot(s).flow == flow) {
            due = bench.oracle().slot(s).due;
          }
        }
        while (due != 0 && bench.oracle().tick() + 1 < due) bench.cycle({});
        // The timer's expiry is issued kTick + 16 edges from now, unless another event is due at
        // that edge.
        for (std::uint32_t i = 0; i < kTick + 16 - 64 + offset; ++i) bench.cycle({});
        bench.cycle(one(kind, flow, offset % 2 != 0));
        for (int i = 0; i < 100; ++i) bench.cycle({});
        bench.cycle(one(kCommand, flow, false));
        ASSERT_EQ(bench.difference(), "");
      }
    }
    bench.compare_counters();
    ASSERT_EQ(bench.difference(), "");
    for (const Kind kind : {kCnp, kBytes, kCommand}) {
      std::uint64_t near = 0;  // coverage bins of 1 … 31 edges after the issue of an expiry
      for (std::uint32_t apart = 1; apart < 32; ++apart) {
        near += bench.pairs[kTimer][kind][apart] != 0;
      }
      EXPECT_EQ(near, 31u) << kind;
    }
  }
}

// All packets of two flows stay marked, and one of the two flows is promised a clear notification.
// Each rate hold must end after 160 intervals.
TEST(LongHolds, EndAfter160Intervals) {
  constexpr std::uint32_t kTick = 64;
  Bench bench(make_small_controller(13), 13);
  bench.program(false);
  bench.write(DCC_TICK_DIV_OFFSET, kTick);
  bench.write(DCC_TIMER_INTERVAL_OFFSET, 2);
  bench.write(DCC_DECREASE_PERIOD_OFFSET, 0);
  bench.write(DCC_FIRST_CUT_OFFSET, 16384);
  bench.write(DCC_R_HAI_OFFSET, 1u << 24);  // a hold that counted marks cuts no more
  bench.write(DCC_BRISK_OFFSET, 0);
  bench.write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK | DCC_CTRL_CUT_BY_MARKS_MASK);
  std::uint32_t longest = 0, ended = 0;
  std::array<std::uint32_t, 64> before{};
  // Each CNP comes at the beginning of a tick, before the timer events of that tick.
  const std::uint64_t tick = bench.oracle().tick();
  while (bench.oracle().tick() == tick) bench.cycle({});
  for (std::uint32_t i = 0; i < 172; ++i) {
    for (const std::uint32_t flow : {1u, 2u}) {
      Inputs cnp = one(kCnp, flow, false);
      cnp.cnp_packets = i == 0 && flow == 1 ? 9 : cnp.cnp_marks;
      bench.cycle(cnp);
    }
    for (std::uint32_t n = 0; n < 2 * kTick - 2; ++n) bench.cycle({});
    ASSERT_EQ(bench.difference(), "") << i;
    for (std::uint32_t s = 0; s < 64; ++s) {
      const std::uint32_t t = bench.oracle().slot(s).t;
      ended += t < before[s];
      longest = std::max(longest, t);
      before[s] = t;
    }
  }
  bench.compare_slots();
  bench.compare_counters();
  ASSERT_EQ(bench.difference(), "");
  EXPECT_EQ(longest, 160u);
  EXPECT_EQ(ended, 2u);
}

// Tests every length of the fast phase: T, and the steps and cuts of the target rate in the
// intervals after a rate hold.
TEST(FastPhase, LastsAsManyIntervalsAsItsRegisterSays) {
  constexpr std::uint32_t kTick = 64;
  for (std::uint32_t brisk = 0; brisk <= kMaxFastPhase; brisk += brisk < 3 ? 1 : 23) {
    Bench bench(make_small_controller(17), 17);
    bench.program(false);
    bench.write(DCC_TICK_DIV_OFFSET, kTick);
    bench.write(DCC_TIMER_INTERVAL_OFFSET, 2);
    bench.write(DCC_FIRST_CUT_OFFSET, 16384);
    bench.write(DCC_R_AI_OFFSET, 256);
    bench.write(DCC_R_MAX_OFFSET, 25'600'000);
    bench.write(DCC_INITIAL_RATE_OFFSET, 10'000'000);
    bench.write(DCC_BRISK_OFFSET, brisk);
    bench.write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK | DCC_CTRL_CUT_BY_MARKS_MASK);
    Inputs cnp = one(kCnp, 1, false);
    cnp.cnp_packets = cnp.cnp_marks;
    bench.cycle(cnp);
    for (int n = 0; n < 60; ++n) bench.cycle({});
    cnp.cnp_marks = 0;  // a clear notification
    bench.cycle(cnp);
    for (int n = 0; n < 60; ++n) bench.cycle({});
    std::uint32_t intervals = 0;
    for (int n = 0; n < 100 * 2 * static_cast<int>(kTick) && bench.oracle().slot(0).t != 0; ++n) {
      if (n % (2 * static_cast<int>(kTick)) == 0) {
        bench.cycle(one(kBytes, 1, false));
        ++intervals;
      } else {
        bench.cycle({});
      }
    }
    bench.compare_slots();
    bench.compare_counters();
    ASSERT_EQ(bench.difference(), "") << brisk;
    EXPECT_EQ(intervals, brisk);
    EXPECT_GE(bench.oracle().counts().rate_increases, brisk);
  }
}

// All flows hash to the same two buckets of the hash table. The controller drops inputs of flows
// without a place as if no slot were free, and serves all other flows. The oracle models no
// buckets, so this test compares pins.
TEST(SparseFlows, AreRefusedWhenTheyShareTheirBuckets) {
  constexpr std::uint32_t kPlaces = 8 + 32, kFlows = 60;
  const auto dut = make_unmapped_sparse_controller(5);
  dut->reset();
  const auto access = [&dut](bool write, std::uint32_t address, std::uint32_t value) {
    for (ApbPins apb{true, false, write, address, value};; apb.penable = true) {
      const Pins pins = dut->drive({}, apb);
      EXPECT_TRUE(dut->edge());
      if (apb.penable && pins.pready) return pins.prdata;
    }
  };
  // applies a command, runs 50 cycles, and returns the last rate that the controller sent in them
  const auto command = [&dut](const Inputs& in) {
    std::optional<Answer> told;
    for (int i = 0; i < 50; ++i) {
      const Pins pins = dut->drive(i == 0 ? in : Inputs{}, {});
      if (pins.rate_valid) told = pins.rate;
      EXPECT_TRUE(dut->edge());
    }
    return told;
  };
  access(true, DCC_TIMER_INTERVAL_OFFSET, 50'000);
  access(true, DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK | DCC_CTRL_LAW_MASK);
  // Flow numbers that are multiples of the polynomial (x^4 + x + 1)(x^4 + x^3 + 1), so that both
  // hash functions give 0.
  const auto flow = [](std::uint32_t i) {
    std::uint32_t number = 0;
    for (const std::uint32_t bit : {0u, 1u, 3u, 4u, 5u, 7u, 8u}) number ^= (i + 3) << bit;
    return number;
  };
  for (std::uint32_t i = 0; i < kFlows; ++i) {
    EXPECT_EQ(command(one(kCnp, flow(i), false)).has_value(), i < kPlaces) << i;
    EXPECT_EQ(access(false, DCC_STAT_CNPS_DROPPED_NO_SLOT_LO_OFFSET, 0),
              i < kPlaces ? 0 : i + 1 - kPlaces);
    EXPECT_EQ(access(false, DCC_IRQ_STATUS_OFFSET, 0),
              i < kPlaces ? 0 : DCC_IRQ_STATUS_TABLE_FULL_MASK);
  }
  EXPECT_EQ(access(false, DCC_FREE_SLOTS_OFFSET, 0), 64 - kPlaces);
  for (std::uint32_t i = 0; i < kFlows; ++i) {
    const std::optional<Answer> told = command(one(kCommand, flow(i), true));
    ASSERT_TRUE(told.has_value());
    EXPECT_EQ(told->flow, flow(i));
    EXPECT_EQ(told->bound, i < kPlaces) << i;
  }
  EXPECT_TRUE(command(one(kCnp, 1, false)).has_value()) << "its buckets are others";
  // After the release of one flow another flow finds a place in the hash table.
  command(one(kCommand, flow(7), false));
  EXPECT_TRUE(command(one(kCnp, flow(kFlows), false)).has_value());
  EXPECT_TRUE(command(one(kCommand, flow(kFlows), true))->bound);
  EXPECT_FALSE(command(one(kCommand, flow(7), true))->bound);
}

TEST(Registers, TellWhatTheInstanceIsAndHowFullItIs) {
  Bench bench(make_small_controller(3), 3);
  EXPECT_EQ(bench.read(DCC_ID_OFFSET), 0x44434331u);
  EXPECT_EQ(bench.read(DCC_CAPS_OFFSET), 6u | 40u << 8 | 5u << 16 | 5u << 20 | 6u << 24);
  EXPECT_EQ(bench.read(DCC_STATUS_OFFSET), DCC_STATUS_READY_MASK | DCC_STATUS_IDLE_MASK);
  EXPECT_EQ(bench.read(DCC_FREE_SLOTS_OFFSET), 64u);
  bench.write(DCC_TIMER_INTERVAL_OFFSET, 1000);
  bench.write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK);
  bench.write(DCC_IRQ_MASK_OFFSET, DCC_IRQ_MASK_TABLE_FULL_MASK);
  for (std::uint32_t flow = 0; flow < 64; ++flow) bench.cycle(one(kCnp, flow, false));
  for (int i = 0; i < 50; ++i) bench.cycle({});
  EXPECT_EQ(bench.read(DCC_STATUS_OFFSET), DCC_STATUS_READY_MASK);
  EXPECT_EQ(bench.read(DCC_FREE_SLOTS_OFFSET), 0u);
  EXPECT_EQ(bench.read(DCC_EVENTS_PENDING_OFFSET), 64u);
  EXPECT_FALSE(bench.irq);
  bench.cycle(one(kCnp, 64, false));
  for (int i = 0; i < 40; ++i) bench.cycle({});
  EXPECT_TRUE(bench.irq);
  EXPECT_EQ(bench.read(DCC_IRQ_STATUS_OFFSET), DCC_IRQ_STATUS_TABLE_FULL_MASK);
  bench.write(DCC_IRQ_STATUS_OFFSET, DCC_IRQ_STATUS_TABLE_FULL_MASK);
  bench.cycle({});
  EXPECT_FALSE(bench.irq);
  const std::uint32_t then = bench.read(DCC_TIME_OFFSET);
  for (int i = 0; i < 250; ++i) bench.cycle({});
  EXPECT_EQ(bench.read(DCC_TIME_OFFSET), then + 1);
  EXPECT_EQ(bench.difference(), "");
}

// In a cycle in which one slot becomes free and another slot is taken, the register
// STAT_SLOTS_IN_USE_MAX counts both slots.
TEST(Registers, TellHowManySlotsWereInUseAtMost) {
  constexpr std::uint32_t kBound = 5;
  // Releases a slot by a command; the slot becomes free with its next event. At that moment, or in
  // cycle `until`, another flow takes a slot.
  const auto run = [](std::uint64_t until) {
    Bench bench(make_small_controller(13), 13);
    bench.program(true);
    for (std::uint32_t flow = 0; flow < kBound; ++flow) bench.cycle(one(kCnp, flow, false));
    for (int i = 0; i < 100; ++i) bench.cycle({});
    bench.cycle(one(kCommand, 2, false));
    while (until == 0 ? bench.oracle().free_slots() == 64 - kBound
                      : bench.oracle().cycle() < until) {
      bench.cycle({});
    }
    const std::uint64_t at = bench.oracle().cycle();
    bench.cycle(one(kCnp, 9, false));
    for (int i = 0; i < 100; ++i) bench.cycle({});
    bench.compare_counters();
    EXPECT_EQ(bench.difference(), "") << at;
    return at;
  };
  const std::uint64_t free = run(0);
  for (std::uint64_t at = free; at < free + 48; ++at) run(at);
}

TEST(Registers, TellThatTimersStarve) {
  Bench bench(make_small_controller(4), 4);
  EXPECT_EQ(starve(bench), "");
}

TEST(Extremes, NotificationsJoinedAsOftenAsIsCountedAndExpiriesFarApartAndLate) {
  Bench bench(make_small_controller(5), 5);
  EXPECT_EQ(join_and_be_late(bench), "");
}

TEST(Extremes, LongTicks) {
  Bench bench(make_small_controller(6), 6);
  EXPECT_EQ(long_ticks(bench), "");
}

TEST(ShippedController, KeepsThePageWithAllSlotsInUse) {
  Bench bench(make_shipped_controller(1), 1);
  bench.program(false);
  Profile p = crowd();
  p.flows = 3000;
  bench.run(200'000, p);
  bench.compare_counters();
  ASSERT_EQ(bench.difference(), "");
  EXPECT_EQ(bench.oracle().counts().slots_in_use_max, 1024u);
}

}  // namespace
}  // namespace dcc::page
