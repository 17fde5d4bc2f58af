// Tests the CPU on the bus: time by clock and CPI, sleep and wake-up, RAM without DMI, faults, end
// of the program.
#include "cpu/riscv_cpu.h"

#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <memory>

#include "bus.h"
#include "driver/memory_map.h"
#include "model_test.h"
#include "ram.h"
#include "word_target.h"

namespace dcc::model::riscv_cpu_test {
namespace {

/// A device with two registers: a write to register 0 ends the program, a write to register 4
/// records the time.
class Probe final : public WordTarget {
 public:
  explicit Probe(const sc_core::sc_module_name& name, const sc_core::sc_time& latency)
      : WordTarget(name, latency) {}
  RiscvCpu* cpu = nullptr;
  std::vector<sc_core::sc_time> written_at;

 private:
  tlm::tlm_response_status read(std::uint32_t, std::uint32_t& value) override {
    value = 7;
    return tlm::TLM_OK_RESPONSE;
  }
  tlm::tlm_response_status write(std::uint32_t offset, std::uint32_t value) override {
    written_at.push_back(sc_core::sc_time_stamp());
    if (offset == 0) cpu->exit(value);
    return tlm::TLM_OK_RESPONSE;
  }
  std::optional<std::uint32_t> peek(std::uint32_t) const override { return 7; }
};

constexpr std::uint32_t kProbe = 0x10010000;
constexpr std::uint32_t kNop = 0x00000013;
constexpr std::uint32_t kWfi = 0x10500073;
constexpr std::uint32_t kLuiT0Probe = 0x100102B7;  // instruction lui t0, 0x10010
constexpr std::uint32_t kExit = 0x0062A023;        // instruction sw t1, 0(t0)
constexpr std::uint32_t kMark = 0x0062A223;        // instruction sw t1, 4(t0)

class RiscvCpuTest : public ModelTest {
 protected:
  void build(RiscvCpuConfig config, std::initializer_list<std::uint32_t> program,
             const sc_core::sc_time& probe_latency = sc_core::SC_ZERO_TIME) {
    config.ram_base = DCC_RAM_BASE;
    config.ram_bytes = 0x4000;
    cpu_ = std::make_unique<RiscvCpu>("cpu", config);
    probe_ = std::make_unique<Probe>("probe", probe_latency);
    probe_->cpu = cpu_.get();
    bus_.attach(ram_.socket, DCC_RAM_BASE, 0x4000, "ram");
    bus_.attach(probe_->socket, kProbe, 0x1000, "probe");
    cpu_->socket.bind(bus_.in);
    std::size_t at = 0;
    for (const std::uint32_t word : program) {
      std::memcpy(ram_.data() + at, &word, sizeof word);
      at += sizeof word;
    }
    cpu_->set_program(DCC_RAM_BASE, nullptr);
    cpu_->set_end_handler([this] { ended_.notify(sc_core::SC_ZERO_TIME); });
  }
  void run() {
    simulate([this] {
      if (cpu_->state() == RiscvCpu::State::kRunning) sc_core::wait(ended_);
    });
  }

  Bus bus_{"bus", sc_core::SC_ZERO_TIME};
  Ram ram_{"ram", 0x4000, sc_core::SC_ZERO_TIME};
  std::unique_ptr<RiscvCpu> cpu_;
  std::unique_ptr<Probe> probe_;
  sc_core::sc_event ended_;
};

TEST_F(RiscvCpuTest, AccessesHappenAtTheTimeOfTheirInstruction) {
  RiscvCpuConfig config;
  config.clock_hz = 500'000'000;
  config.cpi = riscv::Hart::Cpi::from_thousandths(1500);
  build(config, {kLuiT0Probe, kMark, kNop, kMark, kExit});
  run();
  // A cycle takes 2 ns and an instruction 1.5 cycles, so 2, 4 and 5 instructions take 3, 6 and 7
  // whole cycles.
  ASSERT_EQ(probe_->written_at.size(), 3u);
  EXPECT_EQ(probe_->written_at[0], sc_core::sc_time(6, sc_core::SC_NS));
  EXPECT_EQ(probe_->written_at[1], sc_core::sc_time(12, sc_core::SC_NS));
  EXPECT_EQ(probe_->written_at[2], sc_core::sc_time(14, sc_core::SC_NS));
  EXPECT_EQ(cpu_->instructions(), 5u);
}

TEST_F(RiscvCpuTest, BusLatencyDelaysWhatFollows) {
  build({}, {kLuiT0Probe, kMark, kMark, kExit}, sc_core::sc_time(100, sc_core::SC_NS));
  run();
  EXPECT_EQ(probe_->written_at[1] - probe_->written_at[0], sc_core::sc_time(101, sc_core::SC_NS));
}

TEST_F(RiscvCpuTest, SleepEndsWithTheLineAndTimeGoesOn) {
  // Program: li t2, 0x80; csrw mie, t2; wfi; csrr t1, mcycle; sw t1, 4(t0); exit.
  build({}, {kLuiT0Probe, 0x08000393, 0x30439073, kWfi, 0xB0002373, kMark, kExit});
  simulate([this] {
    sc_core::wait(5, sc_core::SC_US);
    EXPECT_EQ(cpu_->instructions(), 4u);
    cpu_->set_interrupt(riscv::Cause::kMachineTimer, true);
    sc_core::wait(ended_);
  });
  EXPECT_EQ(cpu_->exit_code(), 5000u) << "mcycle counts through sleep at 1 GHz";
  EXPECT_EQ(probe_->written_at[0], sc_core::sc_time(5002, sc_core::SC_NS));
}

TEST_F(RiscvCpuTest, WithdrawnDmiIsHonoured) {
  // Program: li t1, 42; lui t3, 0x80002; sw t1, 0(t3); then a write to the probe, after which RAM
  // allows no DMI; sw t1, 4(t3); lw t1, 0(t3).
  build({},
        {kLuiT0Probe, 0x02A00313, 0x80002E37, 0x006E2023, kMark, 0x006E2223, 0x000E2303, kExit});
  bus_.add_observer([this](const Bus::Access& access) {
    if (access.payload.get_address() == kProbe + 4) ram_.allow_dmi(false);
  });
  run();
  EXPECT_EQ(cpu_->exit_code(), 42u);
  EXPECT_EQ(bus_.accesses(), 4u) << "mark, store, load, exit";
}

TEST_F(RiscvCpuTest, BusErrorWithoutHandlerIsADeathWithTheAddress) {
  build({}, {0x00002303});  // program: lw t1, 0(zero)
  cpu_->set_namer([this](std::uint64_t address) { return bus_.describe(address); });
  run();
  EXPECT_EQ(cpu_->state(), RiscvCpu::State::kDead);
  EXPECT_NE(cpu_->failure().find("load access fault at pc 0x80000000, address 0x00000000 (nothing"),
            std::string::npos)
      << cpu_->failure();
}

TEST_F(RiscvCpuTest, QuantumBoundsHowFarItRunsAhead) {
  RiscvCpuConfig config;
  config.quantum = sc_core::sc_time(200, sc_core::SC_NS);
  // Program: addi t1, t1, 1 in an endless loop that interrupts may stop.
  build(config, {kLuiT0Probe, 0x00130313, 0xFFDFF06F});
  simulate([this] {
    for (int i = 1; i < 10; ++i) {
      sc_core::wait(1, sc_core::SC_US);
      EXPECT_LE(cpu_->instructions(), static_cast<std::uint64_t>(1000 * i + 200));
      EXPECT_GE(cpu_->instructions(), static_cast<std::uint64_t>(1000 * i));
    }
  });
}

}  // namespace
}  // namespace dcc::model::riscv_cpu_test
