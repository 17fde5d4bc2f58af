// The three blocks joined: software's side over APB, the congestion manager's side over the pins.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "controller/rate_unit.h"
#include "driver/dcc_regs.h"
#include "rate_random.h"
#include "top_dut.h"

namespace dcc {
namespace {

constexpr std::uint32_t kStart = 0, kCancel = 1, kRead = 2;

class Top : public testing::Test {
 protected:
  void write(std::uint32_t address, std::uint32_t data) {
    EXPECT_FALSE(top_->write(address, data).slverr) << std::hex << address << " = " << data;
  }
  std::uint32_t read(std::uint32_t address) {
    const TopApbOutcome outcome = top_->read(address);
    EXPECT_FALSE(outcome.slverr) << std::hex << address;
    return outcome.rdata;
  }
  std::uint64_t read_pair(std::uint32_t low) {
    const std::uint64_t bits = read(low);
    return bits | std::uint64_t{read(low + 4)} << 32;
  }
  void write_registers(const RateRegisters& r) {
    write(DCC_G_OFFSET, r.g);
    write(DCC_MI_OFFSET, r.mi);
    write(DCC_R_AI_OFFSET, r.r_ai);
    write(DCC_R_HAI_OFFSET, r.r_hai);
    write(DCC_R_MIN_OFFSET, r.r_min);
    write(DCC_R_MAX_OFFSET, r.r_max);
    write(DCC_ALPHA_RECIP_OFFSET, r.alpha_recip);
    write(DCC_FIRST_CUT_OFFSET, r.first_cut);
    write(DCC_MARK_SHIFT_OFFSET, r.mark_shift);
    write(DCC_CTRL_OFFSET, (r.averaging ? DCC_CTRL_AVERAGING_MASK : 0u) |
                               (r.cut_by_marks ? DCC_CTRL_CUT_BY_MARKS_MASK : 0u));
  }

  std::unique_ptr<TopDut> top_ = make_top_dut(7);
};

std::uint32_t window(RateTable table, std::uint32_t index) {
  switch (table) {
    case RateTable::kFactor:
      return DCC_FACTOR_ENTRY_OFFSET(index);
    case RateTable::kFloor:
      return DCC_FLOOR_ENTRY_OFFSET(index);
    case RateTable::kCeiling:
      return DCC_CEILING_ENTRY_OFFSET(index);
    case RateTable::kDecayHi:
      return DCC_DECAY_HI_ENTRY_OFFSET(index);
    case RateTable::kDecayLo:
      return DCC_DECAY_LO_ENTRY_OFFSET(index);
    case RateTable::kDecrease:
      break;
  }
  return DCC_DECREASE_ENTRY_OFFSET(index);
}

TEST_F(Top, TellsWhatItIs) {
  EXPECT_EQ(read(DCC_ID_OFFSET), DCC_ID_RESET);
  EXPECT_EQ(read(DCC_CAPS_OFFSET), DCC_CAPS_RESET);
  EXPECT_NE(read(DCC_STATUS_OFFSET) & DCC_STATUS_READY_MASK, 0u);
  EXPECT_FALSE(top_->irq());
}

TEST_F(Top, LoadsTablesOverApbAndComputesAsTheModel) {
  RateRandom random(21);
  RateUnit model;
  RateTables tables;
  for (int round = 0; round < 4; ++round) {
    for (int t = 0; t < kRateTables; ++t) {
      const auto table = static_cast<RateTable>(t);
      for (std::uint32_t i = 0; i < entries(table); ++i) {
        const std::uint32_t word = random.table_word(table);
        const bool fraction = table == RateTable::kDecayHi || table == RateTable::kDecayLo ||
                              table == RateTable::kDecrease;
        if (fraction && (word & 0x1FFFF) > kOne16) {  // refused: the entry stays as it was
          EXPECT_TRUE(top_->write(window(table, i), word).slverr);
          continue;
        }
        write(window(table, i), word);
        model.load(table, i, word);
        tables.write(table, i, word);
      }
    }
    RateRegisters registers = random.registers();
    // The register block takes no zero here, and no reciprocal of an interval over 4096 ticks.
    registers.r_min = std::max(registers.r_min, 1u);
    registers.r_max = std::max(registers.r_max, 1u);
    registers.alpha_recip = std::max(registers.alpha_recip, 1u << 20);
    write_registers(registers);
    model.load(registers);
    for (int i = 0; i < 500; ++i) {
      const DecreaseRequest cut = random.decrease();
      const DecreaseResult a = top_->decrease(cut), b = model.decrease(cut);
      ASSERT_EQ(a.rc, b.rc);
      ASSERT_EQ(a.rt, b.rt);
      ASSERT_EQ(a.alpha, b.alpha);
      const IncreaseRequest up = random.increase();
      const IncreaseResult c = top_->increase(up), d = model.increase(up);
      ASSERT_EQ(c.rc, d.rc);
      ASSERT_EQ(c.rt, d.rt);
      ASSERT_EQ(c.at_maximum, d.at_maximum);
    }
    for (int i = 0; i < 100; ++i) {
      const auto table = static_cast<RateTable>(random.below(kRateTables));
      const std::uint32_t index = random.below(entries(table));
      ASSERT_EQ(read(window(table, index)), tables.read(table, index));
    }
  }
}

TEST_F(Top, ExpiresInOrderOnTheTicksOfTickDiv) {
  write(DCC_TICK_DIV_OFFSET, 20);
  top_->take_expiries(true);
  RateRandom random(5);
  std::map<std::uint32_t, std::uint32_t> due;  // by slot
  std::uint64_t started = 0, cancelled = 0;
  for (int i = 0; i < 300; ++i) {
    const std::uint32_t slot = random.below(200);
    if (random.one_in(4)) {
      EXPECT_EQ(top_->timer(kCancel, slot, 0).hit, due.erase(slot) == 1);
    } else {
      // Far enough that nothing expires while they are started.
      const bool hit = top_->timer(kStart, slot, 1000 + random.below(3000)).hit;
      EXPECT_EQ(hit, due.count(slot) == 1);
      const TopTimerAnswer answer = top_->timer(kRead, slot, 0);
      ASSERT_TRUE(answer.hit);
      EXPECT_GE(answer.due, 1000u);
      due[slot] = answer.due;
      ++started;
      cancelled += hit ? 1 : 0;
      continue;
    }
  }
  ASSERT_FALSE(top_->next_expiry().has_value());
  EXPECT_EQ(read(DCC_EVENTS_PENDING_OFFSET), due.size());
  EXPECT_EQ(read_pair(DCC_STAT_EVENTS_STARTED_LO_OFFSET), started);
  EXPECT_GE(read_pair(DCC_STAT_EVENTS_CANCELLED_LO_OFFSET), cancelled);
  EXPECT_EQ(read_pair(DCC_STAT_EVENTS_CANCELLED_LO_OFFSET), started - due.size());

  std::set<std::pair<std::uint32_t, std::uint32_t>> order;
  for (const auto& [slot, tick] : due) order.emplace(tick, slot);
  for (const auto& [tick, slot] : order) {
    std::optional<TopExpiry> expiry = top_->next_expiry();
    for (int patience = 0; !expiry.has_value() && patience < 100'000; ++patience) {
      top_->idle(1);
      expiry = top_->next_expiry();
    }
    ASSERT_TRUE(expiry.has_value());
    EXPECT_EQ(expiry->slot, slot);
    EXPECT_EQ(expiry->due, tick);
    EXPECT_GE(top_->ticks(), tick);      // never early
    EXPECT_LE(top_->ticks(), tick + 1);  // and never late: a tick has 20 cycles
  }
  EXPECT_EQ(read(DCC_EVENTS_PENDING_OFFSET), 0u);
  EXPECT_EQ(read(DCC_TIMER_LAG_OFFSET), 0u);
  const std::uint32_t before = read(DCC_TIME_OFFSET);
  top_->idle(20 * 50);
  EXPECT_NEAR(read(DCC_TIME_OFFSET), before + 50, 1);
}

TEST_F(Top, OverrunInterruptsAndSoftResetClears) {
  write(DCC_TICK_DIV_OFFSET, DCC_TICK_DIV_VALUE_MIN);
  write(DCC_IRQ_MASK_OFFSET, DCC_IRQ_MASK_OVERRUN_MASK);
  top_->take_expiries(false);
  top_->timer(kStart, 3, 1);
  top_->idle(DCC_TICK_DIV_VALUE_MIN * 32'000);
  EXPECT_FALSE(top_->irq());
  EXPECT_GT(read(DCC_TIMER_LAG_OFFSET), 31'900u);
  top_->idle(DCC_TICK_DIV_VALUE_MIN * 1'000);
  EXPECT_TRUE(top_->irq());
  EXPECT_EQ(read(DCC_IRQ_STATUS_OFFSET), DCC_IRQ_STATUS_OVERRUN_MASK);
  EXPECT_NE(read(DCC_STATUS_OFFSET) & DCC_STATUS_OVERRUN_MASK, 0u);

  // Cleared by software it stays clear: it is raised when the overrun begins.
  write(DCC_IRQ_STATUS_OFFSET, DCC_IRQ_STATUS_OVERRUN_MASK);
  top_->idle(100);
  EXPECT_FALSE(top_->irq());
  EXPECT_NE(read(DCC_STATUS_OFFSET) & DCC_STATUS_OVERRUN_MASK, 0u);
  EXPECT_EQ(read(DCC_EVENTS_PENDING_OFFSET), 1u);

  write(DCC_CTRL_OFFSET, DCC_CTRL_SOFT_RESET_MASK);
  top_->idle(3000);  // the records are swept, and the ticks of that time made good
  EXPECT_EQ(read(DCC_STATUS_OFFSET) & (DCC_STATUS_OVERRUN_MASK | DCC_STATUS_READY_MASK),
            DCC_STATUS_READY_MASK);
  EXPECT_EQ(read(DCC_EVENTS_PENDING_OFFSET), 0u);
  EXPECT_EQ(read(DCC_TIMER_LAG_OFFSET), 0u);
  EXPECT_FALSE(top_->timer(kRead, 3, 0).hit);
  top_->take_expiries(true);
  top_->idle(5000);
  EXPECT_FALSE(top_->next_expiry().has_value());
}

TEST_F(Top, RefusesAndPassesOnWindows) {
  EXPECT_TRUE(top_->read(0x7FFFC).slverr);
  EXPECT_TRUE(top_->write(DCC_ID_OFFSET, 1).slverr);
  EXPECT_TRUE(top_->write(DCC_TICK_DIV_OFFSET, DCC_TICK_DIV_VALUE_MIN - 1).slverr);
  EXPECT_NE(read(DCC_IRQ_STATUS_OFFSET) & DCC_IRQ_STATUS_ERROR_MASK, 0u);
  top_->set_slot_window(0x1234'0000);
  EXPECT_EQ(read(DCC_SLOTS_ENTRY_OFFSET(0)), 0x1234'0000u);
  EXPECT_EQ(read(DCC_SLOTS_ENTRY_OFFSET(1023) + DCC_SLOTS_DUE_WORD_OFFSET),
            0x1234'0000u + 8 * 1023 + 7);
  EXPECT_TRUE(top_->read(DCC_SLOTS_ENTRY_OFFSET(1024)).slverr);
}

}  // namespace
}  // namespace dcc
