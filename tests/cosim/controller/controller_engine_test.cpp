// Tests the whole controller's RTL as the platform's controller engine: skipped idle time, register
// accesses, and lock-step with the model.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "controller/controller_model.h"
#include "controller/controller_registers.h"
#include "controller_engine_lockstep.h"
#include "driver/dcc_regs.h"

namespace dcc {
namespace {

constexpr std::uint32_t kRank = 1;
constexpr std::int64_t kPeriod = 4000;  // clock period in ps
constexpr PicoSeconds kBus{200'000};    // a time that exceeds the duration of a register access

class Answers final : public RateSink {
 public:
  explicit Answers(const Scheduler& scheduler) : scheduler_(scheduler) {}
  std::vector<std::string> said;

 private:
  void rate_calculated(std::uint32_t flow, Rate rate) override {
    say("flow " + std::to_string(flow) + " rate " + std::to_string(rate.raw));
  }
  void query_answered(std::uint32_t flow, std::optional<Rate> rate) override {
    say("query " + std::to_string(flow) + (rate ? " rate " + std::to_string(rate->raw) : ""));
  }
  void say(const std::string& what) {
    said.push_back(std::to_string(scheduler_.now().count) + " " + what);
  }
  const Scheduler& scheduler_;
};

/// A controller engine with its registers and a scheduler, connected as in the platform.
class Machine {
 public:
  /// kRtlEveryCycle: the RTL as shipped, with one clock, of which every cycle is simulated.
  enum class Kind { kModel, kRtl, kRtlEveryCycle, kLockstep };

  explicit Machine(Kind kind, unsigned fault = 0, std::uint32_t slots = 64) : answers(scheduler) {
    ControllerConfig config;
    config.slots = slots;
    device_ =
        make_controller(scheduler, config, kRank, answers, nullptr, nullptr,
                        [kind, fault](Scheduler& s, const ControllerConfig& c, std::uint32_t rank,
                                      RateSink& sink) -> std::unique_ptr<ControllerEngine> {
                          if (kind == Kind::kModel) return nullptr;
                          ControllerLockstepOptions options;
                          options.rtl.fault = fault;
                          options.log_path = testing::TempDir() + "controller_engine_test.log";
                          options.rtl.skip_idle = kind != Kind::kRtlEveryCycle;
                          options.rtl.as_shipped = kind == Kind::kRtlEveryCycle;
                          if (kind == Kind::kLockstep)
                            return make_lockstep_controller(s, c, rank, sink, options);
                          return make_rtl_controller(s, c, rank, sink, options.rtl);
                        });
    registers_ = std::make_unique<regs::ControllerRegisters>(*device_);
  }
  ControllerEngine& device() { return *device_; }
  regs::RegisterBlock& block() { return registers_->block(); }
  void write(std::uint32_t address, std::uint32_t value) {
    ASSERT_EQ(block().write(address, value), regs::AccessResult::kOk) << address << " " << value;
  }
  std::uint32_t read(std::uint32_t address) {
    std::uint32_t value = 0;
    EXPECT_EQ(block().read(address, value), regs::AccessResult::kOk) << address;
    values_read.push_back(value);
    return value;
  }
  /// Programs the registers before simulated time begins, as the platform's driver does.
  void program(bool dcqcn, std::uint32_t tick_div, std::uint32_t interval) {
    write(DCC_TICK_DIV_OFFSET, tick_div);
    write(DCC_TIMER_INTERVAL_OFFSET, interval);
    write(DCC_BYTE_THRESHOLD_OFFSET, 20'000);
    write(DCC_DECREASE_PERIOD_OFFSET, 3);
    write(DCC_FIRST_CUT_OFFSET, dcqcn ? 0 : 32768);
    write(DCC_G_OFFSET, dcqcn ? 256 : 5000);
    for (std::uint32_t i = 0; i < 257; ++i) write(DCC_DECREASE_OFFSET + 4 * i, 65536 - i * 128);
    for (std::uint32_t i = 0; i < 64; ++i) {
      write(DCC_DECAY_LO_OFFSET + 4 * i, 65536 - 250 * i);
      write(DCC_DECAY_HI_OFFSET + 4 * i, i < 17 ? 65536u >> i : 0);
    }
    write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK | DCC_CTRL_TIMER_RESTART_MASK |
                               DCC_CTRL_BYTE_COUNTER_MASK | (dcqcn ? DCC_CTRL_LAW_MASK : 0));
  }
  /// Calls the controller at random times, in bursts and with gaps of up to some hundred ticks. Of
  /// a thousand calls, `accesses` are register accesses.
  void traffic(std::uint64_t seed, int calls, std::uint32_t flows, std::uint32_t accesses) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
    static constexpr std::uint32_t kGaps[] = {1, 3, 40, 300, 3000, 60'000};
    std::int64_t time = scheduler.now().count;
    for (int i = 0; i < calls; ++i) {
      time += below(kGaps[below(i % 50 == 0 ? 6 : 4)] * kPeriod) + 1;
      scheduler.run_until(PicoSeconds{time});
      const std::uint32_t flow = below(flows);
      const auto dscp = static_cast<std::uint8_t>(below(3));
      const std::uint32_t kind = below(1000);
      if (kind < accesses) {
        access(below(8), below(64), below(8));
        // Software starts an access only after the previous access has ended.
        scheduler.run_until(scheduler.now() + kBus);
        time = scheduler.now().count;
      } else if (kind < 450) {
        device().bytes(flow, dscp, 64 + below(9000));
      } else if (kind < 960) {
        device().cnp(flow, dscp, static_cast<std::uint8_t>(below(6)),
                     static_cast<std::uint8_t>(below(9)));
      } else if (kind < 985) {
        device().query(flow);
      } else {
        device().release(flow);
      }
    }
    scheduler.run_until(PicoSeconds{time + 1000 * kPeriod});
  }

  Scheduler scheduler;
  Answers answers;
  std::vector<std::uint32_t> values_read;  // in the order of the reads

 private:
  void access(std::uint32_t what, std::uint32_t index, std::uint32_t word) {
    switch (what) {
      case 0:
        return write(DCC_R_AI_OFFSET, 1000 + 100 * index);
      case 1:
        return write(DCC_FACTOR_OFFSET + 4 * index, 0x01000100 + word);
      case 2:
        read(DCC_SLOTS_ENTRY_OFFSET(index) + 4 * word);
        return;
      case 3:
        read(DCC_DECREASE_OFFSET + 4 * index);
        return;
      case 4:
        read(DCC_STAT_CNPS_RECEIVED_LO_OFFSET + 8 * word);
        return;
      case 5: {
        std::uint32_t value = 0;
        const bool reads = index % 2 == 0;
        EXPECT_NE(reads ? block().read(0x00700, value) : block().write(DCC_TICK_DIV_OFFSET, 3),
                  regs::AccessResult::kOk);
        return;
      }
      case 6:
        return write(DCC_BYTE_THRESHOLD_OFFSET, 10'000 + 1000 * index);
      default:
        read(word % 2 == 0 ? DCC_FREE_SLOTS_OFFSET : DCC_CTRL_OFFSET);
    }
  }

  std::unique_ptr<ControllerEngine> device_;
  std::unique_ptr<regs::ControllerRegisters> registers_;
};

void expect_same(Machine& a, Machine& b) {
  EXPECT_EQ(a.answers.said, b.answers.said);
  const ControllerStatistics p = a.device().statistics(), q = b.device().statistics();
  EXPECT_EQ(p.cnps_received, q.cnps_received);
  EXPECT_EQ(p.cnps_dropped_no_slot, q.cnps_dropped_no_slot);
  EXPECT_EQ(p.cnps_coalesced, q.cnps_coalesced);
  EXPECT_EQ(p.cnps_lost, q.cnps_lost);
  EXPECT_EQ(p.byte_notifications, q.byte_notifications);
  EXPECT_EQ(p.byte_notifications_unmatched, q.byte_notifications_unmatched);
  EXPECT_EQ(p.rate_decreases, q.rate_decreases);
  EXPECT_EQ(p.rate_increases, q.rate_increases);
  EXPECT_EQ(p.rate_updates, q.rate_updates);
  EXPECT_EQ(p.slots_bound, q.slots_bound);
  EXPECT_EQ(p.slots_released, q.slots_released);
  EXPECT_EQ(p.slots_in_use_max, q.slots_in_use_max);
  EXPECT_EQ(a.device().timer_counters().started, b.device().timer_counters().started);
  EXPECT_EQ(a.device().timer_counters().expired, b.device().timer_counters().expired);
  EXPECT_EQ(a.device().missed_latency(), b.device().missed_latency());
  EXPECT_EQ(a.device().timer_lateness_max(), b.device().timer_lateness_max());
  EXPECT_EQ(a.device().free_slots(), b.device().free_slots());
  for (SlotIndex slot = 0; slot < 64; ++slot) {
    const SlotView x = a.device().slot(slot), y = b.device().slot(slot);
    EXPECT_EQ(x.flow, y.flow) << slot;
    EXPECT_EQ(x.timer_due, y.timer_due) << slot;
    if (x.flow) {
      EXPECT_EQ(x.parameters.rc, y.parameters.rc) << slot;
      EXPECT_EQ(x.parameters.rt, y.parameters.rt) << slot;
      EXPECT_EQ(x.parameters.alpha, y.parameters.alpha) << slot;
      EXPECT_EQ(x.parameters.t, y.parameters.t) << slot;
      EXPECT_EQ(x.parameters.bc, y.parameters.bc) << slot;
      EXPECT_EQ(x.parameters.dscp, y.parameters.dscp) << slot;
      EXPECT_EQ(x.parameters.pkt_length, y.parameters.pkt_length) << slot;
      EXPECT_EQ(x.parameters.t_latest, y.parameters.t_latest) << slot;
    }
  }
}

// The quick machine skips idle time, folds the pipeline and clocks parts (controller_fold.cmake).
TEST(ControllerEngine, SkippingIdleTimeChangesNothing) {
  for (const std::uint64_t seed : {0u, 1u, 100u, 101u}) {
    const bool dcqcn = seed % 2 != 0;
    Machine quick(Machine::Kind::kRtl), slow(Machine::Kind::kRtlEveryCycle);
    for (Machine* const machine : {&quick, &slow}) {
      machine->program(dcqcn, 70, 19);
      machine->traffic(seed, 1500, 20, 0);
      machine->traffic(seed + 2, 1000, 100, 60);
      machine->write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK | DCC_CTRL_SOFT_RESET_MASK |
                                          DCC_CTRL_BYTE_COUNTER_MASK |
                                          (dcqcn ? DCC_CTRL_LAW_MASK : 0));
      machine->traffic(seed + 4, 1000, 100, 60);
    }
    EXPECT_GT(quick.answers.said.size(), 500u);
    EXPECT_GT(quick.values_read.size(), 40u);
    EXPECT_EQ(quick.values_read, slow.values_read);
    expect_same(quick, slow);
  }
}

TEST(ControllerEngine, RtlAnswersAsTheModel) {
  for (const std::uint32_t slots : {64u, 1024u}) {
    Machine model(Machine::Kind::kModel, 0, slots), rtl(Machine::Kind::kRtl, 0, slots);
    for (Machine* const machine : {&model, &rtl}) {
      machine->program(true, 250, 55);
      machine->traffic(7, 3000, 100, 30);
    }
    EXPECT_GT(model.answers.said.size(), 1000u);
    expect_same(model, rtl);
  }
}

TEST(LockstepController, ComparesAnswersRegistersAndSlots) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Machine both(Machine::Kind::kLockstep);
    both.program(seed % 2 != 0, 100, 30);
    both.traffic(seed, 4000, seed < 3 ? 40 : 200, 60);
    both.device().finish();
    EXPECT_GT(both.answers.said.size(), 500u);
  }
}

TEST(LockstepController, SoftResetInFlight) {
  Machine both(Machine::Kind::kLockstep);
  both.program(true, 100, 30);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    both.traffic(seed, 300, 40, 0);
    both.device().cnp(1, 0, 1);
    both.device().bytes(2, 0, 1000);
    both.write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK | DCC_CTRL_SOFT_RESET_MASK |
                                    DCC_CTRL_LAW_MASK | DCC_CTRL_BYTE_COUNTER_MASK);
    both.device().cnp(3, 0, 1);
  }
  both.traffic(9, 300, 40, 0);
  both.device().finish();
}

TEST(LockstepController, EveryFaultIsSeen) {
  for (unsigned fault = 1; fault <= kControllerFaults; ++fault) {
    std::string report;
    try {
      Machine both(Machine::Kind::kLockstep, fault);
      both.program(true, 100, 30);
      both.traffic(fault, 3000, 40, 20);
      both.device().finish();
    } catch (const LockstepMismatch& mismatch) {
      report = mismatch.what();
    }
    EXPECT_NE(report.find("model and RTL differ"), std::string::npos) << "fault " << fault;
    EXPECT_NE(report.find("replay with waveform"), std::string::npos) << report;
    std::printf("fault %u: %s\n", fault, report.substr(0, report.find('\n')).c_str());
  }
}

TEST(ControllerEngine, OtherSizesAreRefused) {
  EXPECT_THROW(Machine(Machine::Kind::kRtl, 0, 128), std::invalid_argument);
}

}  // namespace
}  // namespace dcc
