// Functions that make traffic specifications for tests.
#pragma once

#include <string>
#include <utility>

#include "traffic/traffic_expander.h"

namespace dcc::traffic_test {

inline TrafficContext context(HostId hosts = 16, std::uint64_t seed = 1) {
  TrafficContext c;
  c.hosts = hosts;
  c.seed = seed;
  c.link_rate = [](HostId) { return BitRate(100'000'000'000); };
  c.priority_of_dscp[46] = 5;
  return c;
}

inline TrafficSpec flow(HostId from, HostId to, TrafficPattern pattern = TrafficPattern::kFlow) {
  TrafficSpec s;
  s.pattern = pattern;
  s.from = from;
  s.to = to;
  return s;
}

inline TrafficSpec to_one(HostList senders, HostId receiver,
                          TrafficPattern pattern = TrafficPattern::kIncast) {
  TrafficSpec s;
  s.pattern = pattern;
  s.senders = std::move(senders);
  s.receiver = receiver;
  return s;
}

inline TrafficSpec among(TrafficPattern pattern, HostList hosts) {
  TrafficSpec s;
  s.pattern = pattern;
  s.hosts = std::move(hosts);
  return s;
}

inline std::string error_of(const TrafficSpec& s) {
  try {
    expand_traffic({s}, context());
  } catch (const TrafficError& error) {
    return error.what();
  }
  return "";
}

}  // namespace dcc::traffic_test
