#include "schemes/braid/braid.h"

#include <algorithm>
#include <string>

#include "describe/network_scale.h"
#include "describe/parameter_error.h"
#include "describe/visitor.h"
#include "fabric/topology.h"
#include "nic/algorithm/real_rate.h"
#include "sim/state_digest.h"

namespace dcc {

namespace {
const Transports::Registered<BraidParameters> kBraid{
    "braid", "window, path and priority by one law of the sender; for ports that mark",
    kMakes<Braid>};
}  // namespace

void BraidParameters::describe(ParameterVisitor& v) {
  const char* const dctcp = "RFC 8257";
  const char* const flowbender = "FlowBender, CoNEXT'14: T";
  describe_framing(v);
  v.field("joined", joined, {},
          {"decide window and path together; false: cut as DCTCP, move as FlowBender"});
  v.field("g", g, {"1/65536", "1"}, {"weight of a round's share of marks", dctcp});
  v.field("move_share", move_share, {"0", "1"},
          {"share of marks in a round above which a flow may change its path", flowbender});
  v.field("margin", margin, {"0", "1"},
          {"by which another path's share of marks must be lower than that of the own path"});
  v.field("memory", memory, "auto", {"1us", "10s"},
          {"time for which a path's share of marks counts as known; auto: 64 of the longest base "
           "RTTs"});
  v.field("initial_window", initial_window, "bdp", {"1KB", "1GB"},
          {"window of a new flow; bdp: line rate x longest base RTT"});
  v.numbers("thresholds", thresholds, 1, kPriorities - 1, {"1", "4000000000"},
            {"bytes of a message after which its packets have one priority less, from 7 down",
             "PIAS, NSDI'15"});
  v.field("rack", rack, {"1", "1024"},
          {"hosts at an edge switch, with consecutive numbers: what is known of paths is kept by "
           "rack"});
  v.field("ways", ways, {"1", "255"},
          {"number of ways up from an edge switch; 1 without `beyond`: the switches choose"});
  v.field("beyond", beyond, {"1", "255"}, {"number of ways up from the next switch"});
  v.field("timeout", timeout, {"1us", "10s"},
          {"time without an answer after which a packet is sent again"});
  v.follows(true, kPatienceRule,
            [this](const NetworkScale& network) { timeout = network.patience(); });
}

void BraidParameters::check() const {
  if (!std::is_sorted(thresholds.begin(), thresholds.end())) {
    throw ParameterError({"thresholds"}, "thresholds do not ascend");
  }
}

void BraidParameters::check_network(const TopologyParameters& topology) const {
  const Topology network = Topology::of(topology);
  if (network.hosts() < 2 || ways * beyond == 1) return;
  const auto switch_of = [&](HostId host) { return network.peer(network.node_of(host), 0).node; };
  for (HostId host = 0; host < static_cast<HostId>(network.hosts()); ++host) {
    const NodeId node = switch_of(host);
    if (rack > 1 && node != switch_of(host / rack * rack)) {
      throw ParameterError({"rack", "kind"}, "racks of " + std::to_string(rack) +
                                                 " are not at one switch: see host " +
                                                 std::to_string(host));
    }
    unsigned up = 0;
    for (int port = 0; port < network.node(node).ports; ++port) {
      up += network.node(network.peer(node, port).node).is_host ? 0 : 1;
    }
    if (up != ways) {
      throw ParameterError({"ways", "kind"}, network.node(node).name + " has " +
                                                 std::to_string(up) + " ports up, not " +
                                                 std::to_string(ways));
    }
  }
}

Braid::Braid(const TransportContext& context, const BraidParameters& parameters)
    : MessageTransport(context, parameters.framing),
      parameters_(parameters),
      line_(to_mbps(context.nic.line_rate)),
      random_(context.seed, "braid", context.nic.host),
      deadlines_(context.scheduler, Event::calling<&Braid::ring>(*this, context.rank)) {
  law_.g = to_real(parameters.g);
  law_.move_share = to_real(parameters.move_share);
  law_.margin = to_real(parameters.margin);
  law_.memory = parameters.memory.value_or(context.longest_base_rtt * 64);
  law_.joined = parameters.joined;
}

void Braid::begin(Qpn qpn) { renew(senders_, qpn); }

void Braid::end(Qpn qpn) {
  leave(qpn);
  deadlines_.clear(qpn);
  senders_[qpn] = Sender{};
}

void Braid::add_own_state(StateDigest& d) const {
  d(random_, senders_, paths_, deadlines_);
  for (const auto& queue : ready_) d(queue);
}

void Braid::work_changed(Qpn qpn) {
  if (!at(qpn).connected) return;
  Sender& sender = senders_[qpn];
  if (!sender.begun) {
    sender.begun = true;
    const long double window = parameters_.initial_window
                                   ? static_cast<long double>(*parameters_.initial_window)
                                   : bytes_at(line_, context_.longest_base_rtt);
    sender.flow = BraidFlow(window, first_path(paths_to(qpn), law_, now(), random_));
  }
  settle(qpn);
  context_.port.data_ready();
}

/// Shares of marks that the host knows for the paths to the destination of a queue pair.
BraidPaths& Braid::paths_to(Qpn qpn) {
  const HostId rack = at(qpn).config.remote_host / parameters_.rack;
  if (paths_.size() <= rack) paths_.resize(std::size_t{rack} + 1);
  if (paths_[rack].count() == 0) paths_[rack] = BraidPaths(parameters_.ways * parameters_.beyond);
  return paths_[rack];
}

std::uint8_t Braid::priority_of(Qpn qpn, Psn psn) const {
  const Bytes offset = at(qpn).out.cut(psn).offset;
  std::uint8_t priority = kPriorities - 1;
  for (const unsigned threshold : parameters_.thresholds) {
    if (offset >= static_cast<Bytes>(threshold)) --priority;
  }
  return priority;
}

void Braid::leave(Qpn qpn) {
  Sender& sender = senders_[qpn];
  if (sender.ready == kNotReady) return;
  std::deque<Qpn>& queue = ready_[sender.ready];
  queue.erase(std::find(queue.begin(), queue.end(), qpn));
  sender.ready = kNotReady;
}

PicoSeconds Braid::patience(const Sender& sender) const {
  return parameters_.timeout * (std::int64_t{1} << std::min(sender.late, 10u));
}

/// Lists the queue pair under the priority of its next packet if it may send, and sets its timeout.
void Braid::settle(Qpn qpn) {
  Sender& sender = senders_[qpn];
  const Connection& connection = at(qpn);
  const auto in_flight = static_cast<long double>(sender.packets.out()) * mtu(qpn);
  std::uint8_t priority = kNotReady;
  if (connection.connected && packets_left(qpn, sender.packets) > 0 &&
      in_flight < sender.flow.window()) {
    const bool again = sender.packets.again() > 0;
    priority = priority_of(qpn, again ? connection.out.first_undelivered() : connection.next);
  }
  if (priority != sender.ready) {
    leave(qpn);
    if (priority != kNotReady) ready_[priority].push_back(qpn);
    sender.ready = priority;
  }
  deadlines_.set(qpn, std::max(now(), sender.packets.overdue_at(patience(sender))));
}

bool Braid::has_packet() const {
  return std::any_of(ready_.begin(), ready_.end(),
                     [](const auto& queue) { return !queue.empty(); });
}

Packet* Braid::next_packet() {
  auto queue = ready_.rbegin();
  while (queue->empty()) ++queue;
  const Qpn qpn = queue->front();
  queue->pop_front();
  Sender& sender = senders_[qpn];
  sender.ready = kNotReady;
  const Psn psn = sender.packets.send(at(qpn).next, now());
  Packet* const packet = make_data(qpn, psn);
  packet->priority = priority_of(qpn, psn);
  if (at(qpn).config.ecn_capable) packet->ecn = Ecn::kEct0;
  if (paths_to(qpn).count() > 1) {
    const unsigned path = sender.flow.path();
    packet->overlay.route.first_port = static_cast<std::uint8_t>(1 + path % parameters_.ways);
    if (parameters_.beyond > 1) {
      packet->overlay.route.second_port = static_cast<std::uint8_t>(1 + path / parameters_.ways);
    }
  }
  settle(qpn);  // moves the queue pair to the end of its priority's round robin
  return packet;
}

void Braid::arrived(Qpn qpn, Packet& packet) {
  if (packet.kind == PacketKind::kData) {
    accept(qpn, packet);
    Packet* const ack = make_ack(qpn, packet);
    ack->ce_echo = count_mark(packet);
    send_control(ack);
  } else if (packet.kind == PacketKind::kAck) {
    ++context_.counters.acks_received;
    on_ack(qpn, packet);
    settle(qpn);
    context_.port.data_ready();
  }
}

void Braid::on_ack(Qpn qpn, const Packet& packet) {
  Sender& sender = senders_[qpn];
  const Connection& connection = at(qpn);
  sender.packets.arrived(packet.psn);
  sender.late = 0;
  BraidFlow::Ack ack;
  ack.psn = packet.psn;
  ack.bytes = acknowledged(qpn, packet.psn, packet.sent);
  ack.next_psn = connection.next;
  ack.marked = packet.ce_echo;
  const long double most =
      4 * bytes_at(line_, context_.longest_base_rtt) + static_cast<long double>(mtu(qpn));
  sender.flow.heard(ack, mtu(qpn), most, paths_to(qpn), law_, now(), random_);
}

void Braid::look_at(Qpn qpn) {
  Sender& sender = senders_[qpn];
  const PicoSeconds limit = patience(sender);
  bool any = false;
  while (const auto psn = sender.packets.overdue(now(), limit)) {
    sender.packets.lost(*psn);
    ++context_.counters.timeouts;
    any = true;
  }
  if (any) {
    ++sender.late;
    sender.flow.lost(at(qpn).next, mtu(qpn));
  }
  settle(qpn);
}

void Braid::ring() {
  deadlines_.expire([this](Qpn qpn) { look_at(qpn); });
  context_.port.data_ready();
}

}  // namespace dcc
