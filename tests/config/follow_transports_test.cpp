// Timers and initial windows of transports other than RoCE follow the network's rate and base RTT.
#include <gtest/gtest.h>

#include <algorithm>

#include "config/follow_network.h"
#include "config/parameter_list.h"

namespace dcc::vp {
namespace {

LoadedConfig loaded_transports(const std::string& text) {
  return load_config_text(text, "t.yaml", ".", {});
}

std::string star_of_transports(const std::string& rate, const std::string& delay) {
  return "topology: {kind: star, hosts: 9, link: {rate: " + rate + ", delay: " + delay + "}}\n";
}

/// The effective value of the parameter nic.transport.KEY.
std::string of_transport(const std::string& kind, const std::string& key, const std::string& rate,
                         const std::string& delay) {
  const LoadedConfig loaded = loaded_transports(star_of_transports(rate, delay) +
                                                "nic: {transport: {kind: " + kind + "}}\n");
  for (const ParameterRow& row : list_parameters(loaded)) {
    if (row.path == "nic.transport." + key) return row.value;
  }
  return "none";
}

TEST(FollowTransports, TransportsWaitForARoundTripAndAPortsQueue) {
  for (const char* kind :
       {"d3", "expresspass", "fastpass", "fcp", "ndp", "pdq", "phost", "rcp", "xcp"}) {
    SCOPED_TRACE(kind);
    EXPECT_EQ(of_transport(kind, "timeout", "100Gbps", "1us"), "1ms");
    // The timeout is four base round trips (2 ms of cable and some microseconds each) plus the time
    // in which a port at 25 Gb/s drains a full queue of 375 KB: 120 us.
    const std::string far = of_transport(kind, "timeout", "25Gbps", "500us");
    EXPECT_NEAR(std::stod(far), 8130, 20) << far;
    // At 1 Gb/s the port needs 3 ms for a queue of 375 KB, and four base round trips take 100 us.
    const std::string slow = of_transport(kind, "timeout", "1Gbps", "1us");
    EXPECT_EQ(slow, "3100us");
  }
  EXPECT_EQ(of_transport("pfabric", "timeout", "10Gbps", "1us"), "45us");
  EXPECT_EQ(of_transport("pfabric", "timeout", "1Gbps", "1us"), "450us");
  EXPECT_EQ(of_transport("pfabric", "timeout", "25Gbps", "500us").substr(0, 2), "60");
}

/// Converts a time such as "8.13ms" or "3100us" to microseconds.
double time_in_microseconds(const std::string& text) {
  std::size_t end = 0;
  const double number = std::stod(text, &end);
  const std::string unit = text.substr(end);
  return number * (unit == "ns" ? 1e-3 : unit == "us" ? 1 : unit == "ms" ? 1e3 : 1e6);
}

// Checks rates from 1 to 800 Gb/s and base RTTs from 2 us to 2 ms. The test computes each timer and
// window from link rate and cable alone: the base RTT is four times the cable's delay plus the
// transmission time of some full packets.
TEST(FollowTransports, TimersAndWindowsHoldAtEveryRateAndDistance) {
  for (const double gbps : {1.0, 10.0, 25.0, 100.0, 400.0, 800.0}) {
    for (const double rtt_us : {2.0, 20.0, 200.0, 2000.0}) {
      const std::string rate = std::to_string(static_cast<int>(gbps)) + "Gbps";
      const std::string delay = std::to_string(static_cast<int>(rtt_us * 250)) + "ns";
      SCOPED_TRACE(rate + " " + delay);
      const double bytes_per_us = gbps * 1e3 / 8;
      const double port_us = 375e3 / bytes_per_us;
      const double packet_us = 1100 / bytes_per_us;
      for (const char* kind :
           {"d3", "expresspass", "fastpass", "fcp", "ndp", "pdq", "phost", "rcp", "xcp"}) {
        SCOPED_TRACE(kind);
        const double timeout = time_in_microseconds(of_transport(kind, "timeout", rate, delay));
        EXPECT_GE(timeout, std::max(1000.0, 4 * rtt_us + port_us));
        EXPECT_LE(timeout, std::max(1000.0, 4 * (rtt_us + 4 * packet_us) + port_us + 11));
      }
      const double goes_back =
          time_in_microseconds(of_transport("pfabric", "timeout", rate, delay));
      EXPECT_GE(goes_back, std::max({45.0, 3 * rtt_us, 56.25e3 / bytes_per_us}));
      const double product = bytes_per_us * rtt_us;  // without the transmission time of the packets
      EXPECT_GE(std::stod(of_transport("ndp", "initial_window", rate, delay)),
                std::max(23.0, std::min(100e3, product / 1100 - 1)));
      EXPECT_GE(std::stod(of_transport("pfabric", "initial_window", rate, delay)),
                std::max(12.0, std::min(80e3, product / 1100 - 1)));
    }
  }
}

TEST(FollowTransports, FirstWindowsOfTransportsHoldABandwidthDelayProduct) {
  EXPECT_EQ(of_transport("homa", "rtt_bytes", "10Gbps", "1us"), "10KB");
  EXPECT_EQ(of_transport("ndp", "initial_window", "10Gbps", "1us"), "23");
  EXPECT_EQ(of_transport("pfabric", "initial_window", "10Gbps", "1us"), "12");
  EXPECT_EQ(of_transport("pfabric", "max_window", "10Gbps", "1us"), "15");
  // The bandwidth-delay product of 100 Gb/s and about 40.3 us is 504 KB, or 480 packets of 1048 or
  // 1082 bytes.
  const auto at_100 = [](const char* kind, const char* key) {
    return std::stod(of_transport(kind, key, "100Gbps", "10us"));
  };
  EXPECT_NEAR(at_100("homa", "rtt_bytes"), 504, 8);
  EXPECT_NEAR(at_100("ndp", "initial_window"), 475, 15);
  EXPECT_NEAR(at_100("pfabric", "initial_window"), 475, 15);
  EXPECT_NEAR(at_100("pfabric", "max_window"), 475 * 1.25, 19);
  const LoadedConfig written =
      loaded_transports(star_of_transports("100Gbps", "10us") +
                        "nic: {transport: {kind: pfabric, initial_window: 100}}\n");
  for (const ParameterRow& row : list_parameters(written)) {
    if (row.path == "nic.transport.max_window") {
      EXPECT_EQ(row.value, "125");
    }
  }
}

}  // namespace
}  // namespace dcc::vp
