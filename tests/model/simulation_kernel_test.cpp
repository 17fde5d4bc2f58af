// SystemC's time and the scheduler's time advance together. Scheduler events run before processes
// of the same time, and a process finds devices at its own time.
#include "simulation_kernel.h"

#include "model_test.h"

namespace dcc::model::simulation_kernel_test {
namespace {

class SimulationKernelTest : public ModelTest {
 protected:
  void note(const std::string& what) {
    order_.push_back(what + "@" + std::to_string(scheduler_.now() / kNanoSecond));
  }
  void first() { note("first"); }
  void second() { note("second"); }
  void fires() { kernel_.notify(woken_); }

  Scheduler scheduler_;
  SimulationKernel kernel_{"kernel", scheduler_, kMicroSecond};
  Event first_{Event::calling<&SimulationKernelTest::first>(*this, 1)};
  Event second_{Event::calling<&SimulationKernelTest::second>(*this, 2)};
  Event fires_{Event::calling<&SimulationKernelTest::fires>(*this, 3)};
  sc_core::sc_event woken_;
  std::vector<std::string> order_;
};

TEST_F(SimulationKernelTest, AProcessFindsTheDevicesAtItsOwnTime) {
  scheduler_.schedule_at(second_, kNanoSecond * 30);
  scheduler_.schedule_at(first_, kNanoSecond * 10);
  simulate([this] {
    sc_core::wait(20, sc_core::SC_NS);
    kernel_.synchronise();
    EXPECT_EQ(scheduler_.now(), kNanoSecond * 20);
    note("process");
    sc_core::wait(20, sc_core::SC_NS);
    EXPECT_EQ(order_, (std::vector<std::string>{"first@10", "process@20", "second@30"}));
  });
}

TEST_F(SimulationKernelTest, WhatAProcessSchedulesHappens) {
  simulate([this] {
    sc_core::wait(5, sc_core::SC_NS);
    kernel_.synchronise();
    scheduler_.schedule_in(first_, kNanoSecond * 7);
    sc_core::wait(10, sc_core::SC_NS);
    EXPECT_EQ(order_, (std::vector<std::string>{"first@12"}));
  });
}

TEST_F(SimulationKernelTest, AnEventWakesAProcessAtTheDevicesTime) {
  scheduler_.schedule_at(fires_, kNanoSecond * 42);
  simulate([this] {
    sc_core::wait(woken_);
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(42, sc_core::SC_NS));
  });
}

TEST_F(SimulationKernelTest, AHookIsCalledAfterSoManyEventsOnce) {
  int calls = 0;
  kernel_.add_event_hook([&] { ++calls; });
  kernel_.call_hook_after(2);
  scheduler_.schedule_at(first_, kNanoSecond * 1);
  scheduler_.schedule_at(second_, kNanoSecond * 2);
  scheduler_.schedule_at(fires_, kNanoSecond * 3);
  simulate([&] {
    sc_core::wait(1500, sc_core::SC_PS);
    EXPECT_EQ(calls, 0);
    sc_core::wait(10, sc_core::SC_NS);
    EXPECT_EQ(calls, 1);
  });
}

}  // namespace
}  // namespace dcc::model::simulation_kernel_test
