// Tests the state digests of all devices: which devices have a digest, their order, when digests
// are taken, and which state changes them.
#include "debug/state_digests.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "small_platform.h"

namespace dcc::vp {
namespace {

DigestColumns digests_of(const std::string& digest, const std::string& traffic) {
  return run(star("nic: {congestion_control: {algorithm: dcc}}\noutput: {digest: {" + digest +
                  "}}\ntraffic: [" + traffic + "]\n"))
      .digests.value();
}

const char kFlow[] = "{kind: flow, from: 2, to: 3}";

std::size_t place(const DigestColumns& digests, const std::string& device) {
  const auto at = std::find(digests.devices.begin(), digests.devices.end(), device);
  EXPECT_NE(at, digests.devices.end()) << device;
  return static_cast<std::size_t>(at - digests.devices.begin());
}

TEST(StateDigests, WhoDecidesComesBeforeWhatItHadCarriedOut) {
  const DigestColumns d = digests_of("every: 50us", kFlow);
  EXPECT_EQ(place(d, "s0"), 0u);
  EXPECT_LT(place(d, "host3.controller"), place(d, "host3.nic"));
  EXPECT_LT(place(d, "host3.nic"), place(d, "h0->s0"));
  EXPECT_EQ(d.devices.size(), 1u + 4 * 2 + 4 * 2) << "a switch; four hosts; two wires each";
}

TEST(StateDigests, TheyAreTakenAtTheirInstants) {
  const DigestColumns d = digests_of("every: 10us, from: 20us, to: 50us", kFlow);
  EXPECT_EQ(d.t, (std::vector<PicoSeconds>{kMicroSecond * 20, kMicroSecond * 30, kMicroSecond * 40,
                                           kMicroSecond * 50}));
  for (const auto& row : d.rows) EXPECT_EQ(row.size(), d.devices.size());
}

TEST(StateDigests, TheLastIsThatOfTheEndOfTheRun) {
  EXPECT_EQ(digests_of("every: 60us", kFlow).t,
            (std::vector<PicoSeconds>{PicoSeconds{}, kMicroSecond * 60}));
}

TEST(StateDigests, OnlyOfDevicesThatDidSomethingTheyChange) {
  const DigestColumns d = digests_of("every: 10us, from: 20us", kFlow);
  ASSERT_EQ(d.rows.size(), 9u);
  const auto changes = [&](const std::string& device) {
    return d.rows[0][place(d, device)] != d.rows[8][place(d, device)];
  };
  EXPECT_TRUE(changes("s0"));
  EXPECT_TRUE(changes("host2.nic"));
  EXPECT_TRUE(changes("host3.nic"));
  EXPECT_TRUE(changes("s0->h3"));
  EXPECT_FALSE(changes("host0.nic"));
  EXPECT_FALSE(changes("s0->h1"));
}

TEST(StateDigests, ADigestIsOfTheStateAndNothingElse) {
  const auto rows = [](const std::string& flow) {
    return in_a_process([&] {
      std::string text;
      const DigestColumns d = digests_of("every: 10us", flow);
      for (const auto& row : d.rows) {
        for (const std::uint64_t one : row) text += std::to_string(one) + "\n";
      }
      return text;
    });
  };
  const std::string once = rows(kFlow);
  EXPECT_GT(once.size(), 1000u) << once;
  EXPECT_EQ(rows(kFlow), once);
  EXPECT_NE(rows("{kind: flow, from: 2, to: 3, bytes: 100KB}"), once);
}

TEST(StateDigests, WhoeverWantsThemGetsThemInPlaceOfTheResults) {
  RunSetup setup;
  std::vector<PicoSeconds> told;
  std::size_t devices = 0;
  setup.digests = [&](const std::vector<std::string>& names, PicoSeconds now,
                      const std::vector<std::uint64_t>& row) {
    told.push_back(now);
    devices = names.size();
    EXPECT_EQ(row.size(), names.size());
  };
  const RunResults r = run(config_of(star("nic: {congestion_control: {algorithm: none}}\n"
                                          "output: {digest: {every: 40us}}\ntraffic: [" +
                                          std::string(kFlow) + "]\n")),
                           setup);
  EXPECT_EQ(told, (std::vector<PicoSeconds>{PicoSeconds{}, kMicroSecond * 40, kMicroSecond * 80}));
  EXPECT_EQ(devices, 1u + 4 + 4 * 2) << "no controllers, no algorithms";
  EXPECT_TRUE(r.digests.value().rows.empty());
}

}  // namespace
}  // namespace dcc::vp
