// Compares the shipped program of the proportional law on infinitely fast cores with the
// controller's own slots, law and rate unit, on the same events. All rates must be equal to the
// bit.
#include <gtest/gtest.h>

#include <random>

#include "controller/congestion_manager.h"
#include "controller/rate_unit.h"
#include "controller/timing_wheel.h"
#include "programs/shipped.h"
#include "unit/controller/controller_tables.h"

namespace dcc::program_tests {
namespace {

constexpr RateBits kLine = 100'000u << 8;
constexpr std::uint32_t kQp = 0;

/// The controller's slots with these register values. Time is in ticks of 1 us.
class Slots {
 public:
  explicit Slots(const std::vector<unsigned>& values) {
    test::make_proportional_tables(
        [this](RateTable t, std::uint32_t i, std::uint32_t w) { manager_.write_table(t, i, w); });
    manager_.write_table(RateTable::kFactor, 0, test::factor_word(256, values[8]));
    ControllerParameters p;
    p.rate = test::proportional_registers();
    p.rate.mi = 0;
    p.rate.r_ai = values[0];
    p.rate.r_hai = values[1];
    p.rate.r_min = values[2];
    p.rate.r_max = values[3];
    p.rate.g = static_cast<std::uint16_t>(values[4]);
    p.rate.first_cut = values[5];
    p.brisk = static_cast<std::uint8_t>(values[6]);
    p.rate.mark_shift = static_cast<std::uint8_t>(values[7]);
    p.timer_interval = static_cast<std::uint16_t>(values[9]);
    p.decrease_period = values[10];
    p.silence = static_cast<std::uint8_t>(values[11]);
    p.initial_rate = values[12];
    p.rate.cut_floor = values[13];
    p.timer_restart = false;
    manager_.set_parameters(p);
  }
  void advance(Tick now) {
    while (const auto expiry = timers_.take_expired(now)) {
      take(manager_.timer_event(*expiry, now).answer);
    }
  }
  void cnp(std::uint8_t marks, std::uint8_t packets, Tick now) {
    take(manager_.cnp(kQp, 0, marks, now, packets));
  }
  void sent() { take(manager_.bytes(kQp, 0, 1086)); }
  RateBits rate() const { return std::min(rate_, kLine); }
  std::uint64_t released() const { return manager_.statistics().slots_released; }

 private:
  void take(const std::optional<RateAnswer>& answer) {
    if (answer) rate_ = answer->rate.raw;
  }
  RateUnit rates_;
  TimingWheel timers_{1};
  CongestionManager manager_{1, rates_, timers_};
  RateBits rate_ = kLine;
};

struct Case {
  const char* name;
  std::vector<unsigned> values;
  unsigned notifications;  // one of this number of events is a CNP
  unsigned gap;            // greatest number of ticks between two events
};

// Covers long silences, rate holds that end and that do not, fast phases, and released slots.
TEST(ShippedPrograms, ProportionalIsTheHardwaresLawToTheBit) {
  const std::vector<unsigned> usual{3507, 140'800, 1280, 32'000'000, 52'429, 2341,  95,
                                    10,   4096,    14,   5,          32,     kLine, 0};
  std::vector<unsigned> slow = usual, bold = usual, flat = usual;
  slow[2] = 256, slow[8] = 1024, slow[9] = 40, slow[11] = 3;
  bold[0] = 200'000, bold[3] = kLine, bold[6] = 0, bold[8] = 16'384;
  flat[5] = 0, flat[13] = 30'000, flat[4] = 20'000;
  const std::vector<Case> cases{{"usual", usual, 20, 2},
                                {"usual, many marks", usual, 3, 3},
                                {"slow", slow, 30, 20},
                                {"bold", bold, 40, 2},
                                {"without holds", flat, 15, 3}};
  for (const Case& one : cases) {
    for (unsigned seed = 1; seed <= 2; ++seed) {
      Nic nic(100'000);
      const auto program = shipped("proportional", nic, one.values);
      Slots slots(one.values);
      program->on_flow_start(0, {});
      std::mt19937 random(seed);
      Tick now = 1000;
      nic.scheduler().run_until(kMicroSecond * static_cast<std::int64_t>(now));
      unsigned changes = 0;
      for (int i = 0; i < 8000; ++i) {
        const Tick until = now + random() % (random() % 500 == 0 ? 3000 : one.gap + 1);
        while (now < until) {
          ++now;
          nic.scheduler().run_until(kMicroSecond * static_cast<std::int64_t>(now));
          slots.advance(now);
          ASSERT_EQ(nic.rate(0).raw, slots.rate())
              << one.name << ", seed " << seed << ", us " << now;
        }
        const RateBits before = slots.rate();
        if (random() % one.notifications == 0) {
          const unsigned kind = random() % 8;
          const auto marks = static_cast<std::uint8_t>(kind == 0 ? 0 : 1 + random() % 12);
          const auto packets = static_cast<std::uint8_t>(kind < 3    ? 0
                                                         : kind == 3 ? 255
                                                         : kind < 6  ? marks
                                                                     : marks + random() % 40);
          CnpInfo info;
          info.marks = marks;
          info.packets = packets;
          program->on_cnp(0, info);
          slots.cnp(marks, packets, now);
        } else {
          SentInfo info;
          info.wire_bytes = 1086;
          program->on_sent(0, info);
          slots.sent();
        }
        changes += slots.rate() != before;
        ASSERT_EQ(nic.rate(0).raw, slots.rate())
            << one.name << ", seed " << seed << ", event " << i;
      }
      EXPECT_GT(changes, 100u) << one.name;
      if (one.values == bold) {
        EXPECT_GT(slots.released(), 0u);
      }
    }
  }
}

}  // namespace
}  // namespace dcc::program_tests
