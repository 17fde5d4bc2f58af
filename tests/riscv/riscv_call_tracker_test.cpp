// Tests the call tracker with small programs on the hart: calls, returns, tail calls and traps.
#include <algorithm>

#include "hart_fixture.h"
#include "riscv/call_tracker.h"

namespace dcc::riscv {
namespace {

using namespace test;

class Recorder final : public CallSink {
 public:
  void enter(std::uint64_t, const std::string& function) override { text += "(" + function + " "; }
  void leave(std::uint64_t) override { text += ")"; }
  std::string text;
};

constexpr Word kNop = 0x00000013;
constexpr Word kRet = 0x00008067;

class CallTrackerTest : public HartFixture {
 protected:
  CallTrackerTest() {
    symbols_.add({"main", kRam, 0x100, true});
    symbols_.add({"outer", kRam + 0x100, 0x100, true});
    symbols_.add({"inner", kRam + 0x200, 0x100, true});
    symbols_.add({"handler", kHandler, 0x100, true});
    symbols_.sort();
  }
  void trace(int instructions) {
    CallTracker tracker(recorder_, &symbols_);
    for (int i = 0; i < instructions; ++i) {
      const std::uint32_t before = hart_.pc();
      if (hart_.take_interrupt()) tracker.interrupted(before, hart_.pc(), 0);
      const std::uint32_t pc = hart_.pc();
      DecodedOp op;
      hart_.instruction_at(pc, op);
      const std::uint64_t traps = hart_.steps() - hart_.retired();
      hart_.step();
      tracker.executed(op, pc, hart_.pc(), hart_.steps() - hart_.retired() != traps, 0);
    }
    open_ = recorder_.text;
    tracker.finish(0);
  }
  static Word call(std::uint32_t from, std::uint32_t to) {
    return enc_j(static_cast<std::int32_t>(to - from), 1);
  }

  SymbolTable symbols_;
  Recorder recorder_;
  std::string open_;
};

TEST_F(CallTrackerTest, NestedCallsReturnToTheirCallers) {
  put(kRam, {call(kRam, kRam + 0x100), kNop, call(kRam + 8, kRam + 0x200), kNop});
  // Function outer: mv s0, ra; call inner; mv ra, s0; ret.
  put(kRam + 0x100, {enc_i(0, 1, 0, 8), call(kRam + 0x104, kRam + 0x200), enc_i(0, 8, 0, 1), kRet});
  put(kRam + 0x200, {kNop, kRet});
  trace(12);
  EXPECT_EQ(recorder_.text, "(main (outer (inner ))(inner ))");
}

TEST_F(CallTrackerTest, ATailCallReplacesItsCaller) {
  put(kRam, {call(kRam, kRam + 0x100), kNop});
  put(kRam + 0x100, {enc_j(0x100, 0)});  // a tail call: jumps to inner
  put(kRam + 0x200, {kRet});
  trace(4);
  EXPECT_EQ(recorder_.text, "(main (outer )(inner ))");
}

TEST_F(CallTrackerTest, JumpsWithinAFunctionAreNoCalls) {
  put(kRam, {enc_j(8, 0), kNop, enc_j(-4, 0)});
  trace(8);
  EXPECT_EQ(recorder_.text, "(main )");
}

TEST_F(CallTrackerTest, ATrapIsACallThatMretEnds) {
  put(kRam, {0x00000073, kNop, kNop});  // instruction ecall
  // The trap handler calls inner, adds 4 to mepc, and executes mret.
  put(kHandler, {call(kHandler, kRam + 0x200), enc_i(csr::kMepc, 0, 2, 5, 0x73), enc_i(4, 5, 0, 5),
                 enc_i(csr::kMepc, 5, 1, 0, 0x73), 0x30200073});
  put(kRam + 0x200, {kRet});
  trace(8);
  EXPECT_EQ(open_, "(main (handler (inner ))");
  EXPECT_EQ(hart_.pc(), kRam + 8);
}

TEST_F(CallTrackerTest, AnInterruptMayHitAnywhere) {
  hart_.write_csr(csr::kMie, 1u << 7);
  hart_.write_csr(csr::kMstatus, 8);
  put(kRam, {call(kRam, kRam + 0x200), kNop});
  put(kRam + 0x200, {kNop, kRet});
  put(kHandler, {enc_i(csr::kMie, 0, 1, 0, 0x73), 0x30200073});
  hart_.set_interrupt_line(Cause::kMachineTimer, true);
  trace(6);
  EXPECT_EQ(recorder_.text, "(main (handler )(inner ))");
}

TEST_F(CallTrackerTest, RecursionBeyondTheLimitComesBackWhole) {
  // Emulates a deep recursion without a stack: the test passes decoded calls and returns to the
  // tracker directly.
  Recorder recorder;
  CallTracker tracker(recorder, &symbols_);
  DecodedOp jal;
  jal.op = Op::kJal;
  jal.rd = 1;
  DecodedOp ret;
  ret.op = Op::kJalr;
  const int depth = static_cast<int>(CallTracker::kMaxFrames) + 50;
  for (int i = 0; i < depth; ++i) tracker.executed(jal, kRam + 0x110, kRam + 0x100, false, 0);
  for (int i = 0; i < depth; ++i) tracker.executed(ret, kRam + 0x120, kRam + 0x114, false, 0);
  const auto count = [&](char c) {
    return std::count(recorder.text.begin(), recorder.text.end(), c);
  };
  EXPECT_EQ(count('('), static_cast<long>(CallTracker::kMaxFrames));
  EXPECT_EQ(count(')'), static_cast<long>(CallTracker::kMaxFrames) - 1) << "all but the first";
  tracker.finish(0);
  EXPECT_EQ(count('('), count(')'));
}

TEST_F(CallTrackerTest, WithoutSymbolsAddressesShow) {
  Recorder recorder;
  CallTracker tracker(recorder, nullptr);
  tracker.executed(DecodedOp{}, 0x80000000, 0x80000004, false, 0);
  EXPECT_EQ(recorder.text, "(0x80000000 ");
}

}  // namespace
}  // namespace dcc::riscv
