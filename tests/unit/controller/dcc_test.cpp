// Tests the controller as a congestion-control algorithm of the NIC: its inputs, the rates that it
// sets, and the end of flows.
#include "controller/dcc.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "unit/controller/controller_model_fixture.h"
#include "unit/controller/controller_tables.h"

namespace dcc::dcc_test {
namespace {

constexpr RateBits mbps(std::uint32_t rate) { return rate << 8; }
constexpr PicoSeconds kTick{1'000'000};

class Host final : public AlgorithmHost {
 public:
  explicit Host(Scheduler& scheduler) : scheduler_(scheduler) {}
  PicoSeconds now() const override { return scheduler_.now(); }
  void set_rate(FlowNumber flow, Rate rate) override { rates.emplace_back(flow, rate.raw); }
  void set_window(FlowNumber flow, Bytes bytes) override { windows.emplace_back(flow, bytes); }
  void start_timer(FlowNumber, int, PicoSeconds) override { FAIL() << "it has its own timers"; }
  void stop_timer(FlowNumber, int) override { FAIL() << "it has its own timers"; }
  Rate line_rate() const override { return Rate(mbps(1000)); }
  Backlog backlog(FlowNumber) const override { return waiting; }
  Backlog waiting;
  std::vector<std::pair<FlowNumber, RateBits>> rates;
  std::vector<std::pair<FlowNumber, Bytes>> windows;

 private:
  Scheduler& scheduler_;
};

class DccTest : public testing::Test {
 protected:
  DccTest() { prepare(algorithm_); }
  static void prepare(Dcc& algorithm) {
    ControllerParameters p;
    p.enable = true;
    p.rate.r_max = p.initial_rate = mbps(1000);
    p.decrease_period = 0;
    p.timer_interval = 10;
    p.byte_threshold = 10'000;
    algorithm.device().set_parameters(p);
    test::make_dcqcn_tables(256, [&](RateTable t, std::uint32_t i, std::uint32_t w) {
      algorithm.device().model()->write_table(t, i, w);
    });
    algorithm.on_flow_start(3, {46, 1, kTick, Rate()});
    algorithm.on_flow_start(7, {10, 1, kTick, Rate()});
  }
  void run(int ticks) { scheduler_.run_until(scheduler_.now() + kTick * ticks); }

  Scheduler scheduler_;
  Host host_{scheduler_};
  Dcc algorithm_{scheduler_, host_, test::config_of(16), 1000};
};

TEST_F(DccTest, NeedsCnpsAndSentPackets) {
  EXPECT_TRUE(algorithm_.needs().cnp);
  EXPECT_TRUE(algorithm_.needs().on_sent);
  EXPECT_FALSE(algorithm_.needs().acks);
  EXPECT_FALSE(algorithm_.needs().telemetry);
}

TEST_F(DccTest, HandsOverTheFlowsDscpAndTheMarks) {
  ControllerParameters p = algorithm_.device().parameters();
  p.rate.cut_by_marks = true;
  p.rate.mark_shift = 8;
  algorithm_.device().set_parameters(p);
  run(1);
  algorithm_.on_cnp(3, {64});  // the argument 64·256 selects the table's 1 − 64/512
  run(1);
  EXPECT_EQ(host_.rates, (std::vector<std::pair<FlowNumber, RateBits>>{{3, mbps(875)}}));
  EXPECT_EQ(algorithm_.device().slot(0).parameters.dscp, 46);
}

TEST_F(DccTest, AFlowsNextEventHasItsNewClass) {
  algorithm_.on_cnp(3, {});
  run(1);
  const auto dscp = [&] { return algorithm_.device().slot(0).parameters.dscp; };
  ASSERT_EQ(dscp(), 46);
  EXPECT_TRUE(algorithm_.change_class(3, 10));
  run(1);
  EXPECT_EQ(dscp(), 46);  // the controller learns the class with the flow's next event
  algorithm_.on_sent(3, {1000, 1086, 0, false});
  run(1);
  EXPECT_EQ(dscp(), 10);
  EXPECT_TRUE(algorithm_.change_class(3, 46));
  algorithm_.on_cnp(3, {});
  run(1);
  EXPECT_EQ(dscp(), 46);
}

TEST_F(DccTest, CountsWireBytes) {
  algorithm_.on_cnp(7, {});
  algorithm_.on_sent(7, {1000, 1086, 0, false});
  algorithm_.on_sent(3, {1000, 1086, 0, false});
  run(1);
  EXPECT_EQ(algorithm_.device().slot(0).parameters.pkt_length, 1086u);
  EXPECT_EQ(algorithm_.device().statistics().byte_notifications_unmatched, 1u);
}

TEST_F(DccTest, ViewShowsTheSlotOrTheLastRate) {
  EXPECT_EQ(algorithm_.view(7).rate.raw, mbps(1000));
  algorithm_.on_cnp(7, {});
  run(1);
  EXPECT_EQ(algorithm_.view(7).rate.raw, mbps(500));
  EXPECT_EQ(algorithm_.view(7).target.raw, mbps(1000));
  EXPECT_EQ(algorithm_.view(7).alpha, 1.0);
  run(400);
  EXPECT_FALSE(algorithm_.device().slot_of(7).has_value());
  EXPECT_EQ(algorithm_.view(7).rate.raw, mbps(1000));
  EXPECT_EQ(algorithm_.view(7).alpha, 0.0);
}

TEST_F(DccTest, AnEndedFlowHearsNothingAndItsSlotComesFree) {
  algorithm_.on_cnp(7, {});
  algorithm_.on_flow_end(7);
  run(400);
  EXPECT_TRUE(host_.rates.empty());
  EXPECT_EQ(algorithm_.device().free_slots(), 16u);
  EXPECT_EQ(algorithm_.device().statistics().slots_released, 1u);
  EXPECT_EQ(algorithm_.device().timer_counters().pending(), 0u);
}

TEST_F(DccTest, AFlowThatStartsAfterAnEndStartsAfresh) {
  algorithm_.on_cnp(7, {});
  run(1);
  algorithm_.on_flow_end(7);
  host_.rates.clear();
  algorithm_.on_flow_start(7, {46, 2, kTick, Rate()});
  run(400);
  EXPECT_TRUE(host_.rates.empty());
  EXPECT_EQ(algorithm_.device().free_slots(), 16u);
}

TEST_F(DccTest, AFlowCreatedAnewWithoutAnEndAsksForItsSlotsRate) {
  algorithm_.on_cnp(7, {});
  run(1);
  host_.rates.clear();
  algorithm_.on_flow_start(7, {46, 2, kTick, Rate()});
  EXPECT_TRUE(host_.rates.empty());  // the rate leaves after the controller's latency
  run(1);
  EXPECT_EQ(host_.rates, (std::vector<std::pair<FlowNumber, RateBits>>{{7, mbps(500)}}));
  run(400);
  EXPECT_EQ(host_.rates.back(), (std::pair<FlowNumber, RateBits>{7, mbps(1000)}));
}

TEST_F(DccTest, AFlowsInitialRateHoldsUntilItsFirstCut) {
  algorithm_.on_flow_start(9, {46, 2, kTick, Rate(mbps(50))});
  EXPECT_EQ(host_.rates, (std::vector<std::pair<FlowNumber, RateBits>>{{9, mbps(50)}}));
  EXPECT_EQ(algorithm_.view(9).rate.raw, mbps(50));
  algorithm_.on_cnp(9, {});
  run(1);
  EXPECT_EQ(host_.rates.back().second, mbps(500));
}

// Flow 3 has twice the weight of flow 7. The first CNP cuts both to 1/28 and begins a rate hold.
// If flow 3 may overtake, it continues at half the maximum rate at once.
TEST_F(DccTest, AHeavyFlowLeavesItsFirstHoldAtOnce) {
  constexpr std::uint32_t kFactorOf2 = 2048;  // f_dec of weight 2, format 4.12
  const auto rates_after_a_mark = [&](Overtaking overtaking, Bytes window,
                                      AlgorithmHost::Backlog waiting = {}) {
    Scheduler scheduler;
    Host host(scheduler);
    host.waiting = waiting;
    Dcc algorithm(scheduler, host, test::config_of(16), 1002, nullptr, nullptr, window, {},
                  overtaking);
    ControllerParameters p;
    p.enable = true;
    p.rate = test::proportional_registers();
    p.rate.first_cut = kOne16 / 28;
    p.rate.r_max = p.initial_rate = mbps(1000);
    p.timer_interval = 100;
    algorithm.device().set_parameters(p);
    test::make_proportional_tables([&](RateTable t, std::uint32_t i, std::uint32_t w) {
      algorithm.device().model()->write_table(t, i, w);
    });
    algorithm.device().model()->write_table(RateTable::kFactor, 46, kFactorOf2 << 16 | 256);
    algorithm.on_flow_start(3, {46, 1, kTick, Rate()});
    algorithm.on_flow_start(7, {10, 1, kTick, Rate()});
    std::vector<RateBits> rates;
    for (int i = 0; i < 2; ++i) {  // the second CNP has the effect of an ordinary mark
      algorithm.on_cnp(3, {1, 1});
      algorithm.on_cnp(7, {1, 1});
      scheduler.run_until(scheduler.now() + kTick * 6);
      rates.push_back(algorithm.view(3).rate.raw);
      rates.push_back(algorithm.view(7).rate.raw);
    }
    return rates;
  };
  const RateBits held = mbps(1000) * std::uint64_t{kOne16 / 28} >> 16;
  for (const Bytes window : {Bytes{0}, Bytes{50'000}}) {
    EXPECT_EQ(rates_after_a_mark({}, window), (std::vector<RateBits>{held, held, held, held}));
    EXPECT_EQ(rates_after_a_mark({kFactorOf2 - 1}, window)[0], held);
    const std::vector<RateBits> rates = rates_after_a_mark({kFactorOf2}, window);
    EXPECT_EQ(rates[0], mbps(500));
    EXPECT_EQ(rates[1], held);
    EXPECT_GT(rates[2], mbps(400));  // a mark cuts a flow of weight 2 by a thirty-second
    EXPECT_LT(rates[2], mbps(500));
    EXPECT_EQ(rates[3], held);
    // Whether the hold ends at once depends on what is left of the flow's message.
    const Overtaking by_size{kFactorOf2, 2000, 3000};
    EXPECT_EQ(rates_after_a_mark(by_size, window, {2000, 9}), rates);
    EXPECT_EQ(rates_after_a_mark(by_size, window, {3001, 0})[0], held);
    // Each of the two notifications reports one of the packets that were out.
    EXPECT_EQ(rates_after_a_mark(by_size, window, {2001, 1}), rates);
    EXPECT_EQ(rates_after_a_mark(by_size, window, {3000, 2}),
              (std::vector<RateBits>{held, held, mbps(500), held}));
    EXPECT_EQ(rates_after_a_mark(by_size, window, {3000, 3})[2], held);
  }
}

TEST_F(DccTest, WithoutAFreeWindowThereIsNone) {
  algorithm_.on_cnp(7, {});
  run(400);
  EXPECT_TRUE(host_.windows.empty());
}

TEST_F(DccTest, WhatNoSlotPacesHasAWindow) {
  using Windows = std::vector<std::pair<FlowNumber, Bytes>>;
  constexpr Bytes kWindow = 50'000;
  constexpr Bytes kNone = std::numeric_limits<Bytes>::max();
  Dcc algorithm(scheduler_, host_, test::config_of(1), 1001, nullptr, nullptr, kWindow);
  prepare(algorithm);
  EXPECT_EQ(host_.windows, (Windows{{3, kWindow}, {7, kWindow}}));
  host_.windows.clear();
  algorithm.on_cnp(7, {});
  algorithm.on_cnp(3, {});  // the slot table is full, so the flow stays unpaced
  run(3);
  EXPECT_EQ(host_.windows, (Windows{{7, kNone}}));
  run(400);  // in this time the flow returns to its maximum rate
  EXPECT_EQ(host_.windows, (Windows{{7, kNone}, {7, kWindow}}));
  algorithm.on_cnp(3, {});
  run(3);
  EXPECT_EQ(host_.windows.back(), (std::pair<FlowNumber, Bytes>{3, kNone}));
  algorithm.on_flow_end(3);
  algorithm.on_flow_start(3, {46, 1, kTick, Rate()});
  EXPECT_EQ(host_.windows.back(), (std::pair<FlowNumber, Bytes>{3, kWindow}));
}

// Two flows are never marked if both windows together cause only a queue below the marking
// threshold. Their windows grow until the queue reaches the threshold.
TEST_F(DccTest, AWindowThatHoldsAFlowGrowsUntilAMarkComes) {
  constexpr Bytes kWindow = 10'000;
  Dcc algorithm(scheduler_, host_, test::config_of(1), 1001, nullptr, nullptr, kWindow);
  prepare(algorithm);
  const auto send = [&](FlowNumber flow, int packets, bool full) {
    SentInfo info;
    info.payload_bytes = 1000;
    info.wire_bytes = 1082;
    info.window_full = full;
    for (int i = 0; i < packets; ++i) algorithm.on_sent(flow, info);
  };
  host_.windows.clear();
  send(3, 100, false);  // the window was never full, so it does not limit the flow
  EXPECT_TRUE(host_.windows.empty());
  send(3, 19, true);
  EXPECT_TRUE(host_.windows.empty());
  send(3, 1, true);
  ASSERT_EQ(host_.windows.size(), 1u);
  const Bytes grown = host_.windows.back().second;
  EXPECT_GT(grown, kWindow);
  // The window grows by at most one step; otherwise an incast would overshoot.
  EXPECT_LE(grown, kWindow * 3 / 2 + 1);
  host_.windows.clear();

  algorithm.on_cnp(7, {});  // this flow gets the only slot
  run(3);
  send(3, 1000, true);
  algorithm.on_cnp(3, {});  // this flow finds no free slot
  const Bytes shrunk = host_.windows.back().second;
  for (int i = 0; i < 20; ++i) algorithm.on_cnp(3, {});
  EXPECT_GE(shrunk, kWindow);
  EXPECT_EQ(host_.windows.back(), (std::pair<FlowNumber, Bytes>{3, kWindow}));
  host_.windows.clear();
  send(3, 19, true);  // each mark restarts the count of unmarked packets
  algorithm.on_cnp(3, {});
  send(3, 19, true);
  EXPECT_TRUE(host_.windows.empty());
}

TEST_F(DccTest, AGrownWindowIsBounded) {
  constexpr Bytes kWindow = 1000;
  Dcc algorithm(scheduler_, host_, test::config_of(1), 1001, nullptr, nullptr, kWindow);
  prepare(algorithm);
  SentInfo info;
  info.payload_bytes = 1'000'000'000;
  info.window_full = true;
  for (int i = 0; i < 100; ++i) algorithm.on_sent(3, info);
  EXPECT_EQ(host_.windows.back().second, kWindow + 32_MiB);
}

TEST_F(DccTest, CountersAreTheControllers) {
  algorithm_.on_cnp(7, {});
  run(15);
  EXPECT_EQ(algorithm_.counters().rate_decreases, 1u);
  EXPECT_EQ(algorithm_.counters().rate_increases, 1u);
  for (FlowNumber flow = 8; flow < 40; ++flow) {
    algorithm_.on_flow_start(flow, {0, 1, kTick, Rate()});
    algorithm_.on_cnp(flow, {});
  }
  run(1);
  EXPECT_EQ(algorithm_.counters().cnps_dropped_no_slot, 32u - 15u);
}

}  // namespace
}  // namespace dcc::dcc_test
