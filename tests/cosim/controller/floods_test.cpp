// Floods the controller of the shipped size with CNPs and register accesses. Prints the accepted
// byte notifications of other flows, the lost CNPs, and the timer events.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>

#include "controller_dut.h"
#include "driver/dcc_regs.h"

namespace dcc::page {
namespace {

constexpr std::uint32_t kBoundFlows = 200, kByteFlows = 128, kCycles = 100'000;

struct Flood {
  std::uint32_t cnp_period = 0;     // cycles from one CNP of a flow to the next; 0: no CNPs
  std::uint32_t notifications = 0;  // byte notifications of other flows offered per 1000 cycles
  bool reads = false;               // software reads all words of the slots in order
  std::uint32_t idle = 0;           // cycles from the end of an access to the next access
  std::uint32_t queried = 0;        // flows that are queried in turn, one query offered per cycle
};

struct Seen {
  double accepted = 0;  // fraction of the offered byte notifications
  double taken = 0;     // accepted byte notifications per cycle
  std::uint32_t cnps = 0, cnps_lost = 0, timer_events = 0, queries = 0;
};

class Flooded {
 public:
  Flooded() : dut_(make_shipped_controller(1)) {
    dut_->reset();
    access(true, DCC_TICK_DIV_OFFSET, 64);
    access(true, DCC_TIMER_INTERVAL_OFFSET, 55);
    access(true, DCC_BYTE_THRESHOLD_OFFSET, 1'000'000);
    access(true, DCC_R_AI_OFFSET, 1);
    access(true, DCC_R_HAI_OFFSET, 1);
    for (std::uint32_t i = 0; i < 257; ++i)
      access(true, DCC_DECREASE_ENTRY_OFFSET(i), 0x10000 - 64 * i);
    access(true, DCC_CTRL_OFFSET, 0x2D);
    for (std::uint32_t flow = 0; flow < kBoundFlows; ++flow) {
      Inputs in;
      in.cnp = true;
      in.cnp_flow = flow;
      in.cnp_marks = 1;
      cycle(in, {});
    }
    for (int i = 0; i < 5000; ++i) cycle({}, {});
    EXPECT_EQ(access(false, DCC_STAT_SLOTS_BOUND_LO_OFFSET), kBoundFlows);
  }

  Seen run(const Flood& flood, std::uint32_t cycles = kCycles) {
    const std::uint32_t events = access(false, DCC_STAT_TIMER_EVENTS_LO_OFFSET);
    std::uint64_t offered = 0, accepted = 0;
    std::uint32_t word = 0, idle = 0, cnps = 0, queries = 0;
    ApbPins apb;
    for (std::uint32_t i = 0; i < cycles; ++i) {
      Inputs in;
      in.cnp = flood.cnp_period != 0 && i % flood.cnp_period == 0;
      cnps += in.cnp;
      in.cnp_marks = 1;
      in.bytes = random_() % 1000 < flood.notifications;
      in.bytes_flow = 1 + random_() % kByteFlows;
      in.bytes_length = 1000;
      in.command = in.command_query = flood.queried != 0;
      in.command_flow = 1 + (flood.queried != 0 ? queries % flood.queried : 0);
      if (flood.reads && !apb.psel && idle == 0) {
        apb = {true, false, false, DCC_SLOTS_OFFSET + 4 * word, 0};
        word = (word + 1) % (8 * kBoundFlows);
      }
      idle -= idle != 0;
      const Pins pins = cycle(in, apb);
      offered += in.bytes;
      accepted += in.bytes && pins.bytes_ready;
      queries += in.command && pins.command_ready;
      if (apb.psel && apb.penable && pins.pready) {
        apb = {};
        idle = flood.idle;
      } else {
        apb.penable = apb.psel;
      }
    }
    while (apb.psel) {
      const Pins pins = cycle({}, apb);
      if (apb.penable && pins.pready) break;
      apb.penable = true;
    }
    Seen seen;
    seen.accepted = offered == 0 ? 1 : static_cast<double>(accepted) / static_cast<double>(offered);
    seen.taken = static_cast<double>(accepted) / cycles;
    seen.cnps = cnps;
    seen.queries = queries;
    seen.cnps_lost = access(false, DCC_STAT_CNPS_LOST_LO_OFFSET);
    seen.timer_events = access(false, DCC_STAT_TIMER_EVENTS_LO_OFFSET) - events;
    return seen;
  }

 private:
  Pins cycle(const Inputs& in, const ApbPins& apb) {
    const Pins pins = dut_->drive(in, apb);
    EXPECT_TRUE(dut_->edge());
    return pins;
  }
  std::uint32_t access(bool is_write, std::uint32_t address, std::uint32_t value = 0) {
    ApbPins apb{true, false, is_write, address, value};
    for (int i = 0; i < 1000; ++i) {
      const Pins pins = cycle({}, apb);
      if (apb.penable && pins.pready) return pins.prdata;
      apb.penable = true;
    }
    ADD_FAILURE() << "an access does not end";
    return 0;
  }

  std::unique_ptr<ControllerDut> dut_;
  std::mt19937 random_{1};
};

TEST(Floods, CnpsOfOneFlowStopNoOtherFlow) {
  const Seen quiet = Flooded().run({0, 595, false, 0});
  EXPECT_GT(quiet.timer_events, kCycles / 50);
  for (const std::uint32_t period : {0u, 33u, 32u, 31u, 16u, 2u, 1u}) {
    const Seen seen = Flooded().run({period, 595, false, 0});
    std::printf("a CNP in %2u cycles: %6.2f %% accepted, %u of %u CNPs lost, %u timer events\n",
                period, 100 * seen.accepted, seen.cnps_lost, seen.cnps, seen.timer_events);
    EXPECT_GE(seen.accepted, 0.99) << period;
    // CNPs of the flow are joined while an event of the flow is in the pipeline. At the edge that
    // issues the joined CNPs, no CNP of the flow leaves the FIFO.
    EXPECT_LE(seen.cnps_lost, period == 1 ? seen.cnps / 31 : 0) << period;
    // At most the timer events of the flow that gets the CNPs are missing: each CNP postpones them.
    EXPECT_GE(seen.timer_events, quiet.timer_events * (kBoundFlows - 1) / kBoundFlows) << period;
  }
}

TEST(Floods, CnpsOfNoPeriodStopTimers) {
  constexpr std::uint32_t kShort = 20'000;
  const Seen quiet = Flooded().run({0, 595, false, 0}, kShort);
  EXPECT_GT(quiet.timer_events, kShort / 50);
  for (std::uint32_t period = 1; period <= 70; ++period) {
    const Seen seen = Flooded().run({period, 595, false, 0}, kShort);
    std::printf("a CNP in %2u cycles: %6.2f %% accepted, %u of %u CNPs lost, %u timer events\n",
                period, 100 * seen.accepted, seen.cnps_lost, seen.cnps, seen.timer_events);
    EXPECT_GE(seen.accepted, 0.99) << period;
    EXPECT_LE(seen.cnps_lost, period == 1 ? seen.cnps / 31 : 0) << period;
    EXPECT_GE(seen.timer_events, quiet.timer_events * 98 / 100) << period;
  }
}

TEST(Floods, CommandsStopNoNotifications) {
  for (const std::uint32_t queried : {1u, 2u, 31u, 32u, 64u}) {
    Flooded block;
    const Seen seen = block.run({200, 300, false, 0, queried});
    std::printf(
        "queries of %2u flows: %u, %.3f notifications a cycle taken, %6.2f %% accepted, %u "
        "timer events\n",
        queried, seen.queries, seen.taken, 100 * seen.accepted, seen.timer_events);
    EXPECT_GE(seen.accepted, 0.9) << queried;
    EXPECT_GE(seen.queries, kCycles / 64) << queried;
    EXPECT_GT(seen.timer_events, kCycles / 50) << queried;
  }
}

TEST(Floods, ReadsOfSlotsStopNoNotifications) {
  for (const std::uint32_t idle : {0u, 8u}) {
    Flooded block;
    const Seen seen = block.run({200, 595, true, idle});
    std::printf(
        "reads with %u idle cycles between: %.3f notifications a cycle taken, %u of %u CNPs lost\n",
        idle, seen.taken, seen.cnps_lost, seen.cnps);
    EXPECT_GE(seen.taken, 0.5) << idle;
    EXPECT_EQ(seen.cnps_lost, 0u) << idle;
  }
}

}  // namespace
}  // namespace dcc::page
