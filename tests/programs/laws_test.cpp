// Compares shipped congestion-control programs on infinitely fast cores with the algorithms in C++,
// and with integer rules that this file restates, on the same events.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "programs/shipped.h"
#include "schemes/dcqcn/dcqcn.h"
#include "schemes/timely/timely.h"

namespace dcc::program_tests {
namespace {

/// DCQCN's rules in integers, from figure 7 of the paper and the number formats of
/// firmware/programs/dcqcn.c: rates in units of 1/256 Mb/s, alpha in units of 2^-30, products
/// rounded to the nearest integer.
class IntegerDcqcn final : public Algorithm {
 public:
  struct Rules {
    std::uint64_t r_ai, r_hai, r_min;  // rates in Mb/s
    std::int64_t increase_ns, alpha_ns, bytes;
    unsigned f;
  };
  IntegerDcqcn(AlgorithmHost& host, const Rules& rules) : host_(host), rules_(rules) {}
  AlgorithmNeeds needs() const override { return {}; }
  void on_flow_start(FlowNumber, const FlowStart&) override {
    rate_ = goal_ = host_.line_rate().raw;
    host_.set_rate(0, Rate(static_cast<std::uint32_t>(rate_)));
  }
  void on_cnp(FlowNumber, const CnpInfo&) override {
    goal_ = rate_;
    const std::uint64_t lost = std::llround(std::ldexp(1.0L * rate_ * alpha_, -31));
    rate_ = std::max(rules_.r_min * 256, rate_ - lost);
    alpha_ = fade() + (1u << 22);
    times_ = turns_ = sent_ = 0;
    active_ = true;
    host_.start_timer(0, 0, kNanoSecond * rules_.alpha_ns);
    host_.start_timer(0, 1, kNanoSecond * rules_.increase_ns);
    tell();
  }
  void on_sent(FlowNumber, const SentInfo& info) override {
    if (!active_) return;
    sent_ += info.wire_bytes;
    if (sent_ <= rules_.bytes) return;
    sent_ -= rules_.bytes;
    ++turns_;
    rise();
  }
  void on_timer(FlowNumber, int id) override {
    if (id == 0) {
      alpha_ = fade();
      host_.start_timer(0, 0, kNanoSecond * rules_.alpha_ns);
      return;
    }
    ++times_;
    rise();
    if (rate_ < host_.line_rate().raw) {
      host_.start_timer(0, 1, kNanoSecond * rules_.increase_ns);
      return;
    }
    active_ = false;
    alpha_ = 1u << 30;
    host_.stop_timer(0, 0);
  }
  View view(FlowNumber) const override { return {}; }
  AlgorithmCounters counters() const override { return {}; }

 private:
  std::uint64_t fade() const { return alpha_ - std::llround(std::ldexp(1.0L * alpha_, -8)); }
  void rise() {
    const unsigned more = std::max(times_, turns_), less = std::min(times_, turns_);
    if (more >= rules_.f) goal_ += 256 * (less > rules_.f ? rules_.r_hai : rules_.r_ai);
    goal_ = std::min<std::uint64_t>(goal_, host_.line_rate().raw);
    rate_ = std::min<std::uint64_t>((goal_ + rate_) / 2, host_.line_rate().raw);
    if (goal_ == rate_ + 1) rate_ = goal_;
    tell();
  }
  void tell() { host_.set_rate(0, Rate(static_cast<std::uint32_t>(rate_))); }

  AlgorithmHost& host_;
  Rules rules_;
  std::uint64_t rate_ = 0, goal_ = 0, alpha_ = 1u << 30;
  unsigned times_ = 0, turns_ = 0;
  std::int64_t sent_ = 0;
  bool active_ = false;
};

// Rates have units of 1/256 Mb/s and are at least 40 Mb/s, so one rounding changes a rate by at
// most 1e-4. Each halving of the distance to the target also halves earlier errors.
TEST(ShippedPrograms, DcqcnFollowsItsRulesToTheBitAndTheRealNumbersClosely) {
  const IntegerDcqcn::Rules rules{40, 400, 40, 55'000, 55'000, 150'000, 5};
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Nic nic(100'000), exact_nic(100'000), real_nic(100'000);
    const auto program = shipped("dcqcn", nic, {40, 400, 40, 55'000, 55'000, 0, 150'000, 5, 256});
    IntegerDcqcn exact(exact_nic, rules);
    exact_nic.bind(exact);
    DcqcnParameters parameters;
    parameters.r_hai = 400_Mbps;
    parameters.byte_counter = 150'000;
    Dcqcn real(real_nic, parameters);
    real_nic.bind(real);
    program->on_flow_start(0, {});
    exact.on_flow_start(0, {});
    real.on_flow_start(0, {});
    std::mt19937 random(seed);
    PicoSeconds now{};
    double worst = 0;
    for (int i = 0; i < 20'000; ++i) {
      now = now + kNanoSecond * static_cast<std::int64_t>(random() % 4000);
      for (Nic* const one : {&nic, &exact_nic, &real_nic}) one->scheduler().run_until(now);
      if (random() % 200 == 0) {
        for (Algorithm* const one :
             {static_cast<Algorithm*>(program.get()), static_cast<Algorithm*>(&exact),
              static_cast<Algorithm*>(&real)}) {
          one->on_cnp(0, {});
        }
      } else {
        SentInfo info;
        info.wire_bytes = 1086;
        for (Algorithm* const one :
             {static_cast<Algorithm*>(program.get()), static_cast<Algorithm*>(&exact),
              static_cast<Algorithm*>(&real)}) {
          one->on_sent(0, info);
        }
      }
      ASSERT_EQ(nic.rate(0).raw, exact_nic.rate(0).raw) << "seed " << seed << ", event " << i;
      worst = std::max(worst, apart(nic.rate(0), real_nic.rate(0)));
    }
    EXPECT_LT(worst, 1e-3) << "seed " << seed;
    RecordProperty("worst", std::to_string(worst));
    EXPECT_GT(program->handlers()[DCC_CNP].handled, 50u);
    EXPECT_GT(program->counters().rate_decreases, 50u);
  }
}

// Gradient, gain and share of an update have 16 fraction bits.
TEST(ShippedPrograms, TimelyStaysWithinAPercentOfTheRealNumbers) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Nic nic(100'000), real_nic(100'000);
    const auto program =
        shipped("timely", nic, {200, 6'000, 15'000, 5'000, 4'000, 32'768, 52'429, 200});
    TimelyParameters parameters;
    parameters.additive_step = 200_Mbps;
    parameters.t_low = kMicroSecond * 6;
    parameters.t_high = kMicroSecond * 15;
    parameters.min_rtt = kMicroSecond * 5;
    parameters.segment = 4'000;
    parameters.ewma = Ratio(1, 2);
    parameters.r_min = 200_Mbps;
    parameters.app_limit = 0;
    parameters.bursts = false;
    parameters.resolution = PicoSeconds(0);
    Timely real(real_nic, parameters);
    real_nic.bind(real);
    FlowStart start;
    start.base_rtt = kMicroSecond * 5;
    program->on_flow_start(0, start);
    real.on_flow_start(0, start);
    std::mt19937 random(seed);
    std::int64_t rtt = 5'000'000;
    double worst = 0;
    for (int i = 0; i < 20'000; ++i) {
      const auto step = static_cast<std::int64_t>(random() % 800'001) - 400'000;
      rtt = std::clamp<std::int64_t>(rtt + step, 4'200'000, 25'000'000);
      AckInfo info;
      info.rtt = PicoSeconds(rtt);
      info.newly_acked = 1000;
      program->on_ack(0, info);
      real.on_ack(0, info);
      worst = std::max(worst, apart(nic.rate(0), real.view(0).rate));
    }
    EXPECT_LT(worst, 0.01) << "seed " << seed;
    RecordProperty("worst", std::to_string(worst));
    EXPECT_GT(program->counters().rate_decreases, 500u);
    EXPECT_GT(program->counters().rate_increases, 500u);
  }
}

}  // namespace
}  // namespace dcc::program_tests
