// The RTL of the whole controller keeps docs/controller-contract.md, pin by pin and edge by edge.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>

#include "driver/dcc_regs.h"
#include "page_bench.h"

namespace dcc::page {
namespace {

constexpr std::uint64_t kCycles = 150'000;

struct Case {
  const char* name;
  bool averaging;
  Profile profile;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class SmallController : public testing::TestWithParam<Case> {};

TEST_P(SmallController, KeepsThePageEdgeByEdge) {
  const Case& c = GetParam();
  std::uint64_t answered = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Bench bench(make_small_controller(static_cast<std::uint32_t>(seed)), seed);
    bench.program(c.averaging);
    bench.run(kCycles, c.profile);
    bench.compare_counters();
    bench.compare_slots();
    ASSERT_EQ(bench.difference(), "") << "seed " << seed;
    EXPECT_GT(bench.issued, kCycles / 100);
    answered += bench.answered;
    std::printf(
        "seed %d: %llu issued, %llu answers (%llu to queries), %llu accesses, %llu resets, "
        "%llu lost, %llu held back, %llu late\n",
        static_cast<int>(seed), static_cast<unsigned long long>(bench.issued),
        static_cast<unsigned long long>(bench.answered),
        static_cast<unsigned long long>(bench.queries),
        static_cast<unsigned long long>(bench.accesses),
        static_cast<unsigned long long>(bench.resets),
        static_cast<unsigned long long>(bench.oracle().counts().cnps_lost),
        static_cast<unsigned long long>(bench.back_pressure),
        static_cast<unsigned long long>(bench.oracle().counts().missed_latency));
  }
  EXPECT_GT(answered, 30u);
}

Profile few_flows() { return {}; }
Profile crowd() {
  Profile p;
  p.flows = 256;
  p.cnp = 200;
  p.bytes = 500;
  return p;
}
Profile flood() {  // more than one event a cycle: loss and back-pressure
  Profile p;
  p.flows = 256;
  p.cnp = 900;
  p.bytes = 1024;
  p.command = 100;
  p.burst = 1500;
  return p;
}
Profile one_flow() {
  Profile p;
  p.flows = 2;
  p.cnp = 60;
  p.bytes = 300;
  p.command = 20;
  return p;
}
Profile accesses() {
  Profile p;
  p.flows = 100;
  p.access = 100;
  return p;
}
Profile resets() {
  Profile p;
  p.flows = 200;
  p.cnp = 150;
  p.access = 20;
  p.soft_reset = 40;
  return p;
}
Profile quiet() {  // slots come free
  Profile p;
  p.flows = 40;
  p.cnp = 1;
  p.bytes = 20;
  return p;
}

const Case kCases[] = {
    {"DcqcnFewFlows", true, few_flows()}, {"MarksFewFlows", false, few_flows()},
    {"DcqcnCrowd", true, crowd()},        {"MarksCrowd", false, crowd()},
    {"DcqcnFlood", true, flood()},        {"MarksFlood", false, flood()},
    {"DcqcnOneFlow", true, one_flow()},   {"MarksOneFlow", false, one_flow()},
    {"DcqcnAccesses", true, accesses()},  {"MarksAccesses", false, accesses()},
    {"DcqcnResets", true, resets()},      {"MarksResets", false, resets()},
    {"DcqcnQuiet", true, quiet()},        {"MarksQuiet", false, quiet()},
};

INSTANTIATE_TEST_SUITE_P(Profiles, SmallController, testing::ValuesIn(kCases),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(ShippedController, KeepsThePageWithAllSlotsInUse) {
  Bench bench(make_shipped_controller(1), 1);
  bench.program(false);
  Profile p = crowd();
  p.flows = 3000;
  bench.run(200'000, p);
  bench.compare_counters();
  ASSERT_EQ(bench.difference(), "");
  EXPECT_EQ(bench.oracle().counts().slots_in_use_max, 1024u);
}

}  // namespace
}  // namespace dcc::page
