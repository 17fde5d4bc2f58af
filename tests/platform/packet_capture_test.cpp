// Tests packet captures: selection of ports and flows, and errors before any file is written.
#include "debug/packet_capture.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

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
  // Host 1 sends ten packets of payload.
  EXPECT_EQ(all[1], "trace/sender.pcapng: 10 packets of 1 port");
  EXPECT_EQ(all[2], "trace/second.pcapng: 10 packets of 2 ports") << "flow 0 is not wanted";
}

TEST(PacketCapture, AWindowThatIsOverBeforeAnythingIsSentIsEmpty) {
  const auto files = captured("{name: early, ports: [h0->s0], to: 1us}");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0], "trace/early.pcapng: 0 packets of 1 port");
}

TEST(PacketCapture, AWindowBeginsWhereItSays) {
  // Host 1 sends 10 packets of 1 KB at 100 Gb/s within a microsecond.
  const auto files = captured(
      "{name: begun, ports: [h1->s0], from: 0us}, {name: late, ports: [h1->s0], from: 5us}");
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0], "trace/begun.pcapng: 10 packets of 1 port");
  EXPECT_EQ(files[1], "trace/late.pcapng: 0 packets of 1 port");
}

TEST(PacketCapture, EachHostsPacketsHaveTheHeadersOfItsTransport) {
  const fs::path folder = fs::temp_directory_path() / ("capture" + std::to_string(getpid()));
  fs::create_directories(folder);
  RunSetup setup;
  setup.traces.folder = folder;
  run(config_of(star(kFlows + "switch: {pfc: {enabled: false}}\nnic: {payload: virtual}\n"
                              "nics: [{hosts: [2, 3], transport: {kind: tcp}}]\n"
                              "output: {trace: {packets: [{name: roce, ports: [h1->s0, h0->s0]}, "
                              "{name: tcp, ports: [h2->s0, h3->s0]}]}}\n")),
      setup);
  const auto has_label = [&folder](const std::string& name) {
    std::ifstream file(folder / (name + ".pcapng"), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_GT(bytes.size(), 1'000u);
    // the comment that wire/labelled_frame.h writes
    return bytes.find(", flow ") != std::string::npos;
  };
  EXPECT_FALSE(has_label("roce"));
  EXPECT_TRUE(has_label("tcp"));
  fs::remove_all(folder);
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

/// Writes capture files of a run on a tree whose flows start and stop at the same times, some of
/// them while a link between partitions is down. The returned text begins with the numbers of
/// threads and partitions.
std::string files_of(unsigned threads, unsigned parts, const std::string& more) {
  return in_a_process([&] {
    const fs::path folder = fs::temp_directory_path() / ("capture" + std::to_string(getpid()));
    fs::create_directories(folder);
    RunSetup setup;
    setup.traces.folder = folder;
    setup.threads = threads;
    setup.parts = parts;
    const RunResults r = run(
        config_of("topology: {kind: fat_tree, pods: 2, racks_per_pod: 2, aggs_per_pod: 2, "
                  "hosts_per_rack: 4, cores: 2, host_link: {rate: 100Gbps, delay: 1us}, "
                  "fabric_link: {rate: 100Gbps, delay: 1us}}\nhost: {driver: none}\nduration: "
                  "60us\nseed: 3\nnic: {congestion_control: {algorithm: dcqcn}}\n"
                  "traffic: [{kind: stride, stride: 5, stop: 20us}, {kind: stride, stride: 9, "
                  "start: 20us, stop: 40us}, {kind: incast, senders: 1..15, receiver: 0, bytes: "
                  "20KB, start: 10us}]\n"
                  "output: {trace: {packets: [{name: all}, {name: one, ports: [h3, h9], flows: "
                  "[2, 3, 20], snap: 2KB, from: 5us}]}}\n" +
                  more),
        setup);
    std::string text = std::to_string(r.threads) + " threads\n";
    for (const std::string& line : r.traces) text += line + "\n";
    for (const char* const name : {"all.pcapng", "one.pcapng"}) {
      std::ifstream in(folder / name, std::ios::binary);
      text.append(std::istreambuf_iterator<char>(in), {});
    }
    fs::remove_all(folder);
    return text;
  });
}

TEST(PacketCapture, PartsAndThreadsLeaveTheSameFiles) {
  const auto without_threads = [](const std::string& text) { return text.substr(text.find('\n')); };
  for (const char* const more :
       {"", "switch: {ties: seeded, pfc: {enabled: true}, buffer: 400KB}\n",
        "faults: [{kind: link_flap, link: agg0--rack0, start: 5us, stop: 55us, down: 3us, up: 4us, "
        "convergence: 1us}]\n"}) {
    const std::string whole = files_of(1, 1, more);
    ASSERT_EQ(whole.find("1 threads\ntrace/all.pcapng: "), 0u) << whole.substr(0, 300);
    ASSERT_GT(whole.size(), 1'000'000u);
    for (const unsigned parts : {2u, 3u, 4u}) {
      EXPECT_TRUE(files_of(1, parts, more) == whole) << parts << " parts; " << more;
    }
    for (const unsigned parts : {2u, 4u}) {
      const std::string shared = files_of(2, parts, more);
      EXPECT_EQ(shared.find("2 threads\n"), 0u);
      EXPECT_TRUE(without_threads(shared) == without_threads(whole)) << parts << " parts; " << more;
    }
  }
}

}  // namespace
}  // namespace dcc::vp::packet_capture_test
