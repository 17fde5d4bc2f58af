// Captures: which ports and flows, and a refusal before anything is written.
#include "platform/packet_capture.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "small_platform.h"

namespace dcc::vp::packet_capture_test {
namespace {

namespace fs = std::filesystem;

const std::string kFlows =
    "traffic: [{kind: flow, from: 1, to: 0, bytes: 10KB}, {kind: flow, from: 2, to: 3, bytes: "
    "10KB}]\n";

std::vector<std::string> captured(const std::string& packets) {
  const fs::path folder = fs::temp_directory_path() / ("capture" + std::to_string(getpid()));
  fs::create_directories(folder);
  RunSetup setup;
  setup.traces.folder = folder;
  const RunResults r =
      run(config_of(star(kFlows + "output: {trace: {packets: [" + packets + "]}}\n")), setup);
  for (const std::string& line : r.lost_traces) ADD_FAILURE() << line;
  fs::remove_all(folder);
  return r.traces;
}

TEST(PacketCapture, AllPortsOneNodeOrOneFlow) {
  const auto all = captured(
      "{name: all}, {name: sender, ports: [h1->s0]}, "
      "{name: second, ports: [h2->s0, h1->s0], flows: [1]}");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_NE(all[0].find("of 8 ports"), std::string::npos) << all[0];
  // Ten packets of payload go out of host 1.
  EXPECT_EQ(all[1], "trace/sender.pcapng: 10 packets of 1 port");
  EXPECT_EQ(all[2], "trace/second.pcapng: 10 packets of 2 ports") << "flow 0 is not wanted";
}

TEST(PacketCapture, AWindowThatIsOverBeforeAnythingIsSentIsEmpty) {
  const auto files = captured("{name: early, ports: [h0->s0], to: 1us}");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0], "trace/early.pcapng: 0 packets of 1 port");
}

TEST(PacketCapture, AWindowBeginsWhereItSays) {
  // 10 packets of a kilobyte at 100 Gb/s are out within a microsecond.
  const auto files = captured(
      "{name: begun, ports: [h1->s0], from: 0us}, {name: late, ports: [h1->s0], from: 5us}");
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0], "trace/begun.pcapng: 10 packets of 1 port");
  EXPECT_EQ(files[1], "trace/late.pcapng: 0 packets of 1 port");
}

TEST(PacketCapture, APortOrFlowThatIsNotThereIsRefused) {
  const auto check = [](const std::string& packets) {
    const Planned p(star(kFlows + "output: {trace: {packets: [" + packets + "]}}\n"));
    check_trace(p.config, p.topology, p.plan.flows().size());
  };
  EXPECT_NO_THROW(check("{name: a, ports: [h1], flows: [1]}"));
  EXPECT_THROW(check("{name: a, ports: [h8]}"), SettingError);
  EXPECT_THROW(check("{name: a, flows: [2]}"), SettingError);
}

}  // namespace
}  // namespace dcc::vp::packet_capture_test
