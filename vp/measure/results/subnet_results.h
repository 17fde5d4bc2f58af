// Results of InfiniBand's management plane.
#pragma once

#include <cstdint>
#include <vector>

#include "stats/metric.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc::vp {

/// The request of a flow for a guaranteed rate.
struct SubnetRequestResult {
  std::uint32_t flow = 0;
  double asked_gbps = 0;
  bool granted = false;
  double available_gbps = 0;  // rate that could be had on the path when the request was answered
  double answered_us = 0;     // simulated time of the answer
  std::uint64_t path = 0;     // number of the destination's address whose path was examined last

  template <class Visitor>
  static void describe(Visitor&& v) {
    constexpr Statistic kValue = Statistic::kValue;
    v(&SubnetRequestResult::flow, "flow", {"", "id of the flow"});
    v(&SubnetRequestResult::asked_gbps, "asked_gbps", {"Gb/s", "rate that the flow asked for"});
    v(&SubnetRequestResult::granted, "granted",
      {"", "true: the flow was admitted; false: it was refused and sends nothing", kValue,
       Span::kRun});
    v(&SubnetRequestResult::available_gbps, "available_gbps",
      {"Gb/s", "greatest rate that could be had on one of the paths at that time", kValue,
       Span::kRun});
    v(&SubnetRequestResult::answered_us, "answered_us",
      {"us", "simulated time at which the answer arrived", kValue, Span::kRun});
    v(&SubnetRequestResult::path, "path",
      {"", "number of the destination's address with that rate", kValue, Span::kRun});
  }
};

struct SubnetResult {
  HostId manager = 0;
  std::uint64_t switches = 0;  // switches that discovery found
  std::uint64_t hosts = 0;     // ports of hosts that discovery found
  std::uint64_t links = 0;
  std::uint64_t smps = 0;    // datagrams of discovery, without the answers
  double discovered_us = 0;  // simulated time at which discovery ended; 0: it had not ended
  std::uint64_t traps = 0;   // notices of failed or repaired cables that the manager got
  std::uint64_t sweeps = 0;  // sweeps that have ended, the first one included
  double routed_us = 0;      // simulated time of the last new routes; 0: there were none
  std::uint64_t tables = 0;  // VL arbitration tables that the manager wrote
  std::uint64_t admitted = 0;
  std::uint64_t refused = 0;
  std::uint64_t waiting = 0;                  // requests without an answer at the end of the run
  std::vector<SubnetRequestResult> requests;  // answered requests in the order of their answers

  template <class Visitor>
  static void describe(Visitor&& v) {  // describes all members except the requests
    constexpr Statistic kSum = Statistic::kSum, kValue = Statistic::kValue;
    v(&SubnetResult::manager, "manager",
      {"host", "host of the subnet manager; the group exists only with a manager"});
    v(&SubnetResult::switches, "switches", {"", "switches discovered", kSum, Span::kRun});
    v(&SubnetResult::hosts, "hosts", {"", "ports of hosts discovered", kSum, Span::kRun});
    v(&SubnetResult::links, "links", {"", "cables discovered", kSum, Span::kRun});
    v(&SubnetResult::smps, "smps",
      {"", "management datagrams that the manager sent in sweeps", kSum, Span::kRun});
    v(&SubnetResult::discovered_us, "discovered_us",
      {"us", "simulated time at which discovery ended; 0: it had not ended", kValue, Span::kRun});
    v(&SubnetResult::traps, "traps",
      {"", "notices of a failed or repaired cable that reached the manager", kSum, Span::kRun});
    v(&SubnetResult::sweeps, "sweeps",
      {"", "sweeps of the fabric that have ended, discovery included", kSum, Span::kRun});
    v(&SubnetResult::routed_us, "routed_us",
      {"us", "simulated time at which switches had new routes last; 0: never", kValue, Span::kRun});
    v(&SubnetResult::tables, "tables",
      {"", "VL arbitration tables written by the manager", kSum, Span::kRun});
    v(&SubnetResult::admitted, "admitted", {"", "requests granted", kSum, Span::kRun});
    v(&SubnetResult::refused, "refused", {"", "requests refused", kSum, Span::kRun});
    v(&SubnetResult::waiting, "waiting",
      {"", "requests without an answer at the end of the run", kSum, Span::kRun});
  }
};

}  // namespace dcc::vp
