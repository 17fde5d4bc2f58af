// The flows of a run with their queue pairs, and who is connected to whom.
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "build/translate.h"
#include "config/platform_config.h"
#include "fabric/routing.h"
#include "fabric/topology.h"
#include "nic/nic_host_interface.h"
#include "traffic/traffic_expander.h"
#include "traffic/traffic_spec.h"

namespace dcc::vp {

/// So many are held without anybody's asking: they may be looked at one by one.
constexpr std::size_t kFewFlows = 2048;

/// A flow and the queue pair numbers of its two ends.
struct PlannedFlow {
  FlowSpec spec;
  Qpn from_qpn = 0;
  Qpn to_qpn = 0;
  PicoSeconds base_rtt{};  // one full packet there, its ACK back, in the empty network
};

/// What is known of all traffic before it starts.
struct FlowTotals {
  std::size_t flows = 0;
  Bytes bytes = 0;  // of those that have an end
  bool endless = false;
  std::bitset<64> dscps;
  std::vector<std::uint32_t> received_by;  // flows, by host

  void add(const FlowSpec& flow);
};

/// What the flows of a run are made from, again and again.
struct FlowOrigin {
  const std::vector<TrafficSpec>& traffic;
  TrafficContext context;
};

/// The flows of a run, held all together or made when they are asked for.
///
/// Queue pairs are numbered from 2 at each host, in the order of the flows that touch it. Connects
/// a queue pair once both its ends exist: what a connection manager's handshake does in a real
/// network, without its time.
class FlowPlan final : public ConnectionManager {
 public:
  /// `links`: the closed loop's own (software/qos_links.h), with ids after those of `flows`.
  FlowPlan(const std::vector<FlowSpec>& flows, const std::vector<FlowSpec>& links,
           const Routing& routing, unsigned hosts, const PacketSizes& sizes);
  /// Not held: there are no links, and hosts drive nothing themselves. `routing`, and what `origin`
  /// refers to, must outlive it.
  FlowPlan(FlowOrigin origin, FlowTotals totals, const Routing& routing, const PacketSizes& sizes);

  bool is_held() const { return !origin_; }
  const FlowTotals& totals() const { return totals_; }
  std::size_t count() const { return totals_.flows; }

  /// The flows one after the other, by id: by start.
  class Walk {
   public:
    explicit Walk(const FlowPlan& plan);
    bool next(PlannedFlow& flow);

   private:
    const FlowPlan& plan_;
    std::size_t next_ = 0;
    std::unique_ptr<FlowStream> stream_;
    std::vector<Qpn> queue_pairs_;  // the next number, by host
  };
  template <class Visit>
  void each(Visit visit) const {
    Walk walk(*this);
    for (PlannedFlow flow; walk.next(flow);) visit(static_cast<const PlannedFlow&>(flow));
  }
  /// The same flows without what is planned for them, which takes three times as long to make.
  template <class Visit>
  void each_spec(Visit visit) const {
    if (is_held()) {
      for (const PlannedFlow& flow : flows_) visit(flow.spec);
      return;
    }
    FlowStream stream(origin_->traffic, origin_->context);
    for (FlowSpec spec; stream.next(spec);) visit(static_cast<const FlowSpec&>(spec));
  }

  // Of a plan that is held:
  /// The traffic.
  const std::vector<PlannedFlow>& flows() const { return flows_; }
  /// What is no traffic: reports and commands of the closed loop.
  const std::vector<PlannedFlow>& links() const { return links_; }
  /// Either kind.
  const PlannedFlow& flow(std::uint32_t id) const {
    return id < flows_.size() ? flows_[id] : links_[id - flows_.size()];
  }
  /// Above the greatest queue pair number of a host.
  Qpn queue_pairs(HostId host) const { return kFirstQpn + static_cast<Qpn>(ends_[host].size()); }
  /// Flows that a host sends, or receives, by id.
  std::vector<std::uint32_t> sent_by(HostId host) const;
  std::vector<std::uint32_t> received_by(HostId host) const;
  /// Links that begin or end at a host, by id.
  std::vector<std::uint32_t> links_of(HostId host) const;

  /// Called when a queue pair may send.
  void on_connected(std::function<void(HostId, Qpn)> connect) { connect_ = std::move(connect); }

  // ConnectionManager
  QueuePairIdentity identify(HostId host, Qpn qpn) const override;
  void created(HostId host, Qpn qpn, HostId remote_host, Qpn remote_qpn) override;
  void destroyed(HostId host, Qpn qpn) override;

  /// For platform and rings alike.
  QueuePairConfig queue_pair(HostId host, Qpn qpn) const;
  static QueuePairConfig queue_pair(const PlannedFlow& flow, bool sender);

 private:
  struct End {
    std::uint32_t flow = 0;
    bool sender = false;
    bool created = false;
  };
  /// Queue pairs 0 and 1 are for management (InfiniBand Architecture Specification, Vol. 1,
  /// chapter 13): tools that read packets take what goes there for management datagrams.
  static constexpr Qpn kFirstQpn = 2;

  const End* find(HostId host, Qpn qpn) const;
  End* find(HostId host, Qpn qpn) {
    return const_cast<End*>(static_cast<const FlowPlan*>(this)->find(host, qpn));
  }
  PlannedFlow plan(const FlowSpec& spec);
  PicoSeconds base_rtt(const FlowSpec& spec) const {
    return routing_->base_rtt(spec.from, spec.to, sizes_.full, sizes_.ack);
  }
  std::vector<std::uint32_t> ends_of(HostId host, bool sender) const;

  std::optional<FlowOrigin> origin_;  // empty: held
  const Routing* routing_;
  PacketSizes sizes_;
  FlowTotals totals_;
  std::vector<PlannedFlow> flows_;
  std::vector<PlannedFlow> links_;
  std::vector<std::vector<End>> ends_;  // by host and queue pair less kFirstQpn
  std::function<void(HostId, Qpn)> connect_;
};

/// The configuration's traffic and the closed loop's links, on its network. Few flows are always
/// held, many if they must be (`hold`: somebody wants any of them at any time). `config`,
/// `topology` and `routing` must outlive it. Throws TrafficError for what only the data shows.
FlowPlan plan_flows(const PlatformConfig& config, const Topology& topology, const Routing& routing,
                    bool hold = true);

/// Whether its runs want any flow at any time: software from the beginning, traces and digests.
bool holds_flows(const PlatformConfig& config);
/// Throws TrafficError for more flows than can be held.
void check_held(std::size_t flows);

/// What the traffic of `config` is made in.
TrafficContext traffic_context(const PlatformConfig& config, const Topology& topology);

}  // namespace dcc::vp
