// Tests the test bench of the timing wheel: it accepts correct wheels and detects wrong ones.
#include <gtest/gtest.h>

#include <utility>

#include "cosim.h"
#include "timing_wheel_bench.h"

namespace dcc {
namespace {

CosimOptions short_run(const std::string& dut) {
  CosimOptions options;
  options.ops = 200'000;
  options.dut = dut;
  return options;
}

TEST(WheelBench, RtlAndModelPass) {
  for (const char* dut : {"rtl", "model"}) {
    const CosimResult result = run_cosim(short_run(dut));
    EXPECT_EQ(result.mismatches, 0u) << result.first_mismatch;
    EXPECT_GE(result.operations, 200'000u);
    EXPECT_EQ(result.profiles.size(), cosim_profiles().size());
  }
}

TEST(WheelBench, SameSeedSameRun) {
  const CosimResult a = run_cosim(short_run("rtl"));
  const CosimResult b = run_cosim(short_run("rtl"));
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.operations, b.operations);
}

TEST(WheelBench, SeesInjectedFaults) {
  for (std::uint32_t fault = 1; fault <= 3; ++fault) {
    CosimOptions options = short_run("rtl");
    options.fault = fault;
    const CosimResult result = run_cosim(options);
    EXPECT_EQ(result.mismatches, 1u) << "fault " << fault;
    EXPECT_NE(result.first_mismatch.find("last transactions"), std::string::npos);
  }
}

TEST(WheelBench, RefusesWhatItDoesNotKnow) {
  CosimOptions options = short_run("rtl");
  options.profile = "quick";
  EXPECT_THROW(run_cosim(options), std::invalid_argument);
  EXPECT_EQ(cosim_main(options), 2);
  options = short_run("fpga");
  EXPECT_THROW(run_cosim(options), std::invalid_argument);
  options = short_run("model");
  options.fault = 1;
  EXPECT_THROW(run_cosim(options), std::invalid_argument);
  options = short_run("rtl");
  options.fault = 9;
  EXPECT_THROW(run_cosim(options), std::invalid_argument);
}

/// A timing wheel with one chosen error.
class Liar final : public WheelDut {
 public:
  enum class Lie {
    kOrder,
    kEarlyIdle,
    kNextDueLate,
    kNextDueEarly,
    kNotWithdrawn,
    kLag,
    kDoneLate,
    kOverrunEarly,
    kOverrunLost
  };
  explicit Liar(Lie lie) : lie_(lie) {}
  WheelOutputs cycle(const WheelInputs& in) override {
    WheelOutputs out = wheel_->cycle(in);
    ++cycles_;
    switch (lie_) {
      case Lie::kOrder:
        if (out.expire_valid && cycles_ % 4096 == 0) out.expire_slot ^= 1;
        break;
      case Lie::kEarlyIdle:
        if (cycles_ > 100'000) out.idle = true;
        break;
      case Lie::kNextDueLate:
        out.next_due += cycles_ > 50'000 ? 60'000 : 0;
        break;
      case Lie::kNextDueEarly:
        if (out.next_due - out.now > 5) --out.next_due;
        break;
      case Lie::kDoneLate:
        std::swap(out.cmd_done, done_before_);
        std::swap(out.cmd_hit, hit_before_);
        std::swap(out.cmd_due, due_before_);
        break;
      case Lie::kNotWithdrawn:
        if (last_valid_ && cycles_ % 512 == 0) out.expire_valid = false;
        last_valid_ = out.expire_valid && !in.expire_ready;
        break;
      case Lie::kLag:
        if (cycles_ % 4096 == 0) out.lag += 1;
        break;
      case Lie::kOverrunEarly:
        if (cycles_ > 100'000) out.overrun = true;
        break;
      case Lie::kOverrunLost:
        out.overrun = false;
        break;
    }
    return out;
  }
  void reset() override { wheel_->reset(); }
  std::string name() const override { return "liar"; }

 private:
  std::unique_ptr<WheelDut> wheel_ = make_checked_wheel();
  Lie lie_;
  std::uint64_t cycles_ = 0;
  bool last_valid_ = false;
  bool done_before_ = false, hit_before_ = false;
  std::uint32_t due_before_ = 0;
};

class WheelLies : public testing::TestWithParam<Liar::Lie> {};

TEST_P(WheelLies, AreSeen) {
  Liar dut(GetParam());
  WheelCoverage coverage;
  WheelBench bench(dut, coverage, true);
  EXPECT_THROW(
      {
        for (const std::string& profile : cosim_profiles()) bench.run(profile, 100'000, 3);
      },
      WheelMismatch);
}
INSTANTIATE_TEST_SUITE_P(All, WheelLies,
                         testing::Values(Liar::Lie::kOrder, Liar::Lie::kEarlyIdle,
                                         Liar::Lie::kNextDueLate, Liar::Lie::kNextDueEarly,
                                         Liar::Lie::kNotWithdrawn, Liar::Lie::kLag,
                                         Liar::Lie::kDoneLate, Liar::Lie::kOverrunEarly,
                                         Liar::Lie::kOverrunLost));

}  // namespace
}  // namespace dcc
