// Results of the subnet manager, InfiniBand's management plane.
#pragma once

#include <cstdint>
#include <vector>

#include "stats/metric.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc::vp {

/// A flow's request for a guaranteed rate, with the subnet manager's answer.
struct SubnetRequestResult {
  std::uint32_t flow = 0;
  double asked_gbps = 0;
  bool granted = false;
  // rate available on the path when the subnet manager answered the request
  double available_gbps = 0;
  double answered_us = 0;  // simulated time of the answer to the request
  // path number in the destination LIDs, of the last path that was examined
  std::uint64_t path = 0;

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
  std::uint64_t switches = 0;  // number of switches that discovery found
  std::uint64_t hosts = 0;     // number of host ports that discovery found
  std::uint64_t links = 0;
  std::uint64_t smps = 0;    // number of datagrams that discovery sent, without the answers
  double discovered_us = 0;  // simulated time at which discovery ended; 0: discovery had not ended
  // number of notices of failed or repaired cables that the subnet manager received
  std::uint64_t traps = 0;
  std::uint64_t sweeps = 0;  // number of completed sweeps, including the first
  // simulated time of the last change of routes; 0: routes did not change
  double routed_us = 0;
  std::uint64_t tables = 0;  // number of VL arbitration tables that the subnet manager wrote
  std::uint64_t admitted = 0;
  std::uint64_t refused = 0;
  // number of requests without an answer at the end of the run
  std::uint64_t waiting = 0;
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
