// Tests the pins of the rate unit's RTL: results equal to the core's model bit by bit, one result
// per cycle, back-pressure without loss, tables, and an error bound against real numbers.
#include "rate_dut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "controller/rate_unit.h"
#include "driver/dcc_regs.h"
#include "rate_answer.h"
#include "rate_bench.h"
#include "rate_pins.h"

namespace dcc {
namespace {

/// The rate unit under test and the expected responses.
class RateDutTest : public testing::Test {
 protected:
  RateDutTest() { restart(1); }

  void restart(std::uint32_t seed) {
    unit = make_checked_rate_dut(seed);
    tables = RateTables();
    registers = RateRegisters();
    unit->set_registers(registers);
    inside.clear();
    for (sweep = 0; !unit->cycle(RateInputs{}).init_done; ++sweep) ASSERT_LT(sweep, 1000);
  }
  void set(const RateRegisters& values) { unit->set_registers(registers = values); }
  void write(RateTable table, std::uint32_t index, std::uint32_t word) {
    RateInputs in = pins(table, index);
    in.tbl_write = true;
    in.tbl_wdata = word;
    ASSERT_TRUE(unit->cycle(in).tbl_ready) << "a write waits for nothing";
    tables.write(table, index, word);
  }
  std::uint32_t read(RateTable table, std::uint32_t index) {
    RateInputs in = pins(table, index);
    for (int i = 0; i <= 16; ++i) {
      const RateOutputs out = unit->cycle(in);
      if (out.tbl_ready) return out.tbl_rdata;
    }
    ADD_FAILURE() << "a read of an idle unit takes longer than the pipeline";
    return 0;
  }
  /// Runs one cycle, in which the unit may accept a request and may give a response.
  RateOutputs step(const RateInputs& in) {
    const RateOutputs out = unit->cycle(in);
    if (out.rsp_valid && in.rsp_ready) {
      ++answered;
      if (inside.empty()) {
        ADD_FAILURE() << "a response that nobody asked for";
        return out;
      }
      const auto [asked, answer] = inside.front();
      inside.pop_front();
      EXPECT_TRUE(agrees(out, answer)) << described(asked) << ": " << compared(out, answer);
    }
    if (in.req_valid && out.req_ready)
      inside.emplace_back(in, expected_answer(in, registers, tables));
    return out;
  }
  void drain() {
    RateInputs in;
    in.rsp_ready = true;
    for (std::uint32_t i = 0; i < kRateLatency; ++i) step(in);
    EXPECT_TRUE(inside.empty()) << inside.size() << " requests without a response";
  }

  std::unique_ptr<RateDut> unit;
  RateTables tables;
  RateRegisters registers;
  std::deque<std::pair<RateInputs, RateAnswer>> inside;
  std::uint64_t answered = 0;
  int sweep = 0;
};

TEST_F(RateDutTest, SweepsItsTablesAfterReset) {
  // each seed fills the memories with other contents
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    restart(seed);
    EXPECT_EQ(sweep, 129);
    for (int i = 0; i < kRateTables; ++i) {
      const auto table = static_cast<RateTable>(i);
      for (std::uint32_t k = 0; k < entries(table); ++k) {
        ASSERT_EQ(read(table, k), tables.read(table, k)) << "table " << i << " entry " << k;
      }
    }
  }
}

TEST_F(RateDutTest, TakesNothingBeforeTheSweepIsOver) {
  unit->reset();
  RateInputs in = pins(DecreaseRequest{});
  in.tbl_valid = in.tbl_write = true;
  for (int i = 0; i < 129; ++i) {
    const RateOutputs out = unit->cycle(in);
    ASSERT_FALSE(out.init_done || out.req_ready || out.tbl_ready || out.rsp_valid) << i;
  }
  EXPECT_TRUE(unit->cycle(in).req_ready);
}

TEST_F(RateDutTest, TablesHoldWhatIsWritten) {
  RateRandom random(11);
  for (int n = 0; n < 6000 && !HasFailure(); ++n) {
    const auto table = static_cast<RateTable>(random.below(kRateTables));
    // An index slightly beyond the end of the table, or an index whose low bits select another
    // entry.
    const std::uint32_t index =
        random.one_in(20) ? random.below(512) : random.below(entries(table) + 2);
    write(table, index, random.table_word(table));
    const auto other = static_cast<RateTable>(random.below(kRateTables));
    const std::uint32_t where = random.one_in(2) ? index : random.below(512);
    EXPECT_EQ(read(other, where), tables.read(other, where))
        << "table " << static_cast<int>(other) << " entry " << where;
  }
  for (std::uint8_t none : {6, 7}) {
    RateInputs in;
    in.tbl_valid = in.tbl_write = true;
    in.tbl_table = none;
    in.tbl_wdata = 0xFFFFFFFF;
    EXPECT_TRUE(unit->cycle(in).tbl_ready);
    EXPECT_EQ(read(static_cast<RateTable>(none), 0), 0u);
  }
  for (int i = 0; i < kRateTables; ++i) {
    const auto table = static_cast<RateTable>(i);
    for (std::uint32_t k = 0; k < entries(table); ++k) {
      ASSERT_EQ(read(table, k), tables.read(table, k)) << "table " << i << " entry " << k;
    }
  }
}

TEST_F(RateDutTest, OneResultACycle) {
  RateRandom random(5);
  constexpr std::uint32_t kRequests = 20'000;
  std::uint32_t cycles = 0, first_answer = 0;
  for (; answered < kRequests; ++cycles) {
    RateInputs in;
    if (cycles < kRequests)
      in = random.one_in(2) ? pins(random.decrease()) : pins(random.increase());
    in.rsp_ready = true;
    const RateOutputs out = step(in);
    ASSERT_TRUE(out.req_ready);
    if (first_answer == 0 && answered != 0) first_answer = cycles;
    ASSERT_LT(cycles, 2 * kRequests);
  }
  EXPECT_EQ(first_answer, kRateLatency);
  EXPECT_EQ(cycles, kRequests + kRateLatency);
}

TEST_F(RateDutTest, RandomRequestsUnderBackPressure) {
  RateBench bench(*unit, 42);
  const RateBenchCounts met = bench.run(120);
  RecordProperty("answers", static_cast<int>(met.answers));
  EXPECT_GT(met.answers, 50'000u);
  EXPECT_GT(met.stalled, 10'000u);
  EXPECT_GT(met.reads, 1000u);
  EXPECT_GT(met.writes, 1000u);
  EXPECT_GT(met.least, 1000u);
  EXPECT_GT(met.at_maximum, 1000u);
}

#ifdef DCC_HAVE_RATE_NETLIST
// The gate netlist gives the same responses in the same cycles as the RTL, for any initial memory
// contents.
TEST(RateNetlistTest, AnswersAsTheModel) {
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    const auto gates = make_netlist_rate_dut(seed);
    RateBench bench(*gates, seed);
    EXPECT_GT(bench.run(8).answers, 3000u);
  }
}
#endif

// Checks the test bench itself: it must detect each fault that can be injected at the pins.
TEST(RateBenchTest, SeesInjectedFaults) {
  for (const RateFault fault : {RateFault::kRateBit, RateFault::kLostWrite, RateFault::kStage}) {
    const auto unit = make_rtl_rate_dut(fault);
    RateBench bench(*unit, 1);
    EXPECT_THROW(bench.run(3), RateMismatch) << static_cast<int>(fault);
  }
  const auto unit = make_rtl_rate_dut();
  EXPECT_NO_THROW(RateBench(*unit, 1).run(3));
}

// Combines the minimum and maximum of each input, with registers and factors at their minimum and
// maximum.
TEST_F(RateDutTest, Corners) {
  const std::uint32_t rates[] = {0, 1, 0x7FFFFFFF, 0xFFFFFFFF};
  const std::uint32_t factors[] = {0, 1, kNeutralDecrease << 16 | kNeutralIncrease, 0xFFFFFFFF};
  RateRandom random(3);
  for (std::uint32_t k = 0; k < kDecreaseEntries; ++k) {
    // the steepest slopes between entries, rising and falling
    write(RateTable::kDecrease, k, k % 2 == 0 ? 0 : kOne16);
  }
  const auto send = [this](RateInputs in) {
    in.rsp_ready = true;
    ASSERT_TRUE(step(in).req_ready);
  };
  for (int variant = 0; variant < 64 && !HasFailure(); ++variant) {
    RateRegisters r;
    r.law = (variant & 1) != 0;
    r.cut_by_marks = (variant & 2) != 0;
    r.mark_shift = (variant & 4) != 0 ? DCC_MARK_SHIFT_VALUE_MAX : 0;
    r.g = r.mi = (variant & 8) != 0 ? 0xFFFF : 0;
    r.r_ai = r.r_hai = (variant & 16) != 0 ? 0xFFFFFFFF : 1;
    r.first_cut = (variant & 32) != 0 ? kOne16 : 0;
    r.r_min = 1;
    r.r_max = variant % 3 == 0 ? 0xFFFFFFFF : variant % 3 == 1 ? 1 : 0x7FFFFFFF;
    r.alpha_recip = variant % 5 == 0 ? 0xFFFFFFFF : 1u << 20;
    drain();
    set(r);
    for (const std::uint32_t factor : factors) {
      drain();
      write(RateTable::kFactor, 63, factor);
      write(RateTable::kFloor, 63, rates[random.below(4)]);
      write(RateTable::kCeiling, 63, rates[random.below(4)]);
      for (const std::uint32_t rc : rates) {
        for (const std::uint32_t rt : rates) {
          for (int stage = 0; stage < 3; ++stage) {
            send(pins(IncreaseRequest{rc, rt, 63, static_cast<IncreaseStage>(stage)}));
          }
        }
        for (const std::uint32_t alpha : {0u, 1u, 32768u, 65535u, 65536u}) {
          for (const std::uint32_t delta : {0u, kMaxDelta}) {
            for (const std::uint8_t marks : {0, 1, 255}) {
              for (const bool first : {false, true}) {
                for (const std::uint32_t rt : {0u, 0x40000000u, 0xFFFFFFFFu}) {
                  send(pins(DecreaseRequest{rc, rt, alpha, delta, 63, marks, first}));
                }
              }
            }
          }
        }
      }
    }
  }
  drain();
  EXPECT_EQ(answered, 64u * 4 * 4 * (4 * 3 + 5 * 2 * 3 * 2 * 3));
}

// Compares rate cuts and increases with DCQCN's formulas in real numbers. The difference must lie
// within the rounding error.
TEST_F(RateDutTest, RealNumbers) {
  using Real = long double;
  constexpr Real kOne = 65536;
  const Real g = 256 / kOne;
  RateRegisters r;
  r.r_min = 1;
  r.r_max = 0xFFFFFFFF;
  r.mi = 983;
  set(r);
  const auto fraction = [](Real x) { return static_cast<std::uint32_t>(std::floor(x + 0.5L)); };
  for (std::uint32_t i = 0; i < 64; ++i) {
    write(RateTable::kDecayHi, i, fraction(kOne * std::pow(1 - g, 64.0L * i)));
    write(RateTable::kDecayLo, i, fraction(kOne * std::pow(1 - g, static_cast<Real>(i))));
  }
  for (std::uint32_t i = 0; i < kDecreaseEntries; ++i) {
    write(RateTable::kDecrease, i, fraction(kOne * (1 - i / 512.0L)));
  }
  write(RateTable::kFactor, 9, 2048u << 16 | 512);  // factors for a class of weight 2
  RateRandom random(77);
  for (int n = 0; n < 4000 && !HasFailure(); ++n) {
    DecreaseRequest cut = random.decrease();
    cut.dscp = 9;
    cut.first = false;
    cut.rc = 1000 + random.word() % 0x40000000;
    IncreaseRequest rise = random.increase();
    rise.dscp = 9;
    rise.rc = cut.rc;
    rise.rt = 1000 + random.word() % 0x40000000;

    RateInputs in = pins(cut);
    in.rsp_ready = true;
    step(in);
    in = pins(rise);
    in.rsp_ready = true;
    step(in);
    RateOutputs answers[2];
    int got = 0;
    in = RateInputs{};
    in.rsp_ready = true;
    for (std::uint32_t i = 0; i < kRateLatency && got < 2; ++i) {
      const RateOutputs out = step(in);
      if (out.rsp_valid) answers[got++] = out;
    }
    ASSERT_EQ(got, 2);

    // Two table entries and two products have an error of up to half a unit each, so α has an error
    // of up to 2 units.
    const Real decayed = cut.alpha * std::pow(1 - g, static_cast<Real>(cut.delta / 55));
    const Real alpha_error = 2.5L;
    EXPECT_NEAR(static_cast<double>(answers[0].rsp_alpha),
                static_cast<double>((1 - g) * decayed + g * kOne),
                static_cast<double>(alpha_error));
    // The interpolated line falls by half a unit per unit of its argument, and the argument is half
    // of α.
    const Real multiplier_error = 0.5L * (alpha_error * 0.5L + 1) + 1;
    const Real cut_to = cut.rc * (1 - decayed / kOne * 0.5L / 2);
    EXPECT_NEAR(static_cast<double>(answers[0].rsp_rc), static_cast<double>(cut_to),
                static_cast<double>(cut.rc * multiplier_error / kOne + 1));

    const Real step_size = rise.stage == IncreaseStage::kRecovery   ? 0
                           : rise.stage == IncreaseStage::kAdditive ? r.r_ai
                                                                    : r.r_hai;
    const Real part = rise.stage == IncreaseStage::kRecovery ? 0 : 983 / kOne;
    const Real target = rise.rt * (1 + part) + 2 * step_size;
    EXPECT_NEAR(static_cast<double>(answers[1].rsp_rt), static_cast<double>(target), 1.01);
    EXPECT_NEAR(static_cast<double>(answers[1].rsp_rc), static_cast<double>((rise.rc + target) / 2),
                1.51);
  }
}

}  // namespace
}  // namespace dcc
