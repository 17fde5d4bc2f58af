// Tests the CPU's debug interface over a socket: registers, memory, breakpoints and monitor
// commands.
#include <cstring>
#include <memory>
#include <thread>

#include "bus.h"
#include "cpu/riscv_cpu.h"
#include "driver/memory_map.h"
#include "gdb_client.h"
#include "model_test.h"
#include "ram.h"

namespace dcc::model::cpu_debug_test {
namespace {

constexpr std::uint32_t kAddi = 0x00128293;  // instruction addi t0, t0, 1
constexpr std::uint32_t kLoop = 0xFFDFF06F;  // instruction j back to the addi instruction

class CpuDebugTest : public ModelTest {
 protected:
  CpuDebugTest() {
    RiscvCpuConfig config;
    config.ram_base = DCC_RAM_BASE;
    config.ram_bytes = 0x4000;
    cpu_ = std::make_unique<RiscvCpu>("cpu", config);
    bus_.attach(ram_.socket, DCC_RAM_BASE, 0x4000, "ram");
    cpu_->socket.bind(bus_.in);
    std::memcpy(ram_.data(), &kAddi, 4);
    std::memcpy(ram_.data() + 4, &kLoop, 4);
    cpu_->set_program(DCC_RAM_BASE, nullptr);
    cpu_->set_end_handler([this] { ended_.notify(sc_core::SC_ZERO_TIME); });
    registry_.add_module({"thing", "a thing", {}});
    registry_.add_value({"counter", "counts", 0,
                         [this](std::uint32_t) { return std::to_string(ram_.data()[0x100]); }});
    cpu_->debug().set_registry(&registry_);
    cpu_->debug().enable(0, true);
  }
  /// Runs a debugger against a CPU whose program never ends. The debugger kills the program.
  template <class Debugger>
  void debug(const Debugger& debugger) {
    std::thread thread([&] {
      const GdbClient client(cpu_->debug().port());
      debugger(client);
      client.send("k");
    });
    simulate([this] {
      if (cpu_->state() == RiscvCpu::State::kRunning) sc_core::wait(ended_);
    });
    thread.join();
    EXPECT_EQ(cpu_->state(), RiscvCpu::State::kKilled);
  }

  Bus bus_{"bus", sc_core::SC_ZERO_TIME};
  Ram ram_{"ram", 0x4000, sc_core::SC_ZERO_TIME};
  std::unique_ptr<RiscvCpu> cpu_;
  DebugRegistry registry_;
  sc_core::sc_event ended_;
};

TEST_F(CpuDebugTest, StepsAndStopsWhereItIsTold) {
  debug([](const GdbClient& gdb) {
    EXPECT_EQ(gdb.ask("p20"), "00000080");
    EXPECT_EQ(gdb.ask("s").substr(0, 3), "T05");
    EXPECT_EQ(gdb.ask("p5"), "01000000");
    EXPECT_EQ(gdb.ask("P5=64000000"), "OK");
    EXPECT_EQ(gdb.ask("Z0,80000004,4"), "OK");
    EXPECT_EQ(gdb.ask("c").substr(0, 3), "T05");
    EXPECT_EQ(gdb.ask("p20"), "04000080");
    EXPECT_EQ(gdb.ask("c").substr(0, 3), "T05");
    EXPECT_EQ(gdb.ask("p5"), "66000000") << "two rounds on from 100";
  });
}

TEST_F(CpuDebugTest, MemoryByTheBusAndCodeThatChanges) {
  debug([](const GdbClient& gdb) {
    EXPECT_EQ(gdb.ask("m80000000,4"), "93821200");
    EXPECT_EQ(gdb.ask("s").substr(0, 3), "T05");
    EXPECT_EQ(gdb.ask("s").substr(0, 3), "T05");
    // The debugger overwrites the instruction by addi t0, t0, 16. The CPU must not execute the old
    // instruction from its decode cache.
    EXPECT_EQ(gdb.ask("M80000000,4:93820201"), "OK");
    EXPECT_EQ(gdb.ask("s").substr(0, 3), "T05");
    EXPECT_EQ(gdb.ask("p5"), "11000000");
    EXPECT_EQ(gdb.ask("m90000000,4").substr(0, 1), "E") << "nothing is mapped there";
  });
}

TEST_F(CpuDebugTest, TheMonitorAnswers) {
  debug([](const GdbClient& gdb) {
    EXPECT_NE(gdb.monitor("modules").find("thing  a thing"), std::string::npos);
    EXPECT_EQ(gdb.monitor("read counter"), "counter = 0\n");
    EXPECT_EQ(gdb.monitor("read 0x80000000"), "0x80000000 = 0x128293\n");
    EXPECT_EQ(gdb.monitor("read 0x90000000"), "0x90000000 = not readable\n");
    EXPECT_EQ(gdb.monitor("read 0x123456789"), "0x123456789: addresses have 32 bits\n");
    EXPECT_EQ(gdb.monitor("read nothing"), "nothing: no such value; `modules` lists them\n");
    EXPECT_EQ(gdb.monitor("stop-on-change counter"), "stops when counter changes; now 0\n");
    EXPECT_EQ(gdb.monitor("unwatch"), "nothing is watched\n");
    EXPECT_EQ(gdb.monitor("time"), "0 s\n");
    EXPECT_NE(gdb.monitor("cpu").find("0 cycles"), std::string::npos);
    EXPECT_EQ(gdb.monitor("dance").rfind("unknown command dance\n", 0), 0u);
  });
}

}  // namespace
}  // namespace dcc::model::cpu_debug_test
