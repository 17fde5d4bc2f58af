// The plan of a run's flows: the flows, their queue pairs, and the connections of queue pairs.
#pragma once

#include <bitset>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "build/translate.h"
#include "config/platform_config.h"
#include "fabric/routing.h"
#include "fabric/topology.h"
#include "nic/host/nic_host_interface.h"
#include "traffic/connections.h"
#include "traffic/dependencies.h"
#include "traffic/memory_need.h"
#include "traffic/port_binding.h"
#include "traffic/repeated_rounds.h"
#include "traffic/traffic_expander.h"
#include "traffic/traffic_spec.h"

namespace dcc::vp {

/// Number of flows up to which the plan always holds all of them, so that each flow can be
/// inspected.
constexpr std::size_t kFewFlows = 2048;

/// A flow and the queue pair numbers of its two ends.
struct PlannedFlow {
  FlowSpec spec;
  Qpn from_qpn = 0;
  Qpn to_qpn = 0;
  // base round-trip time of one full packet and its ACK, in the empty network
  PicoSeconds base_rtt{};
};

/// Totals of all traffic, known before the run.
struct FlowTotals {
  std::size_t flows = 0;
  Bytes bytes = 0;  // sum of the bytes of all finite flows
  bool endless = false;
  std::bitset<64> dscps;
  std::vector<std::uint32_t> received_by;  // number of flows to each host

  void add(const FlowSpec& flow);
};

/// The inputs from which a run's flows can be generated repeatedly.
struct FlowOrigin {
  const std::vector<TrafficSpec>& traffic;
  TrafficContext context;
  PortBinding ports;
};

/// The flows of a run, either all held in memory or generated on request. Hosts of these flows are
/// ports (fabric/host_ports.h).
///
/// Queue pairs of a host are numbered from 2, in the order of the flows that touch the host.
/// Software may create further queue pairs. The plan connects a queue pair once both ends exist
/// (traffic/connections.h).
class FlowPlan final : public ConnectionManager {
 public:
  /// Makes a plan that holds its flows. `links`: flows of the closed loop (software/qos_links.h),
  /// with ids after those of `flows`. `hosts`: number of ports of all hosts.
  FlowPlan(const std::vector<FlowSpec>& flows, const std::vector<FlowSpec>& links,
           const Routing& routing, unsigned hosts, const PacketSizes& sizes,
           Dependencies dependencies = {});
  /// Makes a plan that stores no flows, for a run without links and without software on hosts.
  /// `routing` and everything that `origin` refers to must outlive the plan.
  FlowPlan(FlowOrigin origin, FlowTotals totals, const Routing& routing, unsigned hosts,
           const PacketSizes& sizes);
  /// Makes a plan that holds only some rounds of a collective at a time in memory.
  FlowPlan(RepeatedRounds rounds, const Routing& routing, unsigned hosts, const PacketSizes& sizes);

  /// True if flows() contains every flow that can begin.
  bool is_held() const { return !origin_; }
  /// Totals and number of all flows of the run, including the rounds that the plan does not hold at
  /// present.
  const FlowTotals& totals() const { return totals_; }
  std::size_t count() const { return totals_.flows; }

  /// Iterates over the flows by id, which is the order of their starts.
  class Walk {
   public:
    explicit Walk(const FlowPlan& plan);
    bool next(PlannedFlow& flow);

   private:
    const FlowPlan& plan_;
    std::size_t next_ = 0;
    std::unique_ptr<FlowStream> stream_;
    std::vector<Qpn> queue_pairs_;  // next queue pair number of each host
  };
  template <class Visit>
  void each(Visit visit) const {
    Walk walk(*this);
    for (PlannedFlow flow; walk.next(flow);) visit(static_cast<const PlannedFlow&>(flow));
  }
  /// Visits the same flows as Walk, but without routes and queue pairs, which take three times as
  /// long to make.
  template <class Visit>
  void each_spec(Visit visit) const {
    if (is_held()) {
      for (const PlannedFlow& flow : flows_) visit(flow.spec);
      return;
    }
    FlowStream stream(origin_->traffic, origin_->context);
    for (FlowSpec spec; stream.next(spec);) {
      origin_->ports.bind(spec);
      visit(static_cast<const FlowSpec&>(spec));
    }
  }

  // The functions below require a plan that holds its flows.
  /// The flows of the configured traffic.
  const std::deque<PlannedFlow>& flows() const { return flows_; }
  /// The rounds of a collective, if the plan holds only some of them at a time; else null.
  const RepeatedRounds* rounds() const { return rounds_ ? &*rounds_ : nullptr; }
  RepeatedRounds* rounds() { return rounds_ ? &*rounds_ : nullptr; }
  /// Adds the flows of one more round to the plan. Preconditions: rounds() is not null, and rounds
  /// are left. Throws TrafficError if so many flows cannot be held.
  void add_round();
  /// Gives a flow other ports of its hosts, with a new queue pair at either end; see
  /// disturb/port_failover.h. Call while all partitions wait.
  void move(std::uint32_t flow, HostId from, HostId to);
  /// Number of flows that must end before the traffic is over; skipped rounds do not count.
  std::size_t to_finish() const { return is_held() ? flows_.size() : totals_.flows; }
  /// The dependencies between flows that wait for others by name.
  const Dependencies& dependencies() const { return dependencies_; }
  /// Records that the gate of a flow opened before the flow's queue pair existed. Several threads
  /// may call the function at the same time for different hosts. Precondition:
  /// dependencies().any().
  void release(std::uint32_t flow) { released_[flow] = 1; }
  bool is_released(std::uint32_t flow) const { return !released_.empty() && released_[flow] != 0; }
  /// Flows for reports and commands of the closed loop, which are not traffic.
  const std::vector<PlannedFlow>& links() const { return links_; }
  /// Returns the flow of the traffic or of the closed loop with this id.
  const PlannedFlow& flow(std::uint32_t id) const {
    return id < flows_.size() ? flows_[id] : links_[id - flows_.size()];
  }
  /// One more than the greatest queue pair number of a host.
  Qpn queue_pairs(HostId host) const { return kFirstQpn + static_cast<Qpn>(ends_[host].size()); }
  /// Ids of the flows that a host sends or receives, in ascending order.
  std::vector<std::uint32_t> sent_by(HostId host) const;
  std::vector<std::uint32_t> received_by(HostId host) const;
  /// Ids of the closed loop's links that begin or end at a host, in ascending order.
  std::vector<std::uint32_t> links_of(HostId host) const;

  Connections& connections() { return connections_; }
  const Connections& connections() const { return connections_; }
  /// Returns the id of the flow that uses a queue pair; without a planned flow, the ledger record
  /// of the host's unplanned traffic.
  std::uint32_t flow_of(HostId host, Qpn qpn) const;
  /// The ledger record of a host's unplanned traffic, which its software sends beside the plan;
  /// numbered above all flows and links.
  std::uint32_t unplanned_flow(HostId host) const {
    return static_cast<std::uint32_t>(totals_.flows + links_.size()) + host;
  }

  // functions of the interface ConnectionManager
  QueuePairIdentity identify(HostId host, Qpn qpn, const QueuePairConfig& registers) const override;
  void created(HostId host, Qpn qpn, const QueuePairConfig& config) override;
  void destroyed(HostId host, Qpn qpn) override { connections_.destroyed(host, qpn); }
  void given_up(HostId host, Qpn qpn) override { connections_.given_up(host, qpn); }
  bool has_host(HostId host) const override { return host < ends_.size(); }

  /// The configuration of a queue pair, for the platform and for descriptor rings.
  QueuePairConfig queue_pair(HostId host, Qpn qpn) const;
  static QueuePairConfig queue_pair(const PlannedFlow& flow, bool sender);

 private:
  struct End {
    std::uint32_t flow = 0;
    bool sender = false;
  };
  /// Queue pairs 0 and 1 are for management (InfiniBand Architecture Specification, Vol. 1, chapter
  /// 13): packet analysers interpret packets to these queue pairs as management datagrams.
  static constexpr Qpn kFirstQpn = 2;

  const End* find(HostId host, Qpn qpn) const;
  /// Returns the planned queue pair with this number and the same peer; null if there is none.
  const End* find(HostId host, Qpn qpn, const QueuePairConfig& registers) const;
  PlannedFlow plan(const FlowSpec& spec);
  PicoSeconds base_rtt(const FlowSpec& spec) const {
    return routing_->base_rtt(spec.from, spec.to, sizes_.full_between(spec.from, spec.to),
                              sizes_.ack);
  }
  std::vector<std::uint32_t> ends_of(HostId host, bool sender) const;

  // inputs from which flows are generated; empty if the plan holds all flows
  std::optional<FlowOrigin> origin_;
  const Routing* routing_;
  PacketSizes sizes_;
  FlowTotals totals_;
  std::deque<PlannedFlow> flows_;  // grows with rounds; gates point to its elements
  std::optional<RepeatedRounds> rounds_;
  std::vector<PlannedFlow> links_;
  Dependencies dependencies_;
  // true by flow once the flow's gate has opened; empty if no flow waits
  std::vector<char> released_;
  // ends of flows, indexed by host and queue pair number − kFirstQpn
  std::vector<std::vector<End>> ends_;
  Connections connections_;
};

/// Plans the configuration's traffic and the closed loop's links on the network. Up to kFewFlows
/// flows are always held; more flows only if `hold` is true (any flow may be inspected at any
/// time). `config`, `topology` and `routing` must outlive the plan. Throws TrafficError for errors
/// that only the data shows.
FlowPlan plan_flows(const PlatformConfig& config, const Topology& topology, const Routing& routing,
                    bool hold = true);

/// Returns the repeated rounds of the configuration's traffic (RepeatedRounds::of()); empty if
/// there are no such rounds, or if hosts have several ports or unequal NICs.
std::optional<RepeatedRounds> repeated_rounds(const PlatformConfig& config,
                                              const TrafficContext& context,
                                              const Topology& topology);
/// True if runs of `config` may inspect any flow at any time, as software, traces and digests do.
bool holds_flows(const PlatformConfig& config);
/// Checks traces whose lines wait for others. Throws TrafficError unless the platform itself starts
/// all flows.
void check_waiting_traces(const PlatformConfig& config, const TrafficContext& context);
/// Checks the number of flows. Throws TrafficError if a plan cannot hold so many.
void check_held(std::size_t flows, const EntryCounts& entries);
/// Checks that the ends of a flow are compatible. Throws TrafficError if the ends have different
/// transports, if the transport does not offer the flow's operation (only RoCE has RDMA's
/// operations), or if both ends repeat selectively and the receiver keeps fewer early packets than
/// the sender has under way. The ends are hosts of `config`; `ports` tells the hosts' numbers for
/// the message.
void check_ends(const PlatformConfig& config, const FlowSpec& flow, const HostPorts& ports = {});

/// The properties of the network and the run from which the traffic of `config` is generated.
TrafficContext traffic_context(const PlatformConfig& config, const Topology& topology);

}  // namespace dcc::vp
