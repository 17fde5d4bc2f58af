// Tests the controller on APB: registers control the block and show its state.
#include "controller.h"

#include <vector>

#include "controller/controller_model.h"
#include "csr_checks.h"
#include "model_test.h"
#include "registers/generated/dcc_map.h"
#include "sim/scheduler.h"

namespace dcc::model::controller_test {
namespace {

namespace map = regs::dcc_map;

struct LastRates final : RateSink {
  void rate_calculated(std::uint32_t flow, Rate rate) override { rates.push_back({flow, rate}); }
  std::vector<std::pair<std::uint32_t, Rate>> rates;
};

constexpr std::uint32_t kSlots = 5;
constexpr std::uint32_t kLatency = 40;

ControllerConfig small_config() {
  ControllerConfig config;
  config.slots = kSlots;
  config.latency_cycles = kLatency;
  return config;
}

/// Accesses the registers through the TLM socket, as a CPU does.
class SocketPort final : public regs::CsrPort {
 public:
  SocketPort(Initiator& initiator, ApbController& controller)
      : initiator_(initiator), controller_(controller) {}
  bool read(std::uint32_t address, std::uint32_t& value) override {
    return transport(tlm::TLM_READ_COMMAND, address, value, nullptr);
  }
  bool write(std::uint32_t address, std::uint32_t value, std::uint8_t strobe) override {
    unsigned char enables[4];
    for (unsigned i = 0; i < 4; ++i) {
      enables[i] = (strobe >> i & 1) != 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
    }
    return transport(tlm::TLM_WRITE_COMMAND, address, value, enables);
  }
  void reset() override { controller_.reset(); }
  bool interrupt() const override { return controller_.interrupt(); }

 private:
  bool transport(tlm::tlm_command command, std::uint32_t address, std::uint32_t& value,
                 unsigned char* enables) {
    payload_.set_command(command);
    payload_.set_address(address);
    payload_.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload_.set_data_length(4);
    payload_.set_streaming_width(4);
    payload_.set_byte_enable_ptr(enables);
    payload_.set_byte_enable_length(enables == nullptr ? 0 : 4);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay;
    initiator_.socket->b_transport(payload_, delay);
    return payload_.is_response_ok();
  }
  Initiator& initiator_;
  ApbController& controller_;
  tlm::tlm_generic_payload payload_;
};

class ControllerTest : public ModelTest {
 protected:
  ControllerTest() { initiator.socket.bind(controller.apb); }

  std::uint32_t read(std::uint32_t address) {
    std::uint32_t value = 0;
    EXPECT_EQ(controller.read32(address, value), regs::AccessResult::kOk) << address;
    return value;
  }
  void write(std::uint32_t address, std::uint32_t value) {
    EXPECT_EQ(controller.write32(address, value), regs::AccessResult::kOk) << address;
  }
  std::uint64_t counter(std::uint32_t address) {
    const std::uint64_t low = read(address);
    return low | std::uint64_t{read(address + 4)} << 32;
  }
  std::uint32_t slot(std::uint32_t index, std::uint32_t word) {
    return read(DCC_SLOTS_OFFSET + 32 * index + 4 * word);
  }
  void enable() {
    write(DCC_CTRL_OFFSET, map::kMap.registers[map::kCtrl].reset | DCC_CTRL_ENABLE_MASK);
  }
  /// Loads a decrease table that halves a rate for every alpha, exactly in 1.16 fixed point.
  void load_halving_table() {
    for (std::uint32_t i = 0; i < 257; ++i) write(DCC_DECREASE_OFFSET + 4 * i, 32768);
  }

  Scheduler scheduler;
  LastRates sink;
  ControllerModel device{scheduler, small_config(), 100, sink};
  ApbController controller{"controller", device, [] {}};
  Initiator initiator{"initiator"};
  SocketPort port{initiator, controller};

  regs::CsrInstance instance() {
    regs::CsrInstance result = regs::default_instance(map::kMap);
    result.window_entries[map::kWindowSlots] = kSlots;
    // CAPS of this instance: five slots need three bits, the latency is 40, and the wheel has its
    // built-in split.
    result.parameters[map::kCaps] = 3u | kLatency << 8 | 0x06550000u;
    return result;
  }
  static void expect_clean(const regs::CsrReport& report) {
    for (const std::string& failure : report.failures) ADD_FAILURE() << failure;
    EXPECT_GT(report.accesses, 8u);
  }
};

TEST_F(ControllerTest, CsrResetValues) {
  simulate([&] { expect_clean(check_reset_values(map::kMap, port, instance())); });
}
TEST_F(ControllerTest, CsrAccessKinds) {
  simulate([&] { expect_clean(check_access_kinds(map::kMap, port, instance())); });
}
TEST_F(ControllerTest, CsrErrors) {
  simulate([&] { expect_clean(check_errors(map::kMap, port, instance())); });
}
TEST_F(ControllerTest, CsrLocks) {
  simulate([&] { expect_clean(check_locks(map::kMap, port, instance())); });
}
TEST_F(ControllerTest, CsrInterrupt) {
  simulate([&] { expect_clean(check_interrupt(map::kMap, port)); });
}

TEST_F(ControllerTest, EveryParameterReachesTheDevice) {
  simulate([&] {
    write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK | DCC_CTRL_CUT_BY_MARKS_MASK);
    write(DCC_TICK_DIV_OFFSET, 110);
    write(DCC_TIMER_INTERVAL_OFFSET, 12);
    write(DCC_BYTE_THRESHOLD_OFFSET, 1300);
    write(DCC_F_OFFSET, 14);
    write(DCC_G_OFFSET, 15);
    write(DCC_R_AI_OFFSET, 16);
    write(DCC_R_HAI_OFFSET, 17);
    write(DCC_MI_OFFSET, 18);
    write(DCC_R_MIN_OFFSET, 19);
    write(DCC_R_MAX_OFFSET, 20);
    write(DCC_INITIAL_RATE_OFFSET, 21);
    write(DCC_INITIAL_ALPHA_OFFSET, 22);
    write(DCC_ALPHA_RECIP_OFFSET, 0x01000023);
    write(DCC_DECREASE_PERIOD_OFFSET, 24);
    write(DCC_FIRST_CUT_OFFSET, 25);
    write(DCC_MARK_SHIFT_OFFSET, 6);
    const ControllerParameters& p = device.parameters();
    EXPECT_TRUE(p.enable);
    EXPECT_TRUE(p.rate.cut_by_marks);
    EXPECT_EQ(p.rate.law, DCC_CTRL_LAW_PROPORTIONAL);
    EXPECT_FALSE(p.timer_restart);
    EXPECT_FALSE(p.byte_counter);
    EXPECT_EQ(p.tick_div, 110u);
    EXPECT_EQ(p.timer_interval, 12u);
    EXPECT_EQ(p.byte_threshold, 1300u);
    EXPECT_EQ(p.fast_recovery, 14u);
    EXPECT_EQ(p.rate.g, 15u);
    EXPECT_EQ(p.rate.r_ai, 16u);
    EXPECT_EQ(p.rate.r_hai, 17u);
    EXPECT_EQ(p.rate.mi, 18u);
    EXPECT_EQ(p.rate.r_min, 19u);
    EXPECT_EQ(p.rate.r_max, 20u);
    EXPECT_EQ(p.initial_rate, 21u);
    EXPECT_EQ(p.initial_alpha, 22u);
    EXPECT_EQ(p.rate.alpha_recip, 0x01000023u);
    EXPECT_EQ(p.decrease_period, 24u);
    EXPECT_EQ(p.rate.first_cut, 25u);
    EXPECT_EQ(p.rate.mark_shift, 6u);
    write(DCC_CTRL_OFFSET,
          DCC_CTRL_LAW_MASK | DCC_CTRL_TIMER_RESTART_MASK | DCC_CTRL_BYTE_COUNTER_MASK);
    EXPECT_FALSE(p.enable);
    EXPECT_FALSE(p.rate.cut_by_marks);
    EXPECT_EQ(p.rate.law, DCC_CTRL_LAW_DCQCN);
    EXPECT_TRUE(p.timer_restart);
    EXPECT_TRUE(p.byte_counter);
  });
}

TEST_F(ControllerTest, ResetValuesAreTheDevicesOwnDefaults) {
  // An unconfigured device must behave as the reset values of its registers say.
  Scheduler other_scheduler;
  ControllerModel untouched(other_scheduler, small_config(), 100, sink);
  simulate([&] {
    const ControllerParameters& a = untouched.parameters();
    const ControllerParameters& b = device.parameters();
    EXPECT_EQ(a.enable, b.enable);
    EXPECT_EQ(a.timer_restart, b.timer_restart);
    EXPECT_EQ(a.byte_counter, b.byte_counter);
    EXPECT_EQ(a.fast_recovery, b.fast_recovery);
    EXPECT_EQ(a.tick_div, b.tick_div);
    EXPECT_EQ(a.timer_interval, b.timer_interval);
    EXPECT_EQ(a.decrease_period, b.decrease_period);
    EXPECT_EQ(a.byte_threshold, b.byte_threshold);
    EXPECT_EQ(a.initial_rate, b.initial_rate);
    EXPECT_EQ(a.initial_alpha, b.initial_alpha);
    EXPECT_EQ(a.rate.g, b.rate.g);
    EXPECT_EQ(a.rate.mi, b.rate.mi);
    EXPECT_EQ(a.rate.r_ai, b.rate.r_ai);
    EXPECT_EQ(a.rate.r_hai, b.rate.r_hai);
    EXPECT_EQ(a.rate.r_min, b.rate.r_min);
    EXPECT_EQ(a.rate.r_max, b.rate.r_max);
    EXPECT_EQ(a.rate.alpha_recip, b.rate.alpha_recip);
    EXPECT_EQ(a.rate.first_cut, b.rate.first_cut);
    EXPECT_EQ(a.rate.mark_shift, b.rate.mark_shift);
    EXPECT_EQ(a.rate.law, b.rate.law);
    EXPECT_EQ(a.rate.cut_by_marks, b.rate.cut_by_marks);
  });
}

TEST_F(ControllerTest, ACnpShowsInSlotsStatisticsAndInterrupt) {
  std::vector<bool> levels;
  controller.set_interrupt_listener([&](bool level) { levels.push_back(level); });
  simulate([&] {
    load_halving_table();
    write(DCC_IRQ_MASK_OFFSET, DCC_IRQ_MASK_TABLE_FULL_MASK);
    write(DCC_TIMER_INTERVAL_OFFSET, 1000);
    enable();
    EXPECT_EQ(read(DCC_FREE_SLOTS_OFFSET), kSlots);
    EXPECT_EQ(read(DCC_STATUS_OFFSET), DCC_STATUS_READY_MASK | DCC_STATUS_IDLE_MASK);
    const PicoSeconds start = kMicroSecond * 10;
    scheduler.run_until(start);
    for (std::uint32_t flow = 0; flow < kSlots; ++flow) {
      device.cnp(0x100 + flow, static_cast<std::uint8_t>(10 + flow), 1);
    }
    EXPECT_TRUE(levels.empty());
    device.cnp(0x999, 0, 1);
    scheduler.run_until(start + kMicroSecond);
    EXPECT_EQ(levels, std::vector<bool>{true});

    EXPECT_EQ(read(DCC_FREE_SLOTS_OFFSET), 0u);
    EXPECT_EQ(read(DCC_EVENTS_PENDING_OFFSET), kSlots);
    EXPECT_EQ(read(DCC_TIME_OFFSET), 11u);
    EXPECT_EQ(read(DCC_STATUS_OFFSET), DCC_STATUS_READY_MASK);
    for (std::uint32_t i = 0; i < kSlots; ++i) {
      EXPECT_EQ(slot(i, map::kSlotsFlowWord), 0x80000000u | (0x100 + i));
      EXPECT_EQ(slot(i, map::kSlotsRateWord), 12'800'000u) << "half of 100 Gb/s in 24.8 Mb/s";
      EXPECT_EQ(slot(i, map::kSlotsTargetWord), 25'600'000u);
      EXPECT_EQ(slot(i, map::kSlotsAlphaWord), 65536u);
      EXPECT_EQ(slot(i, map::kSlotsCountsWord), (10 + i) << 16);
      EXPECT_EQ(slot(i, map::kSlotsLengthWord), 0u);
      EXPECT_EQ(slot(i, map::kSlotsLatestWord), 10u);
      EXPECT_EQ(slot(i, map::kSlotsDueWord), 0x80000000u | 1010u);
    }
    EXPECT_EQ(counter(DCC_STAT_CNPS_RECEIVED_LO_OFFSET), kSlots + 1);
    EXPECT_EQ(counter(DCC_STAT_CNPS_DROPPED_NO_SLOT_LO_OFFSET), 1u);
    EXPECT_EQ(counter(DCC_STAT_RATE_DECREASES_LO_OFFSET), kSlots);
    EXPECT_EQ(counter(DCC_STAT_RATE_UPDATES_LO_OFFSET), kSlots);
    EXPECT_EQ(counter(DCC_STAT_SLOTS_BOUND_LO_OFFSET), kSlots);
    EXPECT_EQ(counter(DCC_STAT_SLOTS_IN_USE_MAX_LO_OFFSET), kSlots);
    EXPECT_EQ(counter(DCC_STAT_EVENTS_STARTED_LO_OFFSET), kSlots);
    EXPECT_EQ(counter(DCC_STAT_TIMER_EVENTS_LO_OFFSET), 0u);
    ASSERT_EQ(sink.rates.size(), kSlots);
    EXPECT_EQ(sink.rates[2].first, 0x102u);

    // Sends bytes of a bound flow, bytes of an unknown flow, and a CNP too soon after the last cut.
    device.bytes(0x101, 11, 700);
    device.bytes(0x777, 0, 700);
    device.cnp(0x102, 12, 1);
    scheduler.run_until(start + kMicroSecond * 2);
    EXPECT_EQ(slot(1, map::kSlotsLengthWord), 700u);
    EXPECT_EQ(counter(DCC_STAT_BYTE_NOTIFICATIONS_LO_OFFSET), 2u);
    EXPECT_EQ(counter(DCC_STAT_BYTE_NOTIFICATIONS_UNMATCHED_LO_OFFSET), 1u);
    EXPECT_EQ(counter(DCC_STAT_CNPS_COALESCED_LO_OFFSET), 1u);

    scheduler.run_until(start + kMicroSecond * 1001);
    EXPECT_EQ(counter(DCC_STAT_TIMER_EVENTS_LO_OFFSET), kSlots);
    EXPECT_EQ(counter(DCC_STAT_RATE_INCREASES_LO_OFFSET), kSlots);
    EXPECT_EQ(slot(0, map::kSlotsCountsWord), 10u << 16 | 1u) << "T = 1";

    write(DCC_IRQ_STATUS_OFFSET, DCC_IRQ_STATUS_TABLE_FULL_MASK);
    EXPECT_EQ(levels, (std::vector<bool>{true, false}));

    write(DCC_CTRL_OFFSET, DCC_CTRL_ENABLE_MASK | DCC_CTRL_SOFT_RESET_MASK);
    scheduler.run_until(start + kMicroSecond * 1002);
    EXPECT_EQ(read(DCC_FREE_SLOTS_OFFSET), kSlots);
    EXPECT_EQ(read(DCC_EVENTS_PENDING_OFFSET), 0u);
    EXPECT_EQ(counter(DCC_STAT_CNPS_RECEIVED_LO_OFFSET), 0u);
    EXPECT_EQ(slot(0, map::kSlotsFlowWord), 0u);
    EXPECT_EQ(slot(0, map::kSlotsDueWord), 0u);
    EXPECT_EQ(read(DCC_CTRL_OFFSET), DCC_CTRL_ENABLE_MASK) << "parameters survive";
    EXPECT_EQ(read(DCC_DECREASE_OFFSET), 32768u) << "tables survive";
  });
}

TEST_F(ControllerTest, EverySizeFromOneSlotUpHasItsCapability) {
  simulate([&] {
    const std::pair<std::uint32_t, std::uint32_t> sizes[] = {{1, 0},     {2, 1},     {3, 2},
                                                             {1024, 10}, {1025, 11}, {16384, 14}};
    for (const auto& [slots, bits] : sizes) {
      ControllerConfig config;
      config.slots = slots;
      Scheduler time;
      ControllerModel other(time, config, 1, sink);
      regs::ControllerRegisters registers(other);
      std::uint32_t value = 0;
      EXPECT_EQ(registers.block().read(DCC_CAPS_OFFSET, value), regs::AccessResult::kOk);
      EXPECT_EQ(value & DCC_CAPS_SLOTS_LOG2_MASK, bits) << slots;
      const std::uint32_t end = DCC_SLOTS_OFFSET + 32 * slots;
      EXPECT_EQ(registers.block().read(end - 4, value), regs::AccessResult::kOk);
      EXPECT_EQ(registers.block().read(end, value), regs::AccessResult::kUnmapped);
    }
  });
}

}  // namespace
}  // namespace dcc::model::controller_test
