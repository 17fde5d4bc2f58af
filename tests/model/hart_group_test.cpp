// Tests two harts that share a RAM: the events that end a reservation, and the end of the program
// for both harts.
#include "cpu/hart_group.h"

#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "bus.h"
#include "cpu/riscv_cpu.h"
#include "driver/memory_map.h"
#include "model_test.h"
#include "ram.h"
#include "word_target.h"

namespace dcc::model::hart_group_test {
namespace {

constexpr std::uint32_t kDevice = 0x10010000;

/// A device whose accesses take 100 ns. A write to its first word ends the program on the hart
/// `ends`.
class Device final : public WordTarget {
 public:
  explicit Device(const sc_core::sc_module_name& name)
      : WordTarget(name, sc_core::sc_time(100, sc_core::SC_NS)) {}
  RiscvCpu* ends = nullptr;

 private:
  tlm::tlm_response_status write(std::uint32_t offset, std::uint32_t value) override {
    if (offset == 0) ends->exit(value);
    return tlm::TLM_OK_RESPONSE;
  }
  std::optional<std::uint32_t> peek(std::uint32_t) const override { return 0; }
};

class HartGroupTest : public ModelTest {
 protected:
  HartGroupTest() {
    bus_.attach(ram_.socket, DCC_RAM_BASE, 0x4000, "ram");
    bus_.attach(device_.socket, kDevice, 0x1000, "device");
    for (std::uint32_t id = 0; id < 2; ++id) {
      RiscvCpuConfig config;
      config.ram_base = DCC_RAM_BASE;
      config.ram_bytes = 0x4000;
      config.hart_id = id;
      config.group = &group_;
      harts_.push_back(std::make_unique<RiscvCpu>(id == 0 ? "hart0" : "hart1", config));
      harts_.back()->socket.bind(bus_.in);
      harts_.back()->set_program(DCC_RAM_BASE, nullptr);
      harts_.back()->set_end_handler([this] { ended_.notify(sc_core::SC_ZERO_TIME); });
    }
  }
  /// Lets both harts run the program until it ends on the hart `ends`.
  void run(const std::vector<std::uint32_t>& program, std::size_t ends) {
    std::memcpy(ram_.data(), program.data(), program.size() * sizeof program[0]);
    device_.ends = harts_[ends].get();
    simulate([this, ends] {
      if (harts_[ends]->state() == RiscvCpu::State::kRunning) sc_core::wait(ended_);
    });
  }
  /// Hart 0 reserves the word at 0x2000 of RAM, writes to the device, stores conditionally, and
  /// ends the program with the result. Meanwhile hart 1 executes the instruction `store`.
  std::uint32_t conditional_store(std::uint32_t store) {
    run({0x00051E63,   // bnez a0, hart 1's part
         0x80002E37,   // lui t3, 0x80002
         0x100102B7,   // lui t0, 0x10010
         0x100E232F,   // lr.w t1, (t3)
         0x0062A223,   // sw t1, 4(t0)
         0x180E232F,   // sc.w t1, zero, (t3)
         0x0062A023,   // sw t1, 0(t0)
         0x80002E37,   // hart 1: lui t3, 0x80002
         store,        // the store that hart 1 executes
         0x0000006F},  // j to itself
        0);
    EXPECT_EQ(group_.ended_by(), 0u);
    return harts_[0]->exit_code();
  }

  HartGroup group_;
  Bus bus_{"bus", sc_core::SC_ZERO_TIME};
  Ram ram_{"ram", 0x4000, sc_core::SC_ZERO_TIME};
  Device device_{"device"};
  std::vector<std::unique_ptr<RiscvCpu>> harts_;
  sc_core::sc_event ended_;
};

TEST_F(HartGroupTest, AnotherHartsStoreEndsAReservation) {
  EXPECT_EQ(conditional_store(0x000E2023), 1u) << "sw zero, 0(t3): the conditional store fails";
}

TEST_F(HartGroupTest, AStoreElsewhereLeavesAReservation) {
  EXPECT_EQ(conditional_store(0x400E2023), 0u) << "sw zero, 1024(t3): the conditional store works";
}

TEST_F(HartGroupTest, AHartsOwnStoreLeavesItsReservation) {
  // Hart 0 holds a reservation in the page while it waits for the device, so that hart 1 must
  // report its stores to that page.
  run({0x00051C63,   // bnez a0, hart 1's part
       0x80002E37,   // lui t3, 0x80002
       0x100102B7,   // lui t0, 0x10010
       0x100E232F,   // lr.w t1, (t3)
       0x0062A223,   // sw t1, 4(t0)
       0x0000006F,   // j to itself
       0x80002E37,   // hart 1: lui t3, 0x80002
       0x040E0E13,   // addi t3, t3, 64
       0x100102B7,   // lui t0, 0x10010
       0x100E232F,   // lr.w t1, (t3)
       0x006E2023,   // sw t1, 0(t3): stores the value that is there already
       0x180E232F,   // sc.w t1, zero, (t3)
       0x0062A023},  // sw t1, 0(t0)
      1);
  EXPECT_EQ(harts_[1]->exit_code(), 0u) << "the conditional store works";
}

TEST_F(HartGroupTest, AByteOfTheWordEndsOneReservationOnly) {
  run({0x02051263,   // bnez a0, hart 1's part
       0x80002E37,   // lui t3, 0x80002
       0x100102B7,   // lui t0, 0x10010
       0x100E232F,   // lr.w t1, (t3)
       0x0062A223,   // sw t1, 4(t0)
       0x180E232F,   // sc.w t1, zero, (t3): fails, since hart 1 has stored
       0x100E23AF,   // lr.w t2, (t3)
       0x180E23AF,   // sc.w t2, zero, (t3): succeeds without another store
       0x0062A023,   // sw t1, 0(t0)
       0x80002E37,   // hart 1: lui t3, 0x80002
       0x000E0123,   // sb zero, 2(t3)
       0x0000006F},  // j to itself
      0);
  EXPECT_EQ(harts_[0]->exit_code(), 1u);
  EXPECT_EQ(harts_[0]->hart().reg(7), 0u) << "t2";
}

TEST_F(HartGroupTest, HartsThatAllWaitForEverEndTheProgram) {
  run({0x0000006F}, 1);  // instruction j to itself
  for (const auto& hart : harts_) EXPECT_EQ(hart->state(), RiscvCpu::State::kDead);
  EXPECT_EQ(group_.ended_by(), 1u) << "hart 0 waits while hart 1 still runs";
}

TEST_F(HartGroupTest, TheEndOnOneHartIsTheEndOnAll) {
  run({0x00051463,   // bnez a0, hart 1's part
       0x0000006F,   // j to itself
       0x100102B7,   // hart 1: lui t0, 0x10010
       0x00700313,   // li t1, 7
       0x0062A023,   // sw t1, 0(t0)
       0x0000006F},  // j to itself
      1);
  EXPECT_EQ(group_.ended_by(), 1u);
  for (const auto& hart : harts_) {
    EXPECT_EQ(hart->state(), RiscvCpu::State::kExited);
    EXPECT_EQ(hart->exit_code(), 7u);
  }
}

}  // namespace
}  // namespace dcc::model::hart_group_test
