// Tests the responses of the GDB stub: registers, memory, breakpoints, resuming, invalid packets.
#include "cpu/gdb_server.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <thread>
#include <vector>

#include "gdb_client.h"

namespace dcc::model::gdb_server_test {
namespace {

struct FakeTarget final : DebugTarget {
  bool debug_read_register(unsigned number, std::uint32_t& value) override {
    value = registers[number];
    return number <= kPcNumber;
  }
  bool debug_write_register(unsigned number, std::uint32_t value) override {
    if (number > kPcNumber) return false;
    registers[number] = value;
    return true;
  }
  std::size_t debug_read_memory(std::uint32_t address, std::uint8_t* data,
                                std::size_t bytes) override {
    std::size_t done = 0;
    for (; done < bytes && address + done < memory.size(); ++done)
      data[done] = memory[address + done];
    return done;
  }
  std::size_t debug_write_memory(std::uint32_t address, const std::uint8_t* data,
                                 std::size_t bytes) override {
    std::size_t done = 0;
    for (; done < bytes && address + done < memory.size(); ++done)
      memory[address + done] = data[done];
    return done;
  }
  void debug_set_breakpoint(std::uint32_t address, bool set) override { points[address] = set; }
  void debug_set_watchpoint(const Watch& watch, bool set) override { points[watch.address] = set; }
  std::string debug_monitor(const std::string& command) override { return "heard " + command; }

  std::map<unsigned, std::uint32_t> registers{{1, 0x11223344}, {kPcNumber, 0x80000010}};
  std::array<std::uint8_t, 64> memory{1, 2, 3, 4};
  std::map<std::uint32_t, bool> points;
};

/// Lets the stub serve one stop of the program while `debugger` talks to it.
template <class Debugger>
GdbServer::Resume session(FakeTarget& target, const Debugger& debugger) {
  GdbServer server(target, 0);
  std::thread thread([&] {
    const GdbClient client(server.port());
    debugger(client);
  });
  const GdbServer::Resume resume = server.wait_for_debugger();
  thread.join();
  return resume;
}

TEST(GdbServer, RegistersAndMemory) {
  FakeTarget target;
  session(target, [](const GdbClient& gdb) {
    EXPECT_EQ(gdb.ask("?").substr(0, 3), "T05");
    EXPECT_EQ(gdb.ask("g").substr(8, 8), "44332211");
    EXPECT_EQ(gdb.ask("p20"), "10000080");
    EXPECT_EQ(gdb.ask("P2=78563412"), "OK");
    EXPECT_EQ(gdb.ask("m0,4"), "01020304");
    EXPECT_EQ(gdb.ask("M8,2:abcd"), "OK");
    EXPECT_EQ(gdb.ask("m1000,4").substr(0, 1), "E");
    gdb.send("c");
  });
  EXPECT_EQ(target.registers[2], 0x12345678u);
  EXPECT_EQ(target.memory[8], 0xAB);
  EXPECT_EQ(target.memory[9], 0xCD);
}

TEST(GdbServer, PointsGoWithTheDebugger) {
  FakeTarget target;
  session(target, [](const GdbClient& gdb) {
    EXPECT_EQ(gdb.ask("Z0,80000000,4"), "OK");
    EXPECT_EQ(gdb.ask("Z0,80000004,4"), "OK");
    EXPECT_EQ(gdb.ask("Z2,80001000,4"), "OK");
    EXPECT_EQ(gdb.ask("z0,80000004,4"), "OK");
    EXPECT_EQ(gdb.ask("D"), "OK");
  });
  EXPECT_EQ(target.points.size(), 3u);
  for (const auto& [address, set] : target.points) EXPECT_FALSE(set) << std::hex << address;
}

TEST(GdbServer, ContinueStepAndKillAreDifferent) {
  FakeTarget target;
  EXPECT_EQ(session(target, [](const GdbClient& gdb) { gdb.send("c"); }),
            GdbServer::Resume::kContinue);
  EXPECT_EQ(session(target, [](const GdbClient& gdb) { gdb.send("s"); }), GdbServer::Resume::kStep);
  EXPECT_EQ(session(target, [](const GdbClient& gdb) { gdb.send("k"); }), GdbServer::Resume::kKill);
  EXPECT_EQ(session(target, [](const GdbClient& gdb) { gdb.ask("?"); }),
            GdbServer::Resume::kContinue)
      << "gone without a word";
}

TEST(GdbServer, MonitorAndTheDescription) {
  FakeTarget target;
  session(target, [](const GdbClient& gdb) {
    EXPECT_EQ(gdb.monitor("time now"), "heard time now\n");
    const std::string xml = gdb.ask("qXfer:features:read:target.xml:0,200");
    EXPECT_EQ(xml[0], 'm');
    EXPECT_NE(xml.find("riscv:rv32"), std::string::npos);
    gdb.send("c");
  });
}

TEST(GdbServer, RubbishIsAnsweredNotObeyed) {
  FakeTarget target;
  const auto before = target.memory;
  session(target, [](const GdbClient& gdb) {
    EXPECT_EQ(gdb.ask("?").substr(0, 1), "T");
    for (const char* packet :
         {"m", "m0", "mzz,4", "M0,2:abc", "M0,99:00", "P1", "P1=12", "Gab", "pxx"}) {
      EXPECT_EQ(gdb.ask(packet).substr(0, 1), "E") << packet;
    }
    for (const char* packet : {"Z0", "Z0,zz,4"}) EXPECT_NE(gdb.ask(packet), "OK") << packet;
    EXPECT_EQ(gdb.ask("vNobody"), "");
    gdb.send("c");
  });
  EXPECT_EQ(target.memory, before);
  EXPECT_TRUE(target.points.empty());
}

}  // namespace
}  // namespace dcc::model::gdb_server_test
