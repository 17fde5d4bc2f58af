// Compares the controller's fixed-point rates with real numbers, over random event sequences
// through the whole congestion manager. At every event each rate and each α must lie within the
// error bound that reference_model.h derives. For DCQCN the bound stays below 2.5 % of the rate and
// 0.0025 of α for runs of any length; the greatest observed error is 0.06 % and 0.0001. The
// proportional policy keeps errors until cuts have divided them. Its error is below 2.5 % after
// 1000 events, because a cut by many marks leaves a small rate, in which rounding weighs more. The
// test does not compare α of the proportional policy, since that field counts packets there. Rates
// of the proportional policy stay above 256 Mb/s, where steps are whole numbers.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "controller/congestion_manager.h"
#include "controller/rate_unit.h"
#include "controller/timing_wheel.h"
#include "unit/controller/controller_tables.h"
#include "unit/controller/reference_model.h"

namespace dcc::rate_error_test {
namespace {

using test::Real;
using test::ReferenceFlow;
using test::ReferenceParameters;

struct Case {
  const char* name;
  bool proportional;
  unsigned weight;
  RateBits r_max;
  int events;        // number of events until a new flow begins
  Real stated_rate;  // greatest permitted relative error of Rc
  Real stated_alpha;
};

class RateError : public testing::TestWithParam<Case> {
 protected:
  static constexpr std::uint8_t kDscp = 10;
  static constexpr Ticks kInterval = 55;

  RateError() {
    const Case& c = GetParam();
    parameters_.rate = c.proportional ? test::proportional_registers() : RateRegisters{};
    parameters_.rate.r_max = parameters_.initial_rate = c.r_max;
    if (c.proportional) {
      parameters_.rate.r_min = 256u << 8;
      parameters_.rate.r_ai = 60u << 8;
      parameters_.rate.mi = 0;
      parameters_.rate.g = 32768;  // a mark takes half a packet off the account of packets
    }
    parameters_.rate.alpha_recip = alpha_reciprocal(kInterval);
    parameters_.decrease_period = 0;
    parameters_.byte_threshold = 10'000;
    parameters_.fast_recovery = c.proportional ? 0 : 5;
    manager_.set_parameters(parameters_);
    const auto write = [this](RateTable t, std::uint32_t i, std::uint32_t w) {
      manager_.write_table(t, i, w);
    };
    if (c.proportional) {
      test::make_decay_tables(parameters_.rate.g, write);
      test::make_proportional_tables(write);
    } else {
      test::make_dcqcn_tables(parameters_.rate.g, write);
    }
    const auto f_dec = static_cast<std::uint32_t>(4096.0L / c.weight + 0.5L);
    manager_.write_table(RateTable::kFactor, kDscp, test::factor_word(256 * c.weight, f_dec));

    reference_.proportional = c.proportional;
    reference_.g = parameters_.rate.g / 65536.0L;
    reference_.r_ai = parameters_.rate.r_ai;
    reference_.r_hai = parameters_.rate.r_hai;
    reference_.r_min = parameters_.rate.r_min;
    reference_.r_max = parameters_.rate.r_max;
    reference_.mi = parameters_.rate.mi / 65536.0L;
    reference_.weight = c.weight;
  }

  /// Applies events to one flow until it is released, and compares after each event.
  void run(std::mt19937& random) {
    manager_.reset(now_);
    ReferenceFlow flow(reference_, parameters_.initial_rate, 1);
    Tick last_cut = now_;
    unsigned t = 0, bc = 0;
    int account = 0;  // proportional policy: unmarked packets, in halves
    const auto cut = [&](unsigned marks) {
      flow.cut(static_cast<unsigned>(std::min<Tick>(4095, (now_ - last_cut) / kInterval)), marks);
      manager_.cnp(1, kDscp, static_cast<std::uint8_t>(marks), now_);
      last_cut = now_;
      t = bc = 0;
      account -= static_cast<int>(marks);
    };
    const auto increase = [&] {
      if (GetParam().proportional) {
        flow.increase(reference_.r_ai * (std::max(0, account) / 2));
        account -= std::max(0, account) / 2 * 2;
        return;
      }
      const unsigned f = parameters_.fast_recovery;
      flow.increase(std::max(t, bc) < f   ? 0
                    : std::min(t, bc) > f ? reference_.r_hai
                                          : reference_.r_ai);
    };
    cut(1);
    compare(flow);
    for (int i = 0; i < GetParam().events && !HasFatalFailure(); ++i) {
      const unsigned pause = random() % 4 == 0 ? 500 : 60;
      now_ += random() % pause;
      const unsigned what = random() % 16;
      // One event in seven is a cut. Cuts balance increases, so rates vary over their whole range.
      if (what < 2) {
        const unsigned most = random() % 8 == 0 ? 64 : 2 * GetParam().weight;
        cut(1 + random() % most);
      } else if (what < 10 && !GetParam().proportional) {
        manager_.bytes(1, kDscp, 10'000 + (bc == 0 ? 1 : 0));
        ++bc;
        increase();
      } else {
        const unsigned sent = GetParam().proportional ? random() % 8 : 0;
        for (unsigned packets = sent; packets > 0; --packets, account += 2) {
          manager_.bytes(1, kDscp, 1000);
        }
        timers_.cancel(0, now_);
        manager_.timer(0, now_);
        ++t;
        increase();
        if (manager_.flows().bound_slots() == 0) {
          // The controller's rate was rounded up to the maximum, so the reference must be within
          // its error bound of the maximum.
          ASSERT_LE(reference_.r_max - flow.rc().value, flow.rc().error + 1);
          return;
        }
      }
      compare(flow);
    }
  }

  void compare(const ReferenceFlow& flow) {
    const SlotParameters& p = manager_.slot(0);
    const auto near = [](Real got, const test::Bounded& wanted) {
      return std::abs(got - wanted.value) <= wanted.error + 1e-6L;
    };
    ASSERT_TRUE(near(p.rc, flow.rc()))
        << p.rc << " not " << flow.rc().value << " within " << flow.rc().error;
    ASSERT_TRUE(near(p.rt, flow.rt()))
        << p.rt << " not " << flow.rt().value << " within " << flow.rt().error;
    if (GetParam().proportional) {
      note_rate(p, flow);
      return;
    }
    ASSERT_TRUE(near(p.alpha / 65536.0L, flow.alpha()))
        << p.alpha << " not " << flow.alpha().value * 65536 << " within "
        << flow.alpha().error * 65536;
    note_rate(p, flow);
    bound_alpha_ = std::max(bound_alpha_, flow.alpha().error);
    seen_alpha_ = std::max(seen_alpha_, std::abs(p.alpha / 65536.0L - flow.alpha().value));
  }
  void note_rate(const SlotParameters& p, const ReferenceFlow& flow) {
    bound_rate_ = std::max(bound_rate_, flow.rc().error / flow.rc().value);
    seen_rate_ = std::max(seen_rate_, std::abs(p.rc - flow.rc().value) / flow.rc().value);
    ++compared_;
  }

  ControllerParameters parameters_;
  ReferenceParameters reference_;
  RateUnit rates_;
  TimingWheel timers_{1};
  CongestionManager manager_{1, rates_, timers_};
  Tick now_ = 0;
  Real bound_rate_ = 0, bound_alpha_ = 0, seen_rate_ = 0, seen_alpha_ = 0;
  std::uint64_t compared_ = 0;
};

TEST_P(RateError, StaysWithinTheStatedBound) {
  std::mt19937 random(11);
  while (compared_ < 200'000 && !HasFatalFailure()) run(random);
  EXPECT_LE(bound_rate_, GetParam().stated_rate);
  EXPECT_LE(bound_alpha_, GetParam().stated_alpha);
  RecordProperty("seen_rate_ppm", static_cast<int>(seen_rate_ * 1e6L));
  RecordProperty("bound_rate_ppm", static_cast<int>(bound_rate_ * 1e6L));
  RecordProperty("seen_alpha_ppm", static_cast<int>(seen_alpha_ * 1e6L));
  if (std::getenv("DCC_SHOW_ERRORS") != nullptr) {
    std::printf("rate: seen %.2Le bound %.2Le; alpha: seen %.2Le bound %.2Le\n", seen_rate_,
                bound_rate_, seen_alpha_, bound_alpha_);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Policies, RateError,
    testing::Values(Case{"dcqcn_100G", false, 1, 100'000u << 8, 1'000'000, 0.025L, 0.0025L},
                    Case{"dcqcn_25G", false, 1, 25'000u << 8, 1'000'000, 0.025L, 0.0025L},
                    Case{"dcqcn_weight_8", false, 8, 100'000u << 8, 1'000'000, 0.025L, 0.0025L},
                    Case{"proportional_1", true, 1, 100'000u << 8, 1000, 0.02L, 0.0025L},
                    Case{"proportional_3", true, 3, 100'000u << 8, 1000, 0.025L, 0.0025L},
                    Case{"proportional_8", true, 8, 100'000u << 8, 1000, 0.02L, 0.0025L}),
    [](const auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace dcc::rate_error_test
