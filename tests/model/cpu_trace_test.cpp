// Tests the instruction trace. It has one line per instruction inside the trace window, with the
// written registers. A trace does not change the run.
#include <cstring>
#include <memory>
#include <sstream>

#include "bus.h"
#include "cpu/riscv_cpu.h"
#include "driver/memory_map.h"
#include "model_test.h"
#include "ram.h"

namespace dcc::model::cpu_trace_test {
namespace {

constexpr std::uint32_t kCount = 0x00128293;  // instruction addi t0, t0, 1
// instruction sw t0, 0x100(zero), which traps because no memory is there
constexpr std::uint32_t kStore = 0x10502023;
constexpr std::uint32_t kWfi = 0x10500073;

class CpuTraceTest : public ModelTest {
 protected:
  CpuTraceTest() {
    RiscvCpuConfig config;
    config.clock_hz = 1'000'000'000;
    config.ram_base = DCC_RAM_BASE;
    config.ram_bytes = 0x4000;
    cpu_ = std::make_unique<RiscvCpu>("cpu", config);
    bus_.attach(ram_.socket, DCC_RAM_BASE, 0x4000, "ram");
    cpu_->socket.bind(bus_.in);
  }
  void run(std::initializer_list<std::uint32_t> program) {
    std::size_t at = 0;
    for (const std::uint32_t word : program) {
      std::memcpy(ram_.data() + at, &word, 4);
      at += 4;
    }
    cpu_->set_program(DCC_RAM_BASE, nullptr);
    simulate([] { sc_core::wait(1, sc_core::SC_US); });
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> list;
    std::istringstream in(trace_.str());
    for (std::string line; std::getline(in, line);) list.push_back(line);
    return list;
  }

  Bus bus_{"bus", sc_core::SC_ZERO_TIME};
  Ram ram_{"ram", 0x4000, sc_core::SC_ZERO_TIME};
  std::unique_ptr<RiscvCpu> cpu_;
  std::ostringstream trace_;
};

TEST_F(CpuTraceTest, ALineAnInstructionWithWhatItWrote) {
  cpu_->trace().set_lines(&trace_);
  run({kCount, kCount, kWfi});
  const auto text = lines();
  ASSERT_GE(text.size(), 3u);
  EXPECT_NE(text[0].find("80000000"), std::string::npos) << text[0];
  EXPECT_NE(text[0].find("addi"), std::string::npos) << text[0];
  EXPECT_NE(text[0].find("t0=00000001"), std::string::npos) << text[0];
  EXPECT_NE(text[1].find("t0=00000002"), std::string::npos) << text[1];
  EXPECT_NE(text[2].find("wfi"), std::string::npos) << text[2];
}

TEST_F(CpuTraceTest, OnlyWithinTheWindow) {
  TraceWindow window;
  window.from = sc_core::sc_time(2, sc_core::SC_NS);
  window.to = sc_core::sc_time(4, sc_core::SC_NS);
  cpu_->trace().set_lines(&trace_, window);
  run({kCount, kCount, kCount, kCount, kCount, kWfi});
  const auto text = lines();
  ASSERT_EQ(text.size(), 2u) << trace_.str();
  EXPECT_NE(text[0].find("t0=00000003"), std::string::npos);
  EXPECT_NE(text[1].find("t0=00000004"), std::string::npos);
  EXPECT_EQ(cpu_->hart().reg(5), 5u) << "all of it ran";
}

TEST_F(CpuTraceTest, ATrapIsSaidWithItsCause) {
  cpu_->trace().set_lines(&trace_);
  run({kStore});
  ASSERT_FALSE(lines().empty());
  EXPECT_NE(lines()[0].find("sw"), std::string::npos);
  EXPECT_NE(lines()[0].find("  -- "), std::string::npos) << lines()[0];
}

}  // namespace
}  // namespace dcc::model::cpu_trace_test
