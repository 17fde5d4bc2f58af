// Runs model and RTL in lock-step, with register accesses at every edge around an event, also
// accesses that change the tick length. The environment variable REGISTER_EDGES gives the number of
// accesses, REGISTER_EDGES_SEED the first seed.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>

#include "controller/controller_model.h"
#include "controller/controller_registers.h"
#include "controller_engine_lockstep.h"
#include "driver/dcc_regs.h"

namespace dcc {
namespace {

constexpr std::int64_t kPeriod = 4000;  // clock period in ps
constexpr std::uint32_t kSlots = 64;
constexpr std::int64_t kOver = 240;  // number of clock edges that exceeds the duration of an access

class NoSink final : public RateSink {
  void rate_calculated(std::uint32_t, Rate) override { ++rates; }

 public:
  int rates = 0;
};

class RegisterEdges {
 public:
  explicit RegisterEdges(std::uint64_t seed) : random_(seed) {
    ControllerConfig config;
    config.slots = kSlots;
    ControllerLockstepOptions options;
    options.seed = seed;
    options.log_path = testing::TempDir() + "register_edges_test.log";
    device_ = make_lockstep_controller(scheduler_, config, 1, sink_, options);
    registers_ = std::make_unique<regs::ControllerRegisters>(*device_);
    dcqcn_ = below(2) != 0;
    write(DCC_TICK_DIV_OFFSET, 64 + below(90));
    write(DCC_TIMER_INTERVAL_OFFSET, 9 + below(8));
    write(DCC_BYTE_THRESHOLD_OFFSET, 3000);
    write(DCC_DECREASE_PERIOD_OFFSET, below(4));
    write(DCC_FIRST_CUT_OFFSET, dcqcn_ ? 0 : 32768);
    for (std::uint32_t i = 0; i < 257; ++i) write(DCC_DECREASE_OFFSET + 4 * i, 65536 - i * 128);
    write(DCC_CTRL_OFFSET, control());
  }

  /// Runs an event and one to four register accesses, which begin up to 80 edges before or after
  /// the event. Returns the number of accesses.
  int scene() {
    now_ += kOver + below(600);
    const std::int64_t event = now_ + 80;
    std::int64_t at = now_ + below(160);
    int accesses = 0;
    bool happened = false;
    for (std::uint32_t left = 1 + below(4); left > 0; --left) {
      if (!happened && event <= at) {
        happened = true;
        go_to(event);
        notify();
      }
      go_to(at);
      access();
      ++accesses;
      at += kOver + below(120);  // an access begins after the previous access has ended
    }
    if (!happened) {
      go_to(std::max(event, at));
      notify();
    }
    if (below(64) == 0) {  // compares a slot of model and RTL from time to time
      go_to(now_ + 800);
      device_->slot(below(kSlots));
    }
    return accesses;
  }
  void finish() {
    go_to(now_ + 4000);
    device_->finish();
  }
  int rates() const { return sink_.rates; }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  void go_to(std::int64_t edge) {
    now_ = std::max(now_, edge);
    // Often stops between two clock edges.
    scheduler_.run_until(std::max(scheduler_.now(), PicoSeconds{now_ * kPeriod - below(3) * 1000}));
  }
  std::uint32_t control() const {
    return DCC_CTRL_ENABLE_MASK | DCC_CTRL_TIMER_RESTART_MASK | DCC_CTRL_BYTE_COUNTER_MASK |
           (dcqcn_ ? DCC_CTRL_LAW_MASK : 0);
  }
  void notify() {
    const std::uint32_t burst = below(3) == 0 ? 2 + below(70) : 1;
    const std::uint32_t flows = 1 + below(80);
    for (std::uint32_t i = 0; i < burst; ++i) {
      const std::uint32_t flow = below(flows);
      switch (below(8)) {
        case 0:
          device_->query(flow);
          break;
        case 1:
          device_->release(flow);
          break;
        case 2:
        case 3:
          device_->bytes(flow, 0, 64 + below(4000));
          break;
        default:
          device_->cnp(flow, static_cast<std::uint8_t>(below(2)),
                       static_cast<std::uint8_t>(below(4)), static_cast<std::uint8_t>(below(6)));
      }
    }
  }
  void write(std::uint32_t address, std::uint32_t value) {
    ASSERT_EQ(registers_->block().write(address, value), regs::AccessResult::kOk) << address;
  }
  void read(std::uint32_t address) {
    std::uint32_t value = 0;
    ASSERT_EQ(registers_->block().read(address, value), regs::AccessResult::kOk) << address;
  }
  void access() {
    switch (below(10)) {
      case 0:
      case 1:
      case 2:
        return write(DCC_TICK_DIV_OFFSET, 64 + below(90));
      case 3:
        return write(DCC_TIMER_INTERVAL_OFFSET, 9 + below(8));
      case 4:
        return write(DCC_R_AI_OFFSET, 1000 + below(5000));
      case 5:
        return write(DCC_FACTOR_OFFSET + 4 * below(2), 0x01000100 + below(64));
      case 6:
        return read(below(2) == 0 ? DCC_CTRL_OFFSET : DCC_STAT_CNPS_RECEIVED_LO_OFFSET);
      case 7:
        return read(DCC_SLOTS_ENTRY_OFFSET(below(kSlots)) + 4 * below(8));
      case 8:
        return read(DCC_DECREASE_OFFSET + 4 * below(257));
      default:
        return write(DCC_CTRL_OFFSET, control());  // a write of CTRL that requests no soft reset
    }
  }

  std::mt19937_64 random_;
  Scheduler scheduler_;
  NoSink sink_;
  std::unique_ptr<LockstepControllerEngine> device_;
  std::unique_ptr<regs::ControllerRegisters> registers_;
  bool dcqcn_ = false;
  std::int64_t now_ = 1;
};

TEST(LockstepController, AccessesAtEveryEdgeAroundAnEvent) {
  const char* const given = std::getenv("REGISTER_EDGES");
  const int wanted = given != nullptr ? std::atoi(given) : 4000;
  int accesses = 0, rates = 0;
  const char* const first = std::getenv("REGISTER_EDGES_SEED");
  for (std::uint64_t seed = first == nullptr ? 1 : std::strtoull(first, nullptr, 10);
       accesses < wanted; ++seed) {
    RegisterEdges bench(seed);
    for (int i = 0; i < 400; ++i) accesses += bench.scene();
    bench.finish();
    rates += bench.rates();
  }
  EXPECT_GT(rates, wanted / 4);
}

// A write of a new tick length restarts the current tick, even if the current tick would have ended
// at that edge.
TEST(LockstepController, TickLengthIsWrittenAtATicksEnd) {
  for (std::int64_t edge = 240; edge < 260; ++edge) {
    Scheduler scheduler;
    NoSink sink;
    ControllerConfig config;
    config.slots = kSlots;
    ControllerLockstepOptions options;
    options.log_path = testing::TempDir() + "register_edges_test.log";
    const auto device = make_lockstep_controller(scheduler, config, 1, sink, options);
    regs::ControllerRegisters registers(*device);
    registers.block().write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK | DCC_CTRL_LAW_MASK);
    scheduler.run_until(PicoSeconds{edge * kPeriod});
    registers.block().write(DCC_TICK_DIV_OFFSET, 100);
    scheduler.run_until(PicoSeconds{1000 * kPeriod});
    device->cnp(1, 0, 1);
    scheduler.run_until(PicoSeconds{1200 * kPeriod});
    device->slot(0);
    // The write takes effect at edge + 1, and a new tick begins at edge + 2. A tick that would have
    // ended at edge + 2 does not end.
    EXPECT_EQ(device->time(), edge + 2 > 250 ? 10u : 9u) << edge;
    device->finish();
  }
}

// A soft reset drops the answers that would leave in its cycle and in the next one, and no others.
TEST(LockstepController, SoftResetAtEveryEdgeAroundAnAnswer) {
  for (std::int64_t distance = 0; distance < 100; ++distance) {
    Scheduler scheduler;
    NoSink sink;
    ControllerConfig config;
    config.slots = kSlots;
    ControllerLockstepOptions options;
    options.log_path = testing::TempDir() + "register_edges_test.log";
    const auto device = make_lockstep_controller(scheduler, config, 1, sink, options);
    regs::ControllerRegisters registers(*device);
    const std::uint32_t control = DCC_CTRL_ENABLE_MASK | DCC_CTRL_LAW_MASK;
    registers.block().write(DCC_CTRL_OFFSET, control);
    scheduler.run_until(PicoSeconds{1000 * kPeriod});
    for (std::uint32_t flow = 0; flow < 4; ++flow) device->cnp(flow, 0, 1);
    scheduler.run_until(PicoSeconds{(1000 + distance) * kPeriod});
    registers.block().write(DCC_CTRL_OFFSET, control | DCC_CTRL_SOFT_RESET_MASK);
    scheduler.run_until(PicoSeconds{2000 * kPeriod});
    device->cnp(7, 0, 1);
    scheduler.run_until(PicoSeconds{3000 * kPeriod});
    device->finish();
    EXPECT_GE(sink.rates, 1) << distance;
  }
}

}  // namespace
}  // namespace dcc
