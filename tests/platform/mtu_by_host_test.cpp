// Tests hosts with different MTUs in one network: a path uses the smaller MTU of its two ends.
#include <gtest/gtest.h>

#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "small_platform.h"

namespace dcc::vp::mtu_by_host_test {
namespace {

/// Configuration in which hosts 0 and 1 have the MTU of `nics`, and hosts 2 and 3 the MTU of `nic`.
std::string four_hosts(const std::string& traffic, const std::string& rest) {
  return "topology: {kind: star, hosts: 4, link: {rate: 100Gbps, delay: 1us}}\n"
         "host: {driver: none}\nduration: 2ms\nmeasure: {from: 0ms}\n"
         "traffic: [" +
         traffic + "]\n" + rest;
}

constexpr const char* kSmall = "nic: {mtu: 1024B}\n";
constexpr const char* kLarge = "nic: {mtu: 4096B}\n";
constexpr const char* kMixed = "nic: {mtu: 1024B}\nnics: [{hosts: 0..1, mtu: 4096B}]\n";

/// The results of a run as text: end and ideal completion time of each flow, and the number of data
/// packets of all NICs.
std::string outcome(const std::string& yaml, std::uint32_t threads = 0) {
  return in_a_process([&] {
    RunSetup setup;
    setup.threads = threads;
    const RunResults results = run(config_of(yaml), setup);
    std::string text;
    for (const FlowResult& flow : results.flows) {
      text += std::to_string(flow.delivered_total) + " " +
              std::to_string(flow.end ? flow.end->count : -1) + " " +
              std::to_string(flow.end_rx ? flow.end_rx->count : -1) + " " +
              std::to_string(flow.ideal ? flow.ideal->count : -1) + ", ";
    }
    return text + std::to_string(results.counters.of(&NicCounters::data_received));
  });
}

std::string flow(const std::string& from, const std::string& to, const std::string& rest) {
  return "{kind: flow, from: " + from + ", to: " + to + ", bytes: 200001B, " + rest + "}";
}

// The oracle is a run of the same flow alone in a network where every host has the smaller MTU.
TEST(MtuByHost, AFlowHasPacketsOfTheSmallerEnd) {
  for (const char* const rest :
       {"message: 60001B", "message: 60001B, operation: read", "message: 60001B, operation: send",
        "message: 60001B, service: uc", "message: 1024B, service: ud, operation: send"}) {
    const auto in = [&](const char* from, const char* to, const char* nics) {
      return outcome(four_hosts(flow(from, to, rest), nics));
    };
    const std::string small = in("1", "0", kSmall);
    const bool one_packet = std::string(rest).find("1024B") != std::string::npos;
    EXPECT_EQ(small == in("1", "0", kLarge), one_packet) << rest;
    EXPECT_EQ(small, in("3", "2", kMixed)) << rest;
    EXPECT_EQ(small, in("1", "2", kMixed)) << rest;
    EXPECT_EQ(small, in("2", "1", kMixed)) << rest;
    EXPECT_EQ(in("1", "0", kLarge), in("1", "0", kMixed)) << rest;
  }
}

TEST(MtuByHost, EntriesForAllHostsAreLikeNic) {
  const std::string flows =
      flow("1", "0", "message: 60001B") + ", " + flow("3", "0", "rate: 1Gbps");
  EXPECT_EQ(outcome(four_hosts(flows, kLarge)),
            outcome(four_hosts(flows, "nics: [{hosts: 0..3, mtu: 4096B}]\n")));
  EXPECT_EQ(outcome(four_hosts(flows, kLarge)),
            outcome(four_hosts(flows, std::string(kLarge) + "nics: [{hosts: 2, ack_every: 1}]\n")));
}

TEST(MtuByHost, ADriverProgramsTheMtuOfItsHost) {
  const auto natively = [](const char* from, const char* to, const char* nics) {
    std::string yaml = four_hosts(flow(from, to, "message: 60001B"), nics);
    return outcome(yaml.replace(yaml.find("driver: none"), 12, "driver: native"));
  };
  EXPECT_EQ(natively("1", "0", kLarge), natively("1", "0", kMixed));
  EXPECT_EQ(natively("3", "2", kSmall), natively("3", "2", kMixed));
  const std::string across = natively("1", "2", kMixed);
  EXPECT_EQ(across.substr(across.rfind(' ')),
            " 197");  // three messages of 59 packets of 1024 bytes, and 20 more packets
}

/// Adapts the configuration `nics` to a message transport. Hosts with the transport `kind` must
/// have ports of their own.
std::string with_transport(std::string nics, const std::string& kind) {
  const std::string transport =
      ", transport: {kind: " + kind + "}, congestion_control: {algorithm: none}}";
  for (std::size_t at = nics.find("B}"); at != std::string::npos; at = nics.find("B}", at + 3)) {
    nics.replace(at + 1, 1, transport);
  }
  return nics + "switch: {pfc: {enabled: false}}\n";
}

/// Number at position `index`, from 0, of a text that outcome() returned; -1 stands for the last
/// position.
std::int64_t value(const std::string& text, int index) {
  std::istringstream in(text);
  const std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
  const auto at = index < 0 ? words.size() - 1 : static_cast<std::size_t>(index);
  if (text.find_first_not_of("-0123456789, ") != std::string::npos) throw std::runtime_error(text);
  return std::stoll(words.at(at));
}

// Completion times may differ only as much as the longer base RTT of a large packet explains.
TEST(MtuByHost, MessagesHavePacketsOfTheSmallerEnd) {
  for (const char* const kind : {"homa", "ndp", "phost", "pfabric", "tcp", "uec", "rcp", "xcp",
                                 "d3", "pdq", "fcp", "expresspass"}) {
    const auto in = [&](const char* from, const char* to, const char* nics) {
      return outcome(four_hosts(flow(from, to, "start: 10us"), with_transport(nics, kind)));
    };
    const std::string small = in("1", "0", kSmall);
    const std::string large = in("1", "0", kLarge);
    // the transport pHost sends some packets twice
    EXPECT_NEAR(static_cast<double>(value(small, -1)), 196 + 4, 4) << kind;
    EXPECT_NEAR(static_cast<double>(value(large, -1)), 49 + 1, 1) << kind;
    const std::string both_large = in("1", "0", kMixed);
    EXPECT_EQ(value(both_large, -1), value(large, -1)) << kind;
    EXPECT_EQ(value(both_large, 3), value(large, 3)) << kind;
    EXPECT_NEAR(static_cast<double>(value(both_large, 2)), static_cast<double>(value(large, 2)),
                0.001 * static_cast<double>(value(large, 2)))
        << kind;
    for (const auto& [from, to] : {std::pair{"3", "2"}, {"1", "2"}, {"2", "1"}}) {
      const std::string mixed = in(from, to, kMixed);
      EXPECT_EQ(value(mixed, -1), value(small, -1)) << kind << ' ' << from << ' ' << to;
      EXPECT_EQ(value(mixed, 0), 200001) << kind;
      EXPECT_EQ(value(mixed, 3), value(small, 3)) << kind << ": ideal time";
      EXPECT_NEAR(static_cast<double>(value(mixed, 2)), static_cast<double>(value(small, 2)),
                  0.05 * static_cast<double>(value(small, 2)))
          << kind << ' ' << from << ' ' << to;
    }
  }
}

// Windows, tokens and grants of one receiver serve senders of both MTUs, and no flow stalls.
TEST(MtuByHost, SendersOfBothSizesShareAReceiver) {
  for (const char* const kind : {"homa", "ndp", "phost", "pfabric", "tcp", "uec", "rcp", "xcp",
                                 "d3", "pdq", "fcp", "expresspass"}) {
    const std::string rest = "start: 10us";
    const std::string text = outcome(
        four_hosts(flow("1", "0", rest) + ", " + flow("2", "0", rest) + ", " + flow("3", "0", rest),
                   with_transport(kMixed, kind)));
    for (int number = 0; number < 3; ++number) {
      EXPECT_EQ(value(text, 4 * number), 200001) << kind << ": " << text;
      // 600 KB take 49 us at the link rate, and the recovery from a loss takes up to a millisecond.
      EXPECT_LT(value(text, 4 * number + 2), 1'500'000'000) << kind << ": " << text;
    }
  }
}

TEST(MtuByHost, ThreadsChangeNothing) {
  const std::string flows =
      flow("1", "2", "message: 60001B") + ", " + flow("3", "0", "rate: 1Gbps");
  EXPECT_EQ(outcome(four_hosts(flows, kMixed), 1), outcome(four_hosts(flows, kMixed), 2));
}

// The largest packet of the network has the size that at least two hosts can exchange.
TEST(MtuByHost, OneHostAloneMakesNoPacketGreater) {
  const auto config = [](const std::string& nics) {
    return config_of(four_hosts(flow("1", "0", "message: 60001B"), nics));
  };
  EXPECT_EQ(config("nic: {mtu: 1024B}\nnics: [{hosts: 3, mtu: 9000B}]\n").largest_mtu(), 1024u);
  EXPECT_EQ(config("nic: {mtu: 1024B}\nnics: [{hosts: [2, 3], mtu: 9000B}]\n").largest_mtu(),
            9000u);
  EXPECT_EQ(config("nics: [{hosts: 0..2, mtu: 2KB}, {hosts: 3, mtu: 9KB}]\n").largest_mtu(), 2000u);
  EXPECT_EQ(config("nics: [{hosts: 0..2, mtu: 2KB}, {hosts: 3, mtu: 9KB}]\n").smallest_mtu(),
            2000u);
}

std::string refusal(const std::string& yaml) {
  try {
    const Planned planned(yaml);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(MtuByHost, RefusesDatagramsThatDoNotFit) {
  const char* const datagrams = "message: 4KB, service: ud, operation: send";
  EXPECT_EQ(refusal(four_hosts(flow("1", "0", datagrams), kMixed)), "");
  EXPECT_EQ(refusal(four_hosts(flow("1", "2", datagrams), kMixed)),
            "traffic.0: a datagram is one packet: at most 1024B between host 1 and host 2 (nics, "
            "mtu), not 4000B");
}

}  // namespace
}  // namespace dcc::vp::mtu_by_host_test
