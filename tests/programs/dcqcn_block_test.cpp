// Compares the shipped program dcqcn_block.c on infinitely fast cores with the controller's own
// slots, law, rate unit and timing wheel, on the same events of many flows. All rates must be equal
// to the bit.
#include <gtest/gtest.h>

#include <random>

#include "controller/congestion_manager.h"
#include "controller/rate_unit.h"
#include "controller/timing_wheel.h"
#include "driver/dcc_tables.h"
#include "programs/block_values.h"
#include "programs/shipped.h"

namespace dcc::program_tests::dcqcn_block {
namespace {

constexpr RateBits kLine = 100'000u << 8;

/// A controller of 128 slots with these register values. Time is in ticks of 1 us.
class Block {
 public:
  explicit Block(const BlockValues& values) {
    for (std::uint32_t i = 0; i < 64; ++i) {
      write(RateTable::kDecayHi, i, dcc_decay_hi_entry(values.of.rate.g, i));
      write(RateTable::kDecayLo, i, dcc_decay_lo_entry(values.of.rate.g, i));
    }
    for (std::uint32_t i = 0; i < kDecreaseEntries; ++i) {
      write(RateTable::kDecrease, i, dcc_decrease_entry(DCC_POLICY_DCQCN, i));
    }
    for (const BlockValues::Class& one : values.classes) {
      const dcc_factor factor = dcc_factor_of_weight(one.weight);
      write(RateTable::kFactor, one.dscp,
            std::uint32_t{factor.f_dec_q4_12} << 16 | factor.f_inc_q8_8);
      write(RateTable::kFloor, one.dscp, one.least);
      write(RateTable::kCeiling, one.dscp, one.most);
    }
    manager_.set_parameters(values.of);
  }
  void advance(Tick now) {
    while (const auto expiry = timers_.take_expired(now)) {
      take(manager_.timer_event(*expiry, now).answer);
    }
  }
  /// The tick of the next expiry of a timer after `now`, or `until` if no timer expires earlier.
  Tick next(Tick now, Tick until) {
    const std::optional<Tick> due = timers_.next_due(now);
    return due ? std::clamp(*due, now + 1, until) : until;
  }
  void cnp(std::uint32_t flow, std::uint8_t dscp, std::uint8_t marks, Tick now) {
    take(manager_.cnp(flow, dscp, marks, now));
  }
  void sent(std::uint32_t flow, std::uint8_t dscp, std::uint32_t bytes) {
    take(manager_.bytes(flow, dscp, bytes));
  }
  void begin(std::uint32_t flow) {
    manager_.release(flow);
    rates_of_[flow] = kLine;
  }
  RateBits rate(std::uint32_t flow) { return std::min(rates_of_[flow], kLine); }
  /// The slot of a flow, or null if the flow has no slot.
  const SlotParameters* slot(std::uint32_t flow) const {
    const SlotIndex slot = manager_.flows().match(flow);
    return slot == FlowTable::kNoSlot ? nullptr : &manager_.slot(slot);
  }
  const ControllerStatistics& statistics() const { return manager_.statistics(); }

 private:
  void write(RateTable table, std::uint32_t index, std::uint32_t word) {
    manager_.write_table(table, index, word);
  }
  void take(const std::optional<RateAnswer>& answer) {
    if (answer) rates_of_[answer->flow] = answer->rate.raw;
  }
  RateUnit rates_;
  TimingWheel timers_{128};
  CongestionManager manager_{128, rates_, timers_};
  std::map<std::uint32_t, RateBits> rates_of_;
};

struct Case {
  std::string name;
  BlockValues values;
  unsigned flows;
  unsigned notifications;  // one of this number of events is a CNP
  unsigned pauses = 400;   // one of this number of events follows a pause
  unsigned pause = 2000;   // greatest length of a pause in ticks
};

BlockValues usual() {
  BlockValues values;
  ControllerParameters& p = values.of;
  p.rate.law = DCC_CTRL_LAW_DCQCN;
  p.rate.g = 256;
  p.rate.r_ai = 40u << 8;
  p.rate.r_hai = 400u << 8;
  p.rate.r_min = 40u << 8;
  p.rate.r_max = p.initial_rate = kLine;
  p.rate.mi = 0;
  p.rate.first_cut = p.rate.cut_floor = 0;
  values.set_alpha_timer(55);
  p.byte_threshold = 150'000;
  p.decrease_period = 0;
  values.classes = {{26, 4 * 256, 0, 0xFFFFFFFF}, {46, 100, 300u << 8, 20'000u << 8}};
  return values;
}

BlockValues of_adapters() {
  BlockValues values = usual();
  ControllerParameters& p = values.of;
  p.rate.g = 320;
  p.rate.r_ai = 5u << 8, p.rate.r_hai = 50u << 8, p.rate.r_min = 1u << 8;
  p.rate.cut_floor = 32'768;
  values.set_alpha_timer(1);
  p.initial_alpha = 65'472;
  p.timer_interval = 30, p.decrease_period = 4, p.byte_threshold = 32'767, p.fast_recovery = 1;
  p.keep_target = true;
  return values;
}

/// Register values with which the counts of events and the times since a cut reach their maximum.
BlockValues slow(std::uint32_t alpha_timer) {
  BlockValues values = usual();
  ControllerParameters& p = values.of;
  p.rate.g = 3;
  p.rate.r_ai = 100;
  p.initial_rate = kLine / 2;
  values.set_alpha_timer(alpha_timer);
  p.timer_interval = 40'000, p.byte_threshold = 64, p.fast_recovery = 255;
  return values;
}

BlockValues random_values(std::mt19937& random) {
  BlockValues values = usual();
  ControllerParameters& p = values.of;
  const auto below = [&](std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  };
  p.rate.g = static_cast<std::uint16_t>(1u << below(16) | below(256));
  p.rate.mi = static_cast<std::uint16_t>(below(3) == 0 ? below(20'000) : 0);
  p.rate.r_ai = below(1u << (10 + below(16)));
  p.rate.r_hai = below(1u << (10 + below(16)));
  p.rate.r_min = 1 + below(2000u << 8);
  p.rate.r_max = kLine / 2 + below(kLine);
  p.initial_rate = 1 + below(kLine);
  p.initial_alpha = below(2) == 0 ? 65'536 : below(65'537);
  p.rate.first_cut = below(3) == 0 ? below(65'536) : 0;
  p.rate.cut_floor = below(2) == 0 ? below(65'536) : 0;
  p.timer_interval = static_cast<std::uint16_t>(1 + below(60));
  values.set_alpha_timer(1 + below(80));
  p.decrease_period = below(2) == 0 ? below(100) : 0;
  p.byte_counter = below(4) != 0;
  p.byte_threshold = 64 + below(200'000);
  p.fast_recovery = static_cast<std::uint8_t>(below(3) == 0 ? below(256) : below(7));
  p.keep_target = below(2) == 0;
  p.timer_restart = below(3) != 0;
  values.classes.clear();
  for (std::uint8_t dscp : {10, 26, 34, 46, 8}) {
    values.classes.push_back({dscp, 16 + below(1u << (5 + below(11))),
                              below(3) == 0 ? below(3000u << 8) : 0,
                              below(3) == 0 ? below(kLine) : 0xFFFFFFFF});
  }
  return values;
}

void compare(const Case& one, unsigned seed) {
  Nic nic(100'000);
  const auto program = shipped("dcqcn_block", nic, one.values.list());
  Block block(one.values);
  std::mt19937 random(seed);
  constexpr std::uint8_t kDscps[] = {0, 10, 26, 46};
  std::vector<std::uint8_t> dscps(one.flows);
  std::uint64_t starts = 0;
  const auto begin = [&](std::uint32_t flow) {
    FlowStart start;
    start.dscp = dscps[flow] = kDscps[random() % 4];
    program->on_flow_start(flow, start);
    block.begin(flow);
    ++starts;
  };
  Tick now = 1000;
  nic.scheduler().run_until(kMicroSecond * static_cast<std::int64_t>(now));
  for (std::uint32_t flow = 0; flow < one.flows; ++flow) begin(flow);
  const std::string where = one.name + ", seed " + std::to_string(seed) + ", us ";
  const auto same = [&](std::uint32_t flow) {
    ASSERT_EQ(nic.rate(flow).raw, block.rate(flow)) << where << now << ", flow " << flow;
    ASSERT_EQ(nic.changes.size() - starts, block.statistics().rate_updates) << where << now;
    const SlotParameters* const slot = block.slot(flow);
    if (slot == nullptr) return;
    const Algorithm::View view = program->view(flow);
    ASSERT_EQ(view.target.raw, slot->rt) << where << now << ", flow " << flow;
    ASSERT_EQ(view.alpha * kOne16, slot->alpha) << where << now << ", flow " << flow;
  };
  for (int i = 0; i < 12'000; ++i) {
    const Tick until =
        now + random() % (random() % one.pauses == 0 ? one.pause : 80 / one.flows + 2);
    while (now < until) {
      now = block.next(now, until);
      nic.scheduler().run_until(kMicroSecond * static_cast<std::int64_t>(now));
      block.advance(now);
      for (std::uint32_t flow = 0; flow < one.flows; ++flow) {
        ASSERT_NO_FATAL_FAILURE(same(flow));
      }
    }
    const auto flow = static_cast<std::uint32_t>(random() % one.flows);
    if (random() % 2000 == 0) begin(flow);
    if (random() % one.notifications == 0) {
      CnpInfo info;
      info.marks = static_cast<std::uint8_t>(1 + random() % 3);
      program->on_cnp(flow, info);
      block.cnp(flow, dscps[flow], info.marks, now);
    } else {
      if (random() % 500 == 0) {
        dscps[flow] = kDscps[random() % 4];
        program->change_class(flow, dscps[flow]);
      }
      SentInfo info;
      info.wire_bytes = static_cast<std::uint32_t>(64 + random() % 9000);
      program->on_sent(flow, info);
      block.sent(flow, dscps[flow], info.wire_bytes);
    }
    ASSERT_NO_FATAL_FAILURE(same(flow));
  }
  EXPECT_GT(block.statistics().rate_decreases, 20u) << where;
  EXPECT_GT(block.statistics().rate_increases, 100u) << where;
  EXPECT_EQ(block.statistics().cnps_dropped_no_slot, 0u) << where;
}

// Covers cuts with and without decays of alpha, all stages of both counters, released slots, and
// flows that change their class.
TEST(ShippedPrograms, DcqcnIsTheHardwareBlocksToTheBit) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    compare({"usual", usual(), 2 + 10 * (seed - 1), 20}, seed);
    compare({"often", usual(), 16, 4}, seed);
    compare({"adapters", of_adapters(), 32, 60}, seed);
    compare({"slow", slow(200), 2, 400, 300, 2'000'000}, seed);
    compare({"decays", slow(300), 2, 100, 40, 2'000'000}, seed);
    if (HasFatalFailure()) return;
  }
}

TEST(ShippedPrograms, DcqcnOfAnyParametersIsTheHardwareBlocksToTheBit) {
  for (unsigned seed = 1; seed <= 24; ++seed) {
    std::mt19937 random(1000 + seed);
    const BlockValues values = random_values(random);
    compare({"random", values, 2 + seed * 5 % 31, 3 + seed % 5 * 20}, seed);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace dcc::program_tests::dcqcn_block
