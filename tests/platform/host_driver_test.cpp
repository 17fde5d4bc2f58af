// Tests hosts with software: bus, interrupts, and the application's report.
#include "software/host_driver.h"

#include <gtest/gtest.h>

#include <set>

#include "build/platform.h"
#include "build/run_loop.h"
#include "firmware_run.h"
#include "measure/collector.h"
#include "measure/metrics.h"
#include "small_platform.h"

namespace dcc::vp::host_driver_test {
namespace {

std::string native(const std::string& rest) {
  return "topology: {kind: star, hosts: 2, link: {rate: 25Gbps, delay: 1us}}\n"
         "host: {driver: native}\nduration: 300us\n"
         "nic: {payload: real, congestion_control: {algorithm: dcc}}\n"
         "traffic: [{kind: flow, from: 1, to: 0, bytes: 64KiB, message: 16KiB}]\n" +
         rest;
}

TEST(HostDriver, ANativeApplicationSendsChecksAndReports) {
  const RunResults r = run(native(""));
  EXPECT_TRUE(r.failures.empty()) << r.failures.front();
  EXPECT_EQ(r.hosts[0].messages_verified, 4u);
  EXPECT_EQ(r.hosts[1].messages_verified, 0u);
  EXPECT_EQ(r.hosts[0].payload_errors, 0u);
  EXPECT_EQ(r.hosts[0].completions_lost, 0u);
  EXPECT_EQ(r.hosts[0].instructions, 0u) << "no modelled CPU";
  EXPECT_TRUE(r.flows[0].completed);
  EXPECT_TRUE(broken_balances(r).empty());
}

TEST(HostDriver, ARunNeedsNoTraffic) {
  const RunResults r =
      run("topology: {kind: star, hosts: 2}\nhost: {driver: native}\nduration: 300us\n"
          "nic: {payload: real, congestion_control: {algorithm: dcc}}\n");
  EXPECT_TRUE(r.failures.empty()) << r.failures.front();
  EXPECT_TRUE(r.completed);
  EXPECT_TRUE(broken_balances(r).empty());
}

TEST(HostDriver, ItsBusAndItsLinesCanBeWatched) {
  const PlatformConfig config = config_of(native(""));
  Platform platform("platform", config, {});
  std::set<std::string> targets;
  platform.hosts[1]->trace_transactions([&](const regs::AccessRecord& access) {
    targets.insert(access.target);
    EXPECT_EQ(access.path.rfind("host1.", 0), 0u) << access.path;
  });
  std::set<std::string> lines;
  platform.hosts[1]->observe_lines([&](const char* line, bool) { lines.insert(line); });
  Unwatched observer;
  RunLoop loop(platform, observer);
  RunResults results;
  loop.run(results);
  EXPECT_EQ(targets.count("controller"), 1u);
  EXPECT_EQ(targets.count("nic"), 1u);
  EXPECT_EQ(lines.count("nic"), 1u) << "completions come by interrupt";
  EXPECT_EQ(lines.count("cpu"), 1u);
}

TEST(HostDriver, FirmwarePrintsWholeLinesWithItsHost) {
  using namespace riscv::test;  // NOLINT: instructions by their names
  const auto print = [](char c) {
    return store(DCC_UART_BASE, DCC_UART_DATA, static_cast<std::uint32_t>(c));
  };
  ::testing::internal::CaptureStderr();
  const RunResults r = run_firmware(
      sequence({print('o'), print('n'), print('\n'), print('t'), print('w'), exit_with(0)}));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "host 1: on\nhost 1: tw\n");
  EXPECT_TRUE(r.failures.empty()) << r.failures.front();
}

TEST(HostDriver, RamThatIsTooSmallIsRefused) {
  const PlatformConfig config = config_of(
      "topology: {kind: star, hosts: 2}\nhost: {driver: native, ram: 2MiB}\n"
      "nic: {payload: real}\n"
      "traffic: [{kind: flow, from: 1, to: 0, bytes: 64MiB, message: 1MiB}]\n");
  EXPECT_THROW(Platform("platform", config, {}), std::runtime_error);
}

}  // namespace
}  // namespace dcc::vp::host_driver_test
