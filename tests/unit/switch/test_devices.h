// Ends of links for tests of network devices: senders that fill a link, and receivers that count.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fabric/fabric_map.h"
#include "fabric/routing.h"
#include "fabric/topology.h"
#include "sim/scheduler.h"
#include "switch/switch_device.h"
#include "wire/link.h"
#include "wire/packet.h"

namespace dcc::test {

/// A host without a NIC. It sends given packets or an endless flow, obeys pause frames and pauses
/// of single destinations, and counts and frees received packets.
class TestHost final : public PacketSink {
 public:
  struct Seen {
    PicoSeconds when;
    std::uint32_t flow;
    Psn psn;
    Ecn ecn;
    std::uint8_t priority;
    PacketKind kind;
    std::uint32_t qcn_feedback;
  };

  TestHost(Scheduler& scheduler, PacketPool& pool, HostId id)
      : scheduler_(scheduler),
        pool_(pool),
        id_(id),
        wire_free_(Event::calling<&TestHost::kick>(*this, 1'000'000 + id)) {}

  void attach(Link& link) { link_ = &link; }
  /// After this call the host obeys credits and returns the credit of each received packet at once.
  void use_credits(const LaneCredits& port) { credits_ = port; }
  const LaneCredits& credits() const { return *credits_; }
  /// Sends packets to a destination without end at link rate.
  void blast(HostId destination, std::uint32_t wire_bytes, std::uint8_t priority = 0,
             Ecn ecn = Ecn::kEct0) {
    endless_.push_back({destination, wire_bytes, priority, ecn, 0});
    kick();
  }
  void stop() { endless_.clear(); }
  /// Queues one packet after the waiting ones.
  void send(Packet* packet) {
    queue_.push_back(packet);
    kick();
  }
  Packet* make(HostId destination, std::uint32_t wire_bytes, std::uint8_t priority = 0) {
    Packet* const packet = pool_.allocate();
    packet->source = id_;
    packet->destination = destination;
    packet->wire_bytes = wire_bytes;
    packet->payload_bytes = wire_bytes;
    packet->priority = priority;
    packet->ecn = Ecn::kEct0;
    packet->flow = id_;
    packet->source_qpn = 100 + id_;
    return packet;
  }

  /// Sends the packets that may be sent now, and continues when the link is free.
  void kick() {
    if (wire_free_.is_scheduled()) return;
    if (credits_ && credits_->frames_due() != 0) {
      Packet* const frame = pool_.allocate();
      credits_->write_frame(*frame);
      scheduler_.schedule_in(wire_free_, link_->send(frame));
      return;
    }
    if (credits_) paused_ = credits_->exhausted();
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      if ((paused_ >> queue_[i]->priority & 1) != 0) continue;
      Packet* const packet = queue_[i];
      queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(i));
      launch(packet);
      return;
    }
    for (std::size_t i = 0; i < endless_.size(); ++i) {
      Endless& flow = endless_[(turn_ + i) % endless_.size()];
      if ((paused_ >> flow.priority & 1) != 0 || stopped.count(flow.destination) != 0) continue;
      turn_ = (turn_ + i + 1) % endless_.size();
      Packet* const packet = make(flow.destination, flow.wire_bytes, flow.priority);
      packet->ecn = flow.ecn;
      packet->psn = flow.psn++;
      launch(packet);
      return;
    }
  }

  void receive(Packet* packet, int) override {
    if (packet->kind == PacketKind::kPause) {
      paused_ = static_cast<std::uint8_t>(packet->pause_classes);
      ++pause_frames;
      pool_.free(packet);
      kick();
      return;
    }
    if (packet->kind == PacketKind::kFlowPause) {
      if (packet->pause_classes != 0) {
        stopped.insert(packet->destination);
      } else {
        const auto at = stopped.find(packet->destination);
        if (at != stopped.end()) stopped.erase(at);
      }
      ++flow_pauses;
      pool_.free(packet);
      kick();
      return;
    }
    if (packet->kind == PacketKind::kCreditLimit) {
      credits_->receive_frame(*packet);
      pool_.free(packet);
      kick();
      return;
    }
    if (credits_) {
      credits_->arrived(packet->priority, packet->wire_bytes);
      credits_->stored(packet->priority, packet->wire_bytes);
      credits_->released(packet->priority, packet->wire_bytes);
      kick();
    }
    ++packets;
    bytes += packet->wire_bytes;
    if (by_source.size() <= packet->source) by_source.resize(packet->source + 1, 0);
    by_source[packet->source] += packet->wire_bytes;
    by_priority[packet->priority] += packet->wire_bytes;
    if (packet->ecn == Ecn::kCe) ++ce;
    if (keep) {
      seen.push_back({scheduler_.now(), packet->flow, packet->psn, packet->ecn, packet->priority,
                      packet->kind, packet->qcn_feedback});
    }
    if (packet->telemetry != nullptr) {
      telemetry.push_back({*packet->telemetry, packet->telemetry_hops});
    }
    pool_.free(packet);
  }

  std::uint64_t packets = 0;
  std::uint64_t sent = 0;
  std::uint64_t ce = 0;
  std::uint64_t pause_frames = 0;
  std::uint64_t flow_pauses = 0;  // received pauses of single destinations and their ends
  std::multiset<HostId> stopped;  // destinations that are paused
  Bytes bytes = 0;
  std::vector<Bytes> by_source;
  std::array<Bytes, kPriorities> by_priority{};
  bool keep = false;
  std::vector<Seen> seen;
  struct Telemetry {
    IntStack stack;
    int hops;
  };
  std::vector<Telemetry> telemetry;

 private:
  struct Endless {
    HostId destination;
    std::uint32_t wire_bytes;
    std::uint8_t priority;
    Ecn ecn;
    Psn psn;
  };
  void launch(Packet* packet) {
    ++sent;
    if (credits_) credits_->sent(packet->priority, packet->wire_bytes);
    scheduler_.schedule_in(wire_free_, link_->send(packet));
  }

  Scheduler& scheduler_;
  PacketPool& pool_;
  HostId id_;
  Link* link_ = nullptr;
  std::uint8_t paused_ = 0;
  std::optional<LaneCredits> credits_;
  std::size_t turn_ = 0;
  Event wire_free_;
  std::deque<Packet*> queue_;
  std::vector<Endless> endless_;
};

/// Hosts around one switch, with equal links.
class TestStar {
 public:
  TestStar(int hosts, const SwitchParameters& parameters, const LinkParameters& link,
           std::uint64_t seed = 1)
      : device(scheduler, pool, parameters, hosts, seed, 0, 1000) {
    RouteTable routes(static_cast<HostId>(hosts));
    routes.set_block(0, static_cast<std::uint32_t>(hosts), 1, 0);
    device.set_routes(routes);
    std::uint32_t rank = 1;
    for (int h = 0; h < hosts; ++h) {
      host.push_back(std::make_unique<TestHost>(scheduler, pool, static_cast<HostId>(h)));
      up.push_back(std::make_unique<Link>(scheduler, pool, link, rank++));
      down.push_back(std::make_unique<Link>(scheduler, pool, link, rank++));
      up.back()->connect(device, h);
      down.back()->connect(*host.back(), 0);
      host.back()->attach(*up.back());
      device.attach(h, *down.back(), link);
    }
  }

  Scheduler scheduler;
  PacketPool pool;
  SwitchDevice device;
  std::vector<std::unique_ptr<TestHost>> host;
  std::vector<std::unique_ptr<Link>> up, down;
};

/// Hosts and switches of a topology, with routes by shortest paths.
class TestNetwork {
 public:
  TestNetwork(Topology shape, const SwitchParameters& parameters, std::uint64_t seed = 1)
      : topology(std::move(shape)),
        routing(topology),
        fabric(topology, routing),
        switches(topology.nodes().size()) {
    for (std::size_t n = 0; n < switches.size(); ++n) {
      if (topology.nodes()[n].is_host) continue;
      switches[n] =
          std::make_unique<SwitchDevice>(scheduler, pool, parameters, topology.nodes()[n].ports,
                                         seed, n, 100'000 + static_cast<std::uint32_t>(n));
      switches[n]->set_routes(routing.table(static_cast<NodeId>(n)));
      switches[n]->join(fabric, static_cast<NodeId>(n));
    }
    for (int h = 0; h < topology.hosts(); ++h) {
      host.push_back(std::make_unique<TestHost>(scheduler, pool, static_cast<HostId>(h)));
    }
    std::uint32_t rank = 1;
    for (const Cable& cable : topology.cables()) {
      for (int side = 0; side < 2; ++side) {
        const CableEnd from = cable.end[side], to = cable.end[1 - side];
        links.push_back(std::make_unique<Link>(scheduler, pool, cable.link, rank++));
        links.back()->connect(sink(to.node), to.port);
        if (topology.node(from.node).is_host) {
          TestHost& sender = *host[topology.node(from.node).host];
          sender.attach(*links.back());
          if (parameters.has_credits()) {
            sender.use_credits({parameters.credit_buffer(cable.link), parameters.largest_packet});
          }
        } else {
          at(from.node).attach(from.port, *links.back(), cable.link);
        }
      }
    }
  }
  SwitchDevice& at(NodeId node) { return *switches[static_cast<std::size_t>(node)]; }
  SwitchDevice& at(const std::string& name) { return at(topology.find(name)); }
  std::vector<const SwitchDevice*> devices() const {
    std::vector<const SwitchDevice*> list;
    for (const auto& one : switches) list.push_back(one.get());
    return list;
  }
  std::uint64_t drops() const {
    std::uint64_t sum = 0;
    for (const auto& one : switches) sum += one != nullptr ? one->totals().dropped : 0;
    return sum;
  }

  Scheduler scheduler;
  PacketPool pool;
  Topology topology;
  Routing routing;
  FabricMap fabric;
  std::vector<std::unique_ptr<SwitchDevice>> switches;  // switches by node number; null for hosts
  std::vector<std::unique_ptr<TestHost>> host;
  std::vector<std::unique_ptr<Link>> links;

 private:
  PacketSink& sink(NodeId node) {
    if (topology.node(node).is_host) return *host[topology.node(node).host];
    return at(node);
  }
};

}  // namespace dcc::test
