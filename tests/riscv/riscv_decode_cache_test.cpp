// Tests code that changes while the hart runs, page ends, breakpoints, watchpoints, and exact
// instruction budgets.
#include "hart_fixture.h"

namespace dcc::riscv::test::decode_cache_tests {
namespace {

class RiscvDecodeCache : public HartFixture {};

TEST_F(RiscvDecodeCache, OwnStoresChangeCodeAtOnce) {
  // A loop rewrites the immediate of the addi instruction before it.
  put(kRam, {addi(6, 6, 1), sw(7, 5, 0), addi(8, 8, 1), enc_j(-12, 0)});
  hart_.set_reg(5, kRam);
  hart_.set_reg(7, addi(6, 6, 100));
  run(4 + 1);
  EXPECT_EQ(hart_.reg(6), 101u);
}

TEST_F(RiscvDecodeCache, NextInstructionMayBeTheOneRewritten) {
  put(kRam, {sw(7, 5, 4), addi(6, 6, 1), enc_j(-8, 0)});
  run(0);
  hart_.set_reg(5, kRam);
  hart_.set_reg(7, addi(6, 6, 1));
  run(3);  // decodes all instructions
  hart_.set_reg(7, addi(6, 6, 16));
  run(2);
  EXPECT_EQ(hart_.reg(6), 17u);
}

TEST_F(RiscvDecodeCache, StoreOntoItselfIsDoneOnce) {
  put(kRam, {sw(7, 5, 0), addi(6, 6, 1), addi(6, 6, 10)});
  hart_.set_reg(5, kRam);
  hart_.set_reg(7, addi(6, 6, 100));
  run(2);
  EXPECT_EQ(hart_.reg(6), 1u);
  EXPECT_EQ(hart_.pc(), kRam + 8);
  hart_.set_pc(kRam);
  run(1);
  EXPECT_EQ(hart_.reg(6), 101u);
}

TEST_F(RiscvDecodeCache, ShortStoreMayRewriteWhatFollowsIt) {
  // instructions c.sw a5, 4(a3) and c.addi t1, 1
  constexpr Word kStoreWord = 0xC2DC, kAddOne = 0x0305;
  put16(kRam, {0x0001, kStoreWord, kAddOne, kAddOne, kAddOne});
  hart_.set_reg(13, kRam);
  hart_.set_reg(15, 0x0325'0315);  // instructions c.addi t1, 5 and c.addi t1, 9 in one word
  run(4);
  EXPECT_EQ(hart_.reg(6), 14u);
  EXPECT_EQ(hart_.pc(), kRam + 8);
}

TEST_F(RiscvDecodeCache, AtomicOntoItselfWritesItsRegister) {
  put(kRam, {amo(0x01, 6, 5, 7), kNop, kNop});  // the store is an amoswap.w
  const Word itself = word(kRam);
  hart_.set_reg(5, kRam);
  hart_.set_reg(7, kNop);
  run(2);
  EXPECT_EQ(hart_.reg(6), itself);
  EXPECT_EQ(word(kRam), kNop);
  EXPECT_EQ(hart_.pc(), kRam + 8);
}

TEST_F(RiscvDecodeCache, HalfwordStoreIntoTheSecondHalf) {
  put(kRam, {addi(6, 0, 1), enc_s(2, 7, 5, 1), enc_j(-8, 0)});
  hart_.set_reg(5, kRam);
  hart_.set_reg(7, addi(6, 0, 0x123) >> 16);
  run(4);
  EXPECT_EQ(hart_.reg(6), 0x123u);
}

TEST_F(RiscvDecodeCache, ByteStoreIntoTheLastByte) {
  put(kRam, {addi(6, 0, 1), enc_s(3, 7, 5, 0), enc_j(-8, 0)});
  hart_.set_reg(5, kRam);
  hart_.set_reg(7, addi(6, 0, 0x120) >> 24);
  run(4);
  EXPECT_EQ(hart_.reg(6), 0x121u);
}

TEST_F(RiscvDecodeCache, InstructionAcrossTwoPagesIsWatchedInBoth) {
  const std::uint32_t at = kRam + 0x1000 - 2;
  const Word code = addi(6, 6, 1);
  put16(at, {code & 0xFFFF, code >> 16});
  put(at + 4, {sw(7, 5, 0)});       // the address of the code is no multiple of 4
  hart_.set_reg(5, kRam + 0x1000);  // the store overwrites half of the addi and half of the sw
  Word changed = 0;
  std::memcpy(&changed, memory_.data() + 0x1000, 4);
  changed = (changed & 0xFFFF0000u) | addi(6, 6, 50) >> 16;
  hart_.set_reg(7, changed);
  hart_.set_pc(at);
  run(2);
  EXPECT_EQ(hart_.reg(6), 1u);
  hart_.set_pc(at);
  run(1);
  EXPECT_EQ(hart_.reg(6), 51u);
}

TEST_F(RiscvDecodeCache, FenceIShowsWhatOthersWrote) {
  put(kRam, {addi(6, 0, 1), kFenceI});
  run(1);
  put(kRam, {addi(6, 0, 2)});  // a device writes memory without the hart's knowledge
  hart_.set_pc(kRam);
  run(1);
  EXPECT_EQ(hart_.reg(6), 1u) << "not before a fence.i";
  run(1);
  hart_.set_pc(kRam);
  run(1);
  EXPECT_EQ(hart_.reg(6), 2u);
}

TEST_F(RiscvDecodeCache, RunsOverPageEnds) {
  for (std::uint32_t at = kRam; at < kRam + 0x4000; at += 4) put(at, {addi(6, 6, 1)});
  run(0x1000);
  EXPECT_EQ(hart_.reg(6), 0x1000u);
  EXPECT_EQ(hart_.pc(), kRam + 0x4000);
  // The same code at an address that is shifted by a halfword, so that instructions cross word
  // boundaries.
  hart_.reset(kRam + 2);
  for (std::uint32_t at = kRam + 2; at < kRam + 0x4000; at += 4) put(at, {addi(6, 6, 1)});
  run(0xFFF);
  EXPECT_EQ(hart_.reg(6), 0xFFFu);
}

TEST_F(RiscvDecodeCache, BudgetIsExact) {
  for (std::uint32_t at = kRam; at < kRam + 0x2000; at += 4) put(at, {kNop});
  for (std::uint64_t n = 0; n < 40; ++n) {
    const std::uint64_t before = hart_.steps();
    EXPECT_EQ(run(n), Stop::kBudget);
    EXPECT_EQ(hart_.steps() - before, n);
  }
}

TEST_F(RiscvDecodeCache, BreakpointStopsBeforeAndStepPassesIt) {
  put(kRam, {addi(5, 5, 1), addi(5, 5, 1), enc_j(-8, 0)});
  hart_.add_breakpoint(kRam + 4);
  EXPECT_EQ(run(100), Stop::kBreakpoint);
  EXPECT_EQ(hart_.pc(), kRam + 4);
  EXPECT_EQ(hart_.reg(5), 1u);
  EXPECT_EQ(run(100), Stop::kBreakpoint) << "still there";
  EXPECT_EQ(hart_.steps(), 1u);
  EXPECT_EQ(hart_.step(), Stop::kBudget);
  EXPECT_EQ(hart_.reg(5), 2u);
  EXPECT_EQ(run(100), Stop::kBreakpoint) << "hit again the next time round";
  EXPECT_EQ(hart_.reg(5), 3u);
  hart_.remove_breakpoint(kRam + 4);
  EXPECT_EQ(run(100), Stop::kBudget);
}

TEST_F(RiscvDecodeCache, BreakpointSetOnDecodedCode) {
  put(kRam, {addi(5, 5, 1), enc_j(-4, 0)});
  run(10);
  hart_.add_breakpoint(kRam);
  EXPECT_EQ(run(10), Stop::kBreakpoint);
}

TEST_F(RiscvDecodeCache, WatchpointsOnStoresAndLoads) {
  put(kRam, {sw(6, 5, 0), lw(7, 5, 0), sw(6, 5, 4), lw(7, 5, 4)});
  hart_.set_reg(5, kRam + 0x2000);
  hart_.add_watchpoint({kRam + 0x2001, 1, false, true});
  hart_.add_watchpoint({kRam + 0x2004, 4, true, false});
  EXPECT_EQ(run(10), Stop::kWatchpoint);
  EXPECT_EQ(hart_.pc(), kRam + 4) << "behind the store";
  EXPECT_EQ(hart_.watch_hit().address, kRam + 0x2001);
  EXPECT_EQ(run(10), Stop::kWatchpoint);
  EXPECT_EQ(hart_.pc(), kRam + 16);
}

TEST_F(RiscvDecodeCache, MailboxStoreStops) {
  hart_.set_mailbox(kRam + 0x2000);
  put(kRam, {sw(6, 5, 4), sw(6, 5, 0), kNop});
  hart_.set_reg(5, kRam + 0x2000);
  hart_.set_reg(6, 3);
  EXPECT_EQ(run(10), Stop::kMailbox);
  EXPECT_EQ(hart_.pc(), kRam + 8);
  EXPECT_EQ(word(kRam + 0x2000), 3u);
}

TEST_F(RiscvDecodeCache, WithoutDirectMemoryEverythingGoesOverTheBus) {
  hart_.set_ram({nullptr, kRam, kRamBytes});
  put(kRam, {lw(6, 5, 0), addi(7, 0, 5)});
  hart_.set_reg(5, kDevice);
  device_[0] = 9;
  run(2);
  EXPECT_EQ(hart_.reg(6), 9u);
  EXPECT_EQ(hart_.reg(7), 5u);
  EXPECT_EQ(device_loads_, 1);
}

TEST_F(RiscvDecodeCache, RequestedStopComesAfterTheInstruction) {
  on_access_ = [this] { hart_.request_stop(); };
  put(kRam, {sw(6, 5, 0), kNop, kNop});
  hart_.set_reg(5, kDevice);
  EXPECT_EQ(run(10), Stop::kRequested);
  EXPECT_EQ(hart_.pc(), kRam + 4);
  EXPECT_EQ(run(2), Stop::kBudget);
}

}  // namespace
}  // namespace dcc::riscv::test::decode_cache_tests
