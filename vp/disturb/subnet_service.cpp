#include "disturb/subnet_service.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "build/platform.h"
#include "build/ranks.h"
#include "disturb/central_control.h"
#include "disturb/link_faults.h"
#include "fabric/routing.h"
#include "traffic/direct_traffic.h"

namespace dcc::vp {

namespace {
/// Returns the port by which a switch forwards to an address of a host; -1: none.
int port_to(Platform& p, const Routing& routing, NodeId node, HostId destination,
            unsigned address) {
  const PortSet ports = routing.ports(node, destination);
  if (ports.empty()) return -1;
  if (ports.size() == 1) return ports.front();
  const FlowEntries* const entries = p.network.switch_of(node)->device().flow_entries();
  const std::uint32_t index = p.config.switch_.routing.chosen()->index_of(
      entries->hash_seed(), destination, address, ports.size());
  return ports[index];
}

unsigned lmc_of(const PlatformConfig& config) {
  const BalancerParameters* const routing = config.switch_.routing.chosen();
  const unsigned addresses = routing == nullptr ? 0 : routing->addresses();
  unsigned lmc = 0;
  while (addresses >> (lmc + 1) != 0) ++lmc;
  return lmc;
}

FlowScheduler* scheduler_of(Platform& p) {
  auto* const part = p.part<FlowSchedulerPart>();
  return part == nullptr ? nullptr : &part->scheduler();
}
}  // namespace

SubnetService::Request::Request(SubnetService& service, const PlannedFlow& about)
    : owner(service),
      flow(about),
      rate(service.p_.config.traffic[about.spec.entry].guarantee->bits_per_second),
      event(Event::calling<&Request::due>(*this, kSubnetRank)) {}

SubnetService::SubnetService(Platform& platform)
    : p_(platform),
      traffic_(*platform.part<DirectTraffic>()),
      scheduler_(scheduler_of(platform)),
      by_tables_(platform.config.switch_.scheduler.kind ==
                 EgressSchedulerParameters::Kind::kVlArbitration),
      agents_(platform.topology, access(), platform.config.subnet.response),
      manager_(lmc_of(platform.config)),
      reservations_(manager_, by_tables_),
      administration_(manager_, reservations_),
      sweep_event_(Event::calling<&SubnetService::sweep>(*this, kSubnetRank)),
      trap_event_(Event::calling<&SubnetService::trapped>(*this, kSubnetRank)) {
  result_.manager = *platform.config.subnet.manager;
  traffic_.set_desk(this);
}

/// Gives the subnet agents access to the platform's switches.
SubnetAccess SubnetService::access() {
  SubnetAccess access;
  access.forwards = [this](NodeId node, HostId destination, unsigned address) {
    return port_to(p_, p_.network.fabric().routing(), node, destination, address);
  };
  access.is_up = [this](NodeId node, int port) {
    return live_ == nullptr || live_->is_up(p_.topology.plug(node, port).cable);
  };
  access.set_tables = [this](NodeId node, int port, const VlArbitrationParameters& tables) {
    try {
      p_.network.switch_of(node)->device().set_tables(port, tables);
    } catch (const std::invalid_argument&) {
      return false;  // a port with another scheduler has no VL tables
    }
    return true;
  };
  return access;
}

void SubnetService::begin() {
  auto* const faults = p_.part<LinkFaults>();
  live_ = faults == nullptr ? nullptr : faults->fabric();
  if (live_ != nullptr) live_->set_manager([this](int cable) { changed(cable); });
  manager_.begin();
  p_.scheduler.schedule_at(sweep_event_, p_.scheduler.now());
}

void SubnetService::sweep() {
  if (asked_) manager_.answered(answer_);
  asked_ = false;
  const std::optional<Mad> next = manager_.next();
  if (next) {
    PicoSeconds took{};
    answer_ = agents_.carry(p_.topology.node_of(result_.manager), *next, took);
    asked_ = true;
    p_.scheduler.schedule_in(sweep_event_, answer_ ? took : kTimeout);
    return;
  }
  end_sweep();
}

void SubnetService::end_sweep() {
  ++result_.sweeps;
  if (result_.sweeps == 1) {
    result_.discovered_us = p_.scheduler.now().count / 1e6;
  } else if (routing_ != nullptr && live_->adopt(sweep_began_)) {
    result_.routed_us = p_.scheduler.now().count / 1e6;
    follow_routes();
  }
  if (again_) {
    sweep_again();
    return;
  }
  for (Request* const request : waiting_) serve(*request);
  waiting_.clear();
}

void SubnetService::sweep_again() {
  again_ = false;
  sweep_began_ = p_.scheduler.now();
  routing_.reset();
  manager_.begin_again([this](std::size_t at, std::size_t host, unsigned address) {
    if (routing_ == nullptr) routing_ = std::make_unique<Routing>(p_.topology, gone());
    const auto node_of = [this](std::size_t index) {
      return SubnetAgents::node_of(manager_.nodes()[index].guid);
    };
    const int port =
        port_to(p_, *routing_, node_of(at), p_.topology.node(node_of(host)).host, address);
    return port < 0 ? Mad::kNoPort : static_cast<std::uint8_t>(port + 1);
  });
  p_.scheduler.schedule_at(sweep_event_, p_.scheduler.now());
}

/// Returns the cables that the sweep has not found.
std::vector<bool> SubnetService::gone() const {
  std::vector<bool> gone(p_.topology.cables().size());
  for (std::size_t cable = 0; cable < gone.size(); ++cable) {
    const CableEnd& end = p_.topology.cables()[cable].end[0];
    const auto node = manager_.find(SubnetAgents::guid_of(end.node));
    gone[cable] =
        !node ||
        manager_.nodes()[*node].ports[static_cast<std::size_t>(end.port) + 1].peer_port == 0;
  }
  return gone;
}

/// Handles a failed or repaired cable: the switches at the cable's ends send a trap.
void SubnetService::changed(int cable) {
  if (result_.sweeps == 0) {
    again_ = true;  // the switches do not know the manager's address yet
    return;
  }
  for (const CableEnd& end : p_.topology.cables()[static_cast<std::size_t>(cable)].end) {
    const auto node = manager_.find(SubnetAgents::guid_of(end.node));
    if (!node || p_.topology.node(end.node).is_host) continue;
    const SubnetManager::Node& sender = manager_.nodes()[*node];
    const std::optional<PicoSeconds> way =
        agents_.travel(p_.topology.node_of(result_.manager), sender.route);
    if (!way) continue;
    traps_.insert(p_.scheduler.now() + *way);
  }
  if (!traps_.empty()) p_.scheduler.schedule_at(trap_event_, *traps_.begin());
}

void SubnetService::trapped() {
  while (!traps_.empty() && *traps_.begin() <= p_.scheduler.now()) {
    traps_.erase(traps_.begin());
    ++result_.traps;
    again_ = true;
  }
  if (!traps_.empty()) p_.scheduler.schedule_at(trap_event_, *traps_.begin());
  if (again_ && manager_.has_ended()) sweep_again();
}

/// Moves granted rates to the new routes, with the tables of virtual lanes.
void SubnetService::follow_routes() {
  const auto path = [this](std::uint32_t id, const PlannedFlow& flow) {
    const unsigned address =
        scheduler_ == nullptr ? 0 : scheduler_->path_of({flow.spec.from, flow.spec.to, id});
    return path_of(flow, address);
  };
  for (const auto& [id, flow] : holds_) reservations_.move(id, path(id, *flow));
  if (!by_tables_) return;
  for (const auto& [id, flow] : holds_) write_tables(path(id, *flow));
}

bool SubnetService::asks(const PlannedFlow& flow) {
  if (!p_.config.traffic[flow.spec.entry].guarantee) return false;
  Request& request = requests_.emplace_back(*this, flow);
  p_.scheduler.schedule_in(request.event, travel(flow.spec.from, result_.manager));
  return true;
}

/// Returns the time of a management datagram between two hosts.
PicoSeconds SubnetService::travel(HostId from, HostId to) const {
  if (from == to) return {};
  return p_.routing.one_way(from, to, SubnetAgents::kWireBytes);
}

void SubnetService::serve(Request& request) {
  const PicoSeconds begins = std::max(p_.scheduler.now(), free_at_);
  free_at_ = begins + p_.config.subnet.response;
  request.at = Request::At::kServed;
  p_.scheduler.schedule_at(request.event, free_at_);
}

void SubnetService::due(Request& request) {
  switch (request.at) {
    case Request::At::kUnderWay:
      if (manager_.has_ended()) {
        serve(request);
      } else {
        waiting_.push_back(&request);
      }
      return;
    case Request::At::kServed: {
      const PicoSeconds writing = decide(request);
      request.at = Request::At::kBack;
      p_.scheduler.schedule_in(request.event,
                               writing + travel(result_.manager, request.flow.spec.from));
      return;
    }
    case Request::At::kBack:
      if (request.granted && p_.scheduler.now() < request.flow.spec.stop) {
        traffic_.admit(request.flow);
      }
      result_.requests[request.result].answered_us = p_.scheduler.now().count / 1e6;
      return;
  }
}

/// Answers a request. Returns the time that the datagrams take which set the switches' tables.
PicoSeconds SubnetService::decide(Request& request) {
  release_ended();
  follow_moves();
  const FlowSpec& spec = request.flow.spec;
  const FlowName name{spec.from, spec.to, spec.id};
  PathQuery query;
  query.source = SubnetAgents::guid_of(p_.topology.node_of(spec.from));
  query.destination = SubnetAgents::guid_of(p_.topology.node_of(spec.to));
  query.lane = spec.priority;
  query.rate = request.rate;
  query.flow = spec.id;
  query.address = scheduler_ == nullptr ? 0 : scheduler_->path_of(name);
  const Mad answer = administration_.answer(PathQuery::decode(query.encode()).encode());
  request.granted = answer.status() == Mad::kOk;
  const std::uint64_t base = manager_.nodes()[*manager_.find(query.destination)].lid;
  const auto address = static_cast<unsigned>(Administration::destination_lid(answer) - base);
  request.result = result_.requests.size();
  SubnetRequestResult& result = result_.requests.emplace_back();
  result.flow = spec.id;
  result.asked_gbps = static_cast<double>(request.rate) / 1e9;
  result.granted = request.granted;
  result.available_gbps = static_cast<double>(Administration::rate_of(answer)) / 1e9;
  result.path = address;
  if (!request.granted) {
    ++result_.refused;
    return {};
  }
  ++result_.admitted;
  holds_[spec.id] = &request.flow;
  if (scheduler_ != nullptr && address != query.address) scheduler_->move(name, address);
  return by_tables_ ? write_tables(administration_.path()) : PicoSeconds{};
}

/// Releases the rates that were granted to ended flows.
void SubnetService::release_ended() {
  for (auto at = holds_.begin(); at != holds_.end();) {
    const PlannedFlow& flow = *at->second;
    const bool over =
        FlowLedger::finished(p_.ledger[flow.spec.id]) || p_.scheduler.now() >= flow.spec.stop;
    if (!over) {
      ++at;
      continue;
    }
    const std::vector<SubnetManager::Hop> path = reservations_.release(flow.spec.id);
    if (by_tables_) write_tables(path);
    at = holds_.erase(at);
  }
}

/// Moves the granted rates of flows that the flow scheduler has moved.
void SubnetService::follow_moves() {
  if (scheduler_ == nullptr) return;
  for (const auto& [id, flow] : holds_) {
    const unsigned address = scheduler_->path_of({flow->spec.from, flow->spec.to, id});
    reservations_.move(id, path_of(*flow, address));
  }
}

std::vector<SubnetManager::Hop> SubnetService::path_of(const PlannedFlow& flow,
                                                       unsigned address) const {
  const auto from = manager_.find(SubnetAgents::guid_of(p_.topology.node_of(flow.spec.from)));
  const auto to = manager_.find(SubnetAgents::guid_of(p_.topology.node_of(flow.spec.to)));
  return manager_.path(*from, *to, address);
}

/// Sets the VL arbitration tables of the switches' ports on a path. Returns the time of the
/// datagrams.
PicoSeconds SubnetService::write_tables(const std::vector<SubnetManager::Hop>& path) {
  const auto weight = static_cast<unsigned>(p_.config.largest_mtu() / 64);
  PicoSeconds took{};
  for (const SubnetManager::Hop& wire : path) {
    if (!manager_.nodes()[wire.node].is_switch) continue;
    const VlArbitrationParameters table = reservations_.table(wire, std::max(1u, weight));
    for (unsigned block = 0; block < 2; ++block) {
      Mad mad = manager_.to_node(wire.node, Mad::kSet, Mad::kVlArbitration,
                                 vl_modifier(block + 1, wire.port));
      for (std::size_t i = 0; i < kVlBlock; ++i) {
        const auto& entry = table.low[block * kVlBlock + i];
        mad.put(Mad::kSmpData + 2 * i, 1, entry.lane);
        mad.put(Mad::kSmpData + 2 * i + 1, 1, entry.weight);
      }
      agents_.carry(p_.topology.node_of(result_.manager), mad, took);
    }
    ++result_.tables;
  }
  return took;
}

void SubnetService::finish(RunResults& results) {
  for (const SubnetManager::Node& node : manager_.nodes()) {
    if (node.present) ++(node.is_switch ? result_.switches : result_.hosts);
  }
  result_.links = manager_.links();
  result_.smps = manager_.datagrams();
  result_.waiting = requests_.size() - result_.admitted - result_.refused;
  results.subnet = result_;
}

namespace {
const PartKind kSubnetServiceKind(PartKind::kSubnetService, [](Platform& p) {
  return p.config.subnet.manager ? std::make_unique<SubnetService>(p) : nullptr;
});
}  // namespace

}  // namespace dcc::vp
