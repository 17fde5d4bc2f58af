// Results of the QoS manager, the closed loop for tenants' shares.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stats/metric.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc::vp {

/// The state of the QoS manager's closed loop for one tenant at the end of the run.
struct QosTenantResult {
  std::string name;
  unsigned dscp = 0;
  unsigned flows = 0;     // number of active flows at the meters' last report
  double factor = 1;      // factor of each of the tenant's flows in the senders' factor tables
  double correction = 0;  // part of the tenant's factor that was learned from shares, in octaves

  template <class Visitor>
  static void describe(Visitor&& v) {
    v(&QosTenantResult::name, "name", {"", "as configured"});
    v(&QosTenantResult::dscp, "dscp", {"", "DSCP of the class"});
    v(&QosTenantResult::flows, "flows",
      {"", "active flows at the manager's last update", Statistic::kSum, Span::kEnd});
    v(&QosTenantResult::factor, "factor",
      {"", "factor of one of its flows in the senders' tables", Statistic::kValue, Span::kEnd});
    v(&QosTenantResult::correction, "correction_octaves",
      {"octaves", "correction of the factor, learned from shares", Statistic::kValue, Span::kEnd});
  }
};

struct QosResult {
  HostId manager = 0;
  std::uint64_t updates = 0;
  std::uint64_t commands = 0;  // number of commands that changed a factor
  // number of reports and commands on the wire, including repeats
  std::uint64_t messages = 0;
  Bytes bytes = 0;                       // payload of reports and commands that arrived
  std::vector<QosTenantResult> tenants;  // tenants in the order of the configuration

  template <class Visitor>
  static void describe(Visitor&& v) {  // describes all members except the tenants
    constexpr Statistic kSum = Statistic::kSum;
    v(&QosResult::manager, "manager",
      {"host", "host of the QoS manager; the group exists only with a manager"});
    v(&QosResult::updates, "updates", {"", "rounds of its control loop", kSum, Span::kRun});
    v(&QosResult::commands, "commands", {"", "commands that changed a factor", kSum, Span::kRun});
    v(&QosResult::messages, "messages",
      {"", "reports and commands on the wire, repeats included", kSum, Span::kRun});
    v(&QosResult::bytes, "bytes",
      {"B", "payload of reports and commands that arrived", kSum, Span::kRun});
  }
};

}  // namespace dcc::vp
