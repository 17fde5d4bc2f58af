// Tests code and constants in ROM, and semihosting calls, which stop the hart.
#include <array>

#include "hart_fixture.h"

namespace dcc::riscv {
namespace {

using namespace test;  // NOLINT: instructions by their names

constexpr std::uint32_t kRom = 0x20000000;
constexpr std::uint32_t kSlli = 0x01F01013, kEbreak = 0x00100073, kSrai = 0x40705013;

class RiscvRom : public HartFixture {
 protected:
  RiscvRom() { hart_.set_rom({reinterpret_cast<std::uint8_t*>(rom_.data()), kRom, 0x2000}); }
  std::array<std::uint32_t, 0x800> rom_{};
};

TEST_F(RiscvRom, CodeRunsAndConstantsAreRead) {
  rom_[0] = lw(6, 5, 0);
  rom_[1] = addi(6, 6, 1);
  rom_[2] = sw(6, 7, 0);
  rom_[0x40] = 41;
  hart_.set_reg(5, kRom + 0x100);
  hart_.set_reg(7, kRam + 0x2000);
  hart_.set_pc(kRom);
  run(3);
  EXPECT_EQ(word(kRam + 0x2000), 42u);
  EXPECT_EQ(hart_.pc(), kRom + 12);
  EXPECT_EQ(device_loads_, 0) << "ROM is read directly";
}

TEST_F(RiscvRom, CodeGoesOverAPageAndEndsWithRom) {
  rom_[0x3FF] = addi(6, 0, 1);
  rom_[0x400] = addi(6, 6, 1);
  hart_.set_pc(kRom + 0xFFC);
  run(2);
  EXPECT_EQ(hart_.reg(6), 2u);
  rom_[0x7FF] = addi(6, 6, 1);
  hart_.set_pc(kRom + 0x1FFC);
  run(2);
  EXPECT_EQ(hart_.reg(6), 3u);
  expect_trap(Cause::kInstructionAccessFault, kRom + 0x2000, kRom + 0x2000);
}

TEST_F(RiscvRom, StoresGoToTheBusWhichRefusesThem) {
  put(kRam, {sw(6, 5, 0)});
  hart_.set_reg(5, kRom);
  hart_.set_reg(6, 7);
  run(1);
  expect_trap(Cause::kStoreAccessFault, kRam, kRom);
  EXPECT_EQ(rom_[0], 0u);
}

TEST_F(RiscvRom, RamMayMoveBesideIt) {
  rom_[0] = addi(6, 0, 5);
  hart_.set_ram({memory_.data(), kRam, kRamBytes / 2});
  hart_.set_pc(kRom);
  run(1);
  EXPECT_EQ(hart_.reg(6), 5u);
}

TEST_F(RiscvRom, ASemihostingCallStopsBehindItsEbreak) {
  put(kRam, {kSlli, kEbreak, kSrai, kNop});
  EXPECT_EQ(run(10), Stop::kSemihosting);
  EXPECT_EQ(hart_.pc(), kRam + 8);
  EXPECT_FALSE(hart_.has_trapped());
  run(2);
  EXPECT_EQ(hart_.pc(), kRam + 16);
  rom_[0] = kSlli;
  rom_[1] = kEbreak;
  rom_[2] = kSrai;
  hart_.set_pc(kRom);
  EXPECT_EQ(run(10), Stop::kSemihosting);
}

TEST_F(RiscvRom, AnEbreakAloneIsABreakpoint) {
  for (const auto& [before, behind] :
       {std::pair<Word, Word>{kSlli, kNop}, {kNop, kSrai}, {kNop, kNop}}) {
    hart_.set_pc(kRam);
    put(kRam, {before, kEbreak, behind});
    hart_.code_changed(kRam, 12);
    run(2);
    expect_trap(Cause::kBreakpoint, kRam + 4, kRam + 4);
  }
  put(kRam, {kEbreak, kSrai});  // the ebreak is the first word of RAM
  hart_.code_changed(kRam, 12);
  hart_.set_pc(kRam);
  run(1);
  expect_trap(Cause::kBreakpoint, kRam, kRam);
}

}  // namespace
}  // namespace dcc::riscv
