#include "config/check/checks.h"

#include <string>

#include "config/check/check_context.h"
#include "describe/quantity_text.h"
#include "traffic/traffic_spec.h"

namespace dcc::vp {
namespace {

/// True if two entries of `traffic` send reliable datagrams through the same end-to-end context:
/// the same `ee_context` number, the same sending host and the same receiving host. Compares
/// entries of `kind: flow` only, since other kinds do not name one host for each end.
bool shares_context(const TrafficSpec& a, const TrafficSpec& b) {
  return a.service == Service::kRd && b.service == Service::kRd && a.ee_context == b.ee_context &&
         a.pattern == TrafficPattern::kFlow && b.pattern == TrafficPattern::kFlow &&
         a.from == b.from && a.to == b.to;
}

/// Checks list entries by their modules' checks, and the times of changes.
class ListsCheck : private CheckContext {
 public:
  using CheckContext::CheckContext;

  void check_topology() const {
    check_together("topology", [&] { c_.topology.check(); });
  }

  void check_traffic() const {
    std::uint64_t flows = 0;
    for (std::size_t i = 0; i < c_.traffic.size(); ++i) {
      check_together("traffic." + std::to_string(i),
                     [&] { flows += c_.traffic[i].check(c_.topology.host_count(), c_.duration); });
      require(
          c_.traffic[i].service != Service::kUd ||
              c_.traffic[i].message <= static_cast<Bytes>(c_.largest_mtu()),
          "traffic." + std::to_string(i) + ".message",
          "a datagram is one packet: at most nic.mtu (" + std::to_string(c_.largest_mtu()) + "B)");
    }
    check_reliable_datagrams();
    for (std::size_t i = 0; i < c_.traffic.size(); ++i) {
      require(!c_.traffic[i].new_dscp || c_.nic.transport.chosen() == nullptr,
              "traffic." + std::to_string(i) + ".new_dscp",
              "only RoCE's queue pairs change their class (nic.transport.kind: roce)");
      if (!c_.traffic[i].has_gates()) continue;
      require_platform_drives("traffic." + std::to_string(i) + "." + c_.traffic[i].gated_by(),
                              "the platform starts flows that wait for others: driver: none");
    }
    require(flows <= kMaxFlows, "traffic", "more than " + std::to_string(kMaxFlows) + " flows");
  }

  void check_reliable_datagrams() const {
    for (std::size_t i = 0; i < c_.traffic.size(); ++i) {
      const TrafficSpec& entry = c_.traffic[i];
      if (entry.service != Service::kRd) continue;
      const std::string path = "traffic." + std::to_string(i);
      require(c_.nic.ack != AckMode::kNone, path + ".service",
              "a reliable datagram's next message waits for an acknowledgement: nic.ack other "
              "than none");
      require_platform_drives(path + ".service",
                              "the driver has no reliable datagrams (rd): driver: none");
      for (std::size_t j = 0; j < i; ++j) {
        const TrafficSpec& other = c_.traffic[j];
        require(!shares_context(entry, other) || entry.rd_domain == other.rd_domain,
                path + ".rd_domain",
                "the flows of an end-to-end context are of one domain, which is " +
                    std::to_string(other.rd_domain) + " in traffic." + std::to_string(j));
      }
    }
  }

  void check_faults() const {
    for (std::size_t i = 0; i < c_.faults.size(); ++i) {
      check_together("faults." + std::to_string(i), [&] { c_.faults[i].check(); });
    }
  }

  void check_times_of_changes() const {
    for (std::size_t i = 0; i < c_.changes.size(); ++i) {
      const PicoSeconds at = c_.changes[i].at;
      const std::string path = "changes." + std::to_string(i);
      require(at < c_.duration, path + ".at",
              text_of(at) + " is not before the end of the run (duration " + text_of(c_.duration) +
                  ")");
      require(i == 0 || c_.changes[i - 1].at <= at, path + ".at",
              text_of(at) + " is before the change above; they stand in order of time");
      require(!c_.changes[i].set.entries.empty(), path, "a change without `set`");
    }
  }
};

}  // namespace

void check_topology(const LoadedConfig& loaded) { ListsCheck(loaded).check_topology(); }

void check(const LoadedConfig& loaded) {
  const ListsCheck lists(loaded);
  check_time(loaded);
  check_switch(loaded);
  check_congestion_control(loaded);
  check_transport(loaded);
  check_controller(loaded);
  check_hosts(loaded);
  check_captures(loaded);
  lists.check_traffic();
  check_moving_weights(loaded);
  lists.check_faults();
  check_dcbx(loaded);
  check_trace(loaded);
  check_fast_forward(loaded);
  lists.check_times_of_changes();
  check_expectations(loaded);
}

}  // namespace dcc::vp
