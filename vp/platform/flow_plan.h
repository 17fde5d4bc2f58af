// The flows of a run with their queue pairs, and who is connected to whom.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "config/platform_config.h"
#include "net/routing.h"
#include "net/topology.h"
#include "nic/nic_host_interface.h"
#include "platform/translate.h"
#include "traffic/traffic_spec.h"

namespace dcc::vp {

/// A flow and the queue pair numbers of its two ends.
struct PlannedFlow {
  FlowSpec spec;
  Qpn from_qpn = 0;
  Qpn to_qpn = 0;
  PicoSeconds base_rtt{};  // one full packet there, its ACK back, in the empty network
};

/// Queue pairs are numbered from 0 at each host, in the order of the flows that touch it. Connects
/// a queue pair once both its ends exist: what a connection manager's handshake does in a real
/// network, without its time.
class FlowPlan final : public ConnectionManager {
 public:
  /// `links`: the closed loop's own (platform/qos_links.h), with ids after those of `flows`.
  FlowPlan(const std::vector<FlowSpec>& flows, const std::vector<FlowSpec>& links,
           const Routing& routing, unsigned hosts, const PacketSizes& sizes);

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
  PlannedFlow plan(const FlowSpec& spec, const Routing& routing, const PacketSizes& sizes);
  std::vector<std::uint32_t> ends_of(HostId host, bool sender) const;

  std::vector<PlannedFlow> flows_;
  std::vector<PlannedFlow> links_;
  std::vector<std::vector<End>> ends_;  // by host and queue pair less kFirstQpn
  std::function<void(HostId, Qpn)> connect_;
};

/// The configuration's traffic and the closed loop's links, on its network. Throws TrafficError for
/// what only the data shows.
FlowPlan plan_flows(const PlatformConfig& config, const Topology& topology, const Routing& routing);

}  // namespace dcc::vp
