// Tests reverse debugging of the CPU: the requests for snapshots, and the actions after the return
// to a snapshot. tests/firmware/reverse_test.py covers real programs.
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <thread>

#include "bus.h"
#include "cpu/riscv_cpu.h"
#include "driver/memory_map.h"
#include "gdb_client.h"
#include "model_test.h"
#include "ram.h"

namespace dcc::model::reverse_debug_test {
namespace {

constexpr std::uint32_t kAddi = 0x00128293;  // instruction addi t0, t0, 1
constexpr std::uint32_t kLoop = 0xFFDFF06F;  // instruction j back to the addi instruction

/// A fake history that prints the number of the requested snapshot and ends the process instead of
/// returning to the snapshot.
class Signpost final : public SnapshotHistory {
 public:
  explicit Signpost(std::string request) : request_(std::move(request)) {}
  std::size_t snapshots() const override { return taken_; }
  bool is_due() const override { return false; }
  /// The first snapshot immediately returns a request, as after a return to it.
  std::optional<std::string> take_snapshot() override {
    if (taken_++ != 0 || request_.empty()) return std::nullopt;
    return request_;
  }
  [[noreturn]] void restore(std::size_t number, const std::string& request) override {
    std::cerr << "to " << number << ": " << request;
    std::_Exit(0);
  }
  bool replaying() const override { return false; }
  void finish_replay() override { std::cerr << "arrived, "; }

 private:
  std::string request_;
  std::size_t taken_ = 0;
};

/// Lets `debugger` talk to a CPU that counts without end. The function ends this process when the
/// CPU asks for a snapshot or when the debugger has finished, so call it in a separate process.
template <class Debugger>
void debug(const std::string& request, const Debugger& debugger) {
  RiscvCpuConfig config;
  config.ram_base = DCC_RAM_BASE;
  config.ram_bytes = 0x4000;
  Bus bus("bus", sc_core::SC_ZERO_TIME);
  Ram ram("ram", 0x4000, sc_core::SC_ZERO_TIME);
  RiscvCpu cpu("cpu", config);
  Signpost signpost(request);
  bus.attach(ram.socket, DCC_RAM_BASE, 0x4000, "ram");
  cpu.socket.bind(bus.in);
  std::memcpy(ram.data(), &kAddi, 4);
  std::memcpy(ram.data() + 4, &kLoop, 4);
  cpu.set_program(DCC_RAM_BASE, nullptr);
  cpu.debug().set_history(&signpost);
  cpu.debug().enable(0, true);
  std::thread thread([&] {
    debugger(GdbClient(cpu.debug().port()));
    std::_Exit(0);
  });
  sc_core::sc_start();
}

#define EXPECT_SAID(call, text) EXPECT_EXIT(call, testing::ExitedWithCode(0), text)

TEST(ReverseDebug, AStepBackEndsOneInstructionEarlier) {
  EXPECT_SAID(debug("",
                    [](const GdbClient& gdb) {
                      for (int i = 0; i < 3; ++i) gdb.ask("s");
                      gdb.ask("bs");
                    }),
              "^to 0: 0 2 0 \n1 0\n");
}

TEST(ReverseDebug, RunningBackLooksForTheLastStopAndTakesThePointsAlong) {
  EXPECT_SAID(debug("",
                    [](const GdbClient& gdb) {
                      gdb.ask("Z0,80000004,4");
                      gdb.ask("c");
                      gdb.ask("c");
                      gdb.ask("bc");
                    }),
              "^to 0: 1 3 0 \n1 1 0 2147483652 4\n");
}

TEST(ReverseDebug, WhatTheDebuggerWroteIsInASnapshotOfItsOwn) {
  EXPECT_SAID(debug("",
                    [](const GdbClient& gdb) {
                      gdb.ask("s");
                      gdb.ask("P5=64000000");
                      gdb.ask("s");
                      gdb.ask("bs");
                    }),
              "^to 1: 0 1 0 \n");
}

TEST(ReverseDebug, BeforeTheFirstInstructionNothingIsKnown) {
  EXPECT_SAID(debug("",
                    [](const GdbClient& gdb) {
                      std::cerr << gdb.ask("bs") << ' ' << gdb.ask("bc") << ' ' << gdb.ask("p20");
                    }),
              "^T05thread:1;replaylog:begin; T05thread:1;replaylog:begin; 00000080$");
}

TEST(ReverseDebug, BackAtASnapshotItGoesOnToTheInstruction) {
  EXPECT_SAID(debug("0 7 0 \n1 0\n",
                    [](const GdbClient& gdb) {
                      std::cerr << gdb.ask("c") << ' ' << gdb.ask("p20") << ' ' << gdb.ask("p5");
                    }),
              "^arrived, T05thread:1; 04000080 04000000$");
}

TEST(ReverseDebug, ASearchGoesToTheLastStopBefore) {
  EXPECT_SAID(debug("1 7 0 \n1 1 0 2147483652 4\n", [](const GdbClient& gdb) { gdb.ask("c"); }),
              "^to 0: 0 5 2147483652 \n1 1 0 2147483652 4\n");
}

TEST(ReverseDebug, ASearchThatFindsNothingEndsAtTheBeginning) {
  EXPECT_SAID(debug("1 7 0 \n1 0\n", [](const GdbClient& gdb) { gdb.ask("c"); }),
              "^to 0: 0 0 0 replaylog:begin;\n");
}

}  // namespace
}  // namespace dcc::model::reverse_debug_test
