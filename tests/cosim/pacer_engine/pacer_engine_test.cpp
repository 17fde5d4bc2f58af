// The platform's pacer in RTL must equal the contract model, cycle by cycle.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "controller/lockstep_report.h"
#include "nic/pacer/pacer_model.h"
#include "pacer_engine_lockstep.h"
#include "pacer_engine_rtl.h"

namespace dcc {
namespace {

constexpr PacerSettings kSettings{512'000, 150};  // rate scale at 250 MHz, and slack in cycles
constexpr PicoSeconds kCycle{4000};

std::unique_ptr<PacerEngine> lockstep(unsigned fault = 0) {
  RtlPacerOptions options;
  options.host = 3;
  options.fault = fault;
  return make_lockstep_pacer(make_rtl_pacer(kSettings, options), kSettings, {"host 3 pacer", 9});
}

struct Load {
  std::uint64_t decisions = 0, bytes = 0, strict = 0, pauses = 0, rates = 0, skipped = 0;
};

/// Flows of a few rows post as many packets as the pacer can hold, in phases that fit a link of 100
/// Gb/s or exceed it. Rates, priorities and pauses change. In every third phase the packets drain,
/// so that the engines skip times without packets.
Load drive(PacerEngine& engine, std::uint64_t cycles) {
  std::mt19937_64 random(7);
  const PacerShape shape;
  constexpr std::uint32_t kCount = 96;
  std::array<PacerFlow, kCount> flows{};
  std::vector<std::uint32_t> posted(shape.flows);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    // A third of the flows belong to row 1, the other flows to any row.
    flows[i] = static_cast<PacerFlow>(i % 3 == 0 ? i / 3 * shape.rows() + 1 : i * 7 % shape.flows);
    engine.named(flows[i], 100 + i);
  }
  Load seen;
  PacerInputs inputs;
  PacerAnswer answer;
  std::uint32_t waiting = 0;
  std::uint64_t wire = 0;  // cycle from which the link is free
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    inputs.now = kCycle * static_cast<std::int64_t>(cycle + seen.skipped);
    const std::uint64_t phase = cycle / 8192 % 3;
    const bool drains = phase == 2;
    if (drains && waiting == 0 && random() % 32 == 0) {
      const std::uint64_t skipped = 1 + random() % (random() % 8 == 0 ? 3000 : 30);
      answer = engine.skip(skipped, inputs);
      seen.skipped += skipped;
      continue;
    }
    if (cycle % 256 == 0) {
      inputs.paused =
          !drains && random() % 4 == 0 ? static_cast<std::uint8_t>(random()) : std::uint8_t{0};
      seen.pauses += inputs.paused != 0;
    }
    const PacerFlow at = flows[random() % kCount];
    inputs.post = !drains && answer.post_ready && posted[at] < shape.depth &&
                  random() % (phase == 1 ? 4 : 40) == 0;
    inputs.post_flow = at;
    inputs.post_bytes = static_cast<std::uint16_t>(3 * (1 + random() % 500));
    inputs.rate = answer.rate_ready && random() % 16 == 0;
    inputs.rate_flow = flows[random() % kCount];
    // Draws rates of 4 to 64 Gb/s, and rarely any 32-bit rate unless the packets must drain.
    const auto raw = static_cast<std::uint32_t>(random() >> (32 + random() % 32));
    inputs.rate_value = Rate(!drains && random() % 32 == 0 ? raw : (1u << 20) + raw % (15u << 20));
    // Every fourth rate is three bytes per cycle.
    if (random() % 4 == 0) inputs.rate_value = Rate(3 * kSettings.scale);
    inputs.priority = static_cast<std::uint8_t>(random() % 8 == 0 ? random() % 8 : 3);
    inputs.want = cycle >= wire && random() % 8 != 0;
    if (inputs.post) ++posted[at], ++waiting;
    seen.rates += inputs.rate;
    answer = engine.cycle(inputs);
    seen.strict += answer.strict;
    if (answer.sent) {
      ++seen.decisions;
      seen.bytes += answer.bytes;
      wire = std::max(cycle, wire) + answer.bytes / 50;  // the link carries 50 bytes per cycle
      --posted[answer.flow];
      --waiting;
    }
    EXPECT_FALSE(answer.refused);
  }
  return seen;
}

TEST(PacerEngine, RtlDecidesAsTheModel) {
  const auto both = lockstep();
  const Load seen = drive(*both, 100'000);
  EXPECT_GT(seen.decisions, 3'000u);
  EXPECT_GT(seen.strict, 1'000u);
  EXPECT_GT(seen.pauses, 20u);
  EXPECT_GT(seen.rates, 1'000u);
  EXPECT_GT(seen.skipped, 1'000u);
}

TEST(PacerEngine, RtlAloneAndModelAloneDecideTheSame) {
  const auto alone = make_rtl_pacer(kSettings, {});
  PacerModel model(PacerShape{}, kSettings);
  const Load one = drive(*alone, 20'000), other = drive(model, 20'000);
  EXPECT_EQ(one.decisions, other.decisions);
  EXPECT_EQ(one.bytes, other.bytes);
  EXPECT_EQ(one.strict, other.strict);
}

/// Two engines with the same inputs, whose answers must be equal.
class Compared final : public PacerEngine {
 public:
  Compared(std::unique_ptr<PacerEngine> one, std::unique_ptr<PacerEngine> other)
      : one_(std::move(one)), other_(std::move(other)) {}
  PacerAnswer cycle(const PacerInputs& inputs) override {
    return same(one_->cycle(inputs), other_->cycle(inputs));
  }
  PacerAnswer skip(std::uint64_t cycles, const PacerInputs& inputs) override {
    return same(one_->skip(cycles, inputs), other_->skip(cycles, inputs));
  }
  std::uint64_t differences() const { return differences_; }

 private:
  PacerAnswer same(const PacerAnswer& one, const PacerAnswer& other) {
    differences_ += !(one == other);
    return one;
  }
  std::unique_ptr<PacerEngine> one_, other_;
  std::uint64_t differences_ = 0;
};

/// Packets whose starts lie apart, in rows with one flow and with many. Between them nothing
/// happens. Pauses, late packets and changed rates come at any time.
std::uint64_t drive_sparsely(PacerEngine& engine, std::uint64_t cycles, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const PacerShape shape;
  const std::uint32_t count = seed % 2 == 0 ? 6 : 40;
  std::vector<std::uint32_t> posted(shape.flows);
  const auto flow_of = [&](std::uint64_t i) {
    return static_cast<PacerFlow>(i % 3 == 0 ? i / 3 * shape.rows() + 1 : i * 7 % shape.flows);
  };
  std::uint64_t decisions = 0, wire = 0;
  PacerAnswer answer;
  PacerInputs inputs;
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    const bool drains = cycle / 16384 % 4 == 3;
    if (!inputs.want && random() % 50 == 0) {
      const std::uint64_t skipped = 1 + random() % 400;
      PacerInputs rest;
      rest.paused = inputs.paused;
      answer = engine.skip(skipped, rest);
      cycle += skipped - 1;
      continue;
    }
    if (random() % 2000 == 0) {
      inputs.paused = random() % 2 == 0 ? static_cast<std::uint8_t>(random()) : std::uint8_t{0};
    }
    inputs.post_flow = flow_of(random() % count);
    inputs.post_bytes = static_cast<std::uint16_t>(1 + random() % 1500);
    inputs.post = !drains && answer.post_ready && posted[inputs.post_flow] < shape.depth &&
                  random() % 150 == 0;
    posted[inputs.post_flow] += inputs.post;
    inputs.rate = answer.rate_ready && random() % 700 == 0;
    inputs.rate_flow = flow_of(random() % count);
    // 128 Mb/s to 65 Gb/s
    inputs.rate_value =
        Rate(1u << (15 + random() % 10) | static_cast<std::uint32_t>(random() % 4096));
    inputs.priority = static_cast<std::uint8_t>(random() % 4 == 0 ? random() % 8 : 3);
    // The user takes nothing for a while, so that packets are late. As a port, it does not ask in
    // every cycle.
    const bool asked = seed % 3 != 0 && inputs.want;
    inputs.want = cycle >= wire && cycle / 4096 % 8 != 5 && !asked;
    answer = engine.cycle(inputs);
    if (!answer.sent) continue;
    ++decisions;
    wire = cycle + answer.bytes / 50;
    --posted[answer.flow];
  }
  return decisions;
}

TEST(PacerEngine, LeftOutCyclesWouldHaveChangedNothing) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    RtlPacerOptions all;
    all.skip_idle = false;
    auto skipping = make_rtl_pacer(kSettings, {}), stepping = make_rtl_pacer(kSettings, all);
    const RtlPacerEngine& few = *skipping;
    const RtlPacerEngine& many = *stepping;
    Compared both(std::move(skipping), std::move(stepping));
    Compared with_model(std::make_unique<PacerModel>(PacerShape{}, kSettings),
                        make_rtl_pacer(kSettings, {}));
    const std::uint64_t decisions = drive_sparsely(both, 60'000, seed);
    EXPECT_EQ(both.differences(), 0u) << "seed " << seed;
    EXPECT_GT(decisions, 40u);
    EXPECT_GE(many.edges_made(), 60'000u);
    EXPECT_LT(few.edges_made(), many.edges_made() / 2);
    EXPECT_EQ(drive_sparsely(with_model, 60'000, seed), decisions);
    EXPECT_EQ(with_model.differences(), 0u) << "seed " << seed;
  }
}

TEST(PacerEngine, StrictOrderEndsInSkippedCycles) {
  const auto both = lockstep();
  PacerInputs inputs;
  inputs.rate = inputs.post = true;
  inputs.rate_flow = inputs.post_flow = 5;
  inputs.post_bytes = 100;
  inputs.rate_value = Rate::from(BitRate{100'000'000'000});
  both->cycle(inputs);
  inputs.rate = inputs.post = false;
  // the user requests no packet, so the packet becomes late
  for (int i = 0; i < 400; ++i) both->cycle(inputs);
  inputs.want = true;
  PacerAnswer answer = both->cycle(inputs);
  inputs.want = false;
  answer = both->cycle(inputs);
  EXPECT_TRUE(answer.sent);
  EXPECT_TRUE(both->skip(20, inputs).strict);
  EXPECT_FALSE(both->skip(40, inputs).strict);
}

TEST(PacerEngine, APostThatDoesNotFitIsRefusedByBoth) {
  const auto both = lockstep();
  PacerInputs inputs;
  inputs.post = true;
  inputs.post_flow = 5;
  inputs.post_bytes = 1000;
  unsigned refused = 0;
  PacerAnswer answer;
  for (int i = 0; i < 40; ++i) {
    inputs.post = answer.post_ready;
    answer = both->cycle(inputs);
    refused += answer.refused;
  }
  EXPECT_EQ(refused, 40u - PacerShape{}.depth);
}

TEST(PacerEngine, AFaultIsToldWithNameTimeAndFlow) {
  for (unsigned fault = 1; fault <= kPacerFaults; ++fault) {
    const auto both = lockstep(fault);
    try {
      drive(*both, 100'000);
      ADD_FAILURE() << "fault " << fault << " is not found";
    } catch (const LockstepMismatch& difference) {
      const std::string report = difference.what();
      EXPECT_EQ(report.find("host 3 pacer: model and RTL differ after "), 0u) << report;
      for (const char* part : {"seed 9: at ", "decision for flow ", "\n  model: ", "\n  RTL:   ",
                               "\n  last calls:\n    at ", " Mb/s", " B\n"}) {
        EXPECT_NE(report.find(part), std::string::npos) << part << "\n" << report;
      }
    }
  }
}

}  // namespace
}  // namespace dcc
