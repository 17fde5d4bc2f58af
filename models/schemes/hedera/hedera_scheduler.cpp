#include "schemes/hedera/hedera_scheduler.h"

#include <algorithm>

#include "schemes/common/key_table.h"

namespace dcc {

HederaScheduler::HederaScheduler(Scheduler& scheduler, const FabricMap& fabric,
                                 const HederaParameters& parameters, std::uint64_t seed,
                                 std::uint32_t rank)
    : FlowScheduler(scheduler, parameters.period, rank),
      fabric_(fabric),
      topology_(fabric.topology()),
      parameters_(parameters),
      random_(seed, "hedera"),
      load_(fabric.wires()) {
  for (HostId host = 0; host < static_cast<HostId>(topology_.hosts()); ++host) {
    host_rate_.push_back(topology_.link(topology_.node_of(host), 0).rate.bits_per_second);
    unit_ = std::max(unit_, host_rate_.back());
  }
}

void HederaScheduler::run_round() {
  find_elephants();
  estimate();
  std::fill(load_.begin(), load_.end(), 0);
  digits_.clear();
  for (const auto& [key, elephant] : elephants_) digits_.push_back(digits(elephant.name));
  if (parameters_.placement == HederaParameters::Placement::kFirstFit) {
    first_fit();
  } else {
    anneal();
  }
  install();
}

/// Finds the large flows. A large flow stays in the list while it sends, because its path may slow
/// it down.
void HederaScheduler::find_elephants() {
  std::map<std::uint64_t, Elephant> found;
  const auto share = static_cast<std::uint64_t>(parameters_.elephant.to_fixed(16));
  for (const auto& [node, entries] : switches_) {
    for (const FlowEntries::Count& count : entries->take_counts()) {
      const FlowName& name = count.name;
      const std::uint64_t key = flow_key(name.flow, name.source, name.destination);
      const auto before = elephants_.find(key);
      if (before != elephants_.end()) {
        found.insert(*before);
        continue;
      }
      // The comparison bytes · 8 / period >= share / 2^16 · rate is computed in integers.
      const Uint128 sent = Uint128(static_cast<std::uint64_t>(count.bytes)) * 8 << 16;
      const Uint128 least = Uint128(host_rate_[name.source]) * share *
                            static_cast<std::uint64_t>(parameters_.period.count) /
                            1'000'000'000'000u;
      if (sent >= least) found.emplace(key, Elephant{name, 0, kByHash});
    }
  }
  elephants_ = std::move(found);
}

void HederaScheduler::estimate() {
  std::vector<FlowDemand> flows;
  for (const auto& [key, elephant] : elephants_) {
    flows.push_back({elephant.name.source, elephant.name.destination, 0});
  }
  estimate_demands(flows, host_rate_);
  std::size_t i = 0;
  for (auto& [key, elephant] : elephants_) elephant.rate = flows[i++].rate;
}

bool HederaScheduler::leaves_its_edge(const FlowName& name) const {
  return fabric_.edge_of(name.source) != fabric_.edge_of(name.destination);
}

std::vector<std::uint32_t> HederaScheduler::digits(const FlowName& name) const {
  std::vector<std::uint32_t> digits;
  if (!leaves_its_edge(name)) return digits;
  const NodeId end = topology_.peer(topology_.node_of(name.destination), 0).node;
  std::vector<NodeId> here{topology_.peer(topology_.node_of(name.source), 0).node};
  while (!here.empty()) {
    std::uint32_t most = 0;
    std::vector<NodeId> next;
    for (const NodeId node : here) {
      if (node == end) continue;
      const PortSet ports = fabric_.routing().ports(node, name.destination);
      most = std::max(most, ports.size());
      for (const int port : ports) next.push_back(topology_.peer(node, port).node);
    }
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    here = std::move(next);
    if (most != 0) digits.push_back(most);
  }
  return digits;
}

std::vector<HederaScheduler::Step> HederaScheduler::steps(const FlowName& name,
                                                          const std::vector<std::uint32_t>& digits,
                                                          std::uint64_t way) const {
  std::vector<Step> steps;
  NodeId node = topology_.peer(topology_.node_of(name.source), 0).node;
  for (const std::uint32_t digit : digits) {
    const PortSet ports = fabric_.routing().ports(node, name.destination);
    if (ports.empty() || !fabric_.leads_on(node, ports.front())) break;
    const auto index = static_cast<std::uint32_t>(way % digit) % ports.size();
    way /= digit;
    steps.push_back({node, index, ports.size(), fabric_.wire(node, ports[index])});
    node = topology_.peer(node, ports[index]).node;
  }
  return steps;
}

// ---------------------------------------------------------------- Global first fit

bool HederaScheduler::fits(const std::vector<Step>& steps, std::uint64_t rate) const {
  return std::all_of(steps.begin(), steps.end(), [&](const Step& step) {
    return load_[step.wire] + rate <= fabric_.rate(step.wire);
  });
}

void HederaScheduler::add_load(const std::vector<Step>& steps, std::uint64_t rate) {
  for (const Step& step : steps) {
    const std::uint64_t room = fabric_.rate(step.wire);
    const std::uint64_t before = load_[step.wire];
    load_[step.wire] += rate;
    excess_ += std::max(load_[step.wire], room) - std::max(before, room);
  }
}

/// Assigns paths by global first fit. Large flows that have a path keep it if the path has room for
/// their present demand; the other large flows are placed after them.
void HederaScheduler::first_fit() {
  excess_ = 0;
  for (const bool placed : {true, false}) {
    std::size_t at = 0;
    for (auto& [key, elephant] : elephants_) {
      const std::vector<std::uint32_t>& digits = digits_[at++];
      if (digits.empty()) continue;
      if (placed) {
        if (elephant.way == kByHash) continue;
        const std::vector<Step> way =
            steps(elephant.name, digits, static_cast<std::uint64_t>(elephant.way));
        if (fits(way, elephant.rate)) {
          add_load(way, elephant.rate);
        } else {
          elephant.way = kByHash;
        }
        continue;
      }
      if (elephant.way != kByHash) continue;
      std::uint64_t ways = 1;
      for (const std::uint32_t digit : digits) ways *= digit;
      for (std::uint64_t number = 0; number < ways && elephant.way == kByHash; ++number) {
        const std::vector<Step> way = steps(elephant.name, digits, number);
        if (!fits(way, elephant.rate)) continue;
        add_load(way, elephant.rate);
        elephant.way = static_cast<int>(number);
      }
    }
  }
}

// ---------------------------------------------------------------- Simulated annealing

/// Finds the pods of the network. A pod is the set of edge switches with the same uplinks; the
/// first upper switch identifies the pod.
void HederaScheduler::prepare_annealing() {
  if (!way_to_.empty()) return;
  way_to_.resize(host_rate_.size());
  edge_hosts_.resize(fabric_.edges());
  std::map<NodeId, std::uint32_t> pods;
  for (HostId host = 0; host < way_to_.size(); ++host) {
    const NodeId edge = topology_.peer(topology_.node_of(host), 0).node;
    NodeId up = edge;
    for (int port = 0; port < topology_.node(edge).ports && up == edge; ++port) {
      if (fabric_.leads_on(edge, port)) up = topology_.peer(edge, port).node;
    }
    const std::uint32_t pod =
        pods.emplace(up, static_cast<std::uint32_t>(pods.size())).first->second;
    if (pod_hosts_.size() <= pod) pod_hosts_.resize(pod + 1);
    // Initially the hosts of a pod use different paths if there are enough paths.
    way_to_[host] = static_cast<std::uint32_t>(pod_hosts_[pod].size());
    pod_hosts_[pod].push_back(host);
    edge_hosts_[fabric_.edge_of(host)].push_back(host);
    pod_of_edge_.resize(fabric_.edges());
    pod_of_edge_[fabric_.edge_of(host)] = pod;
  }
}

/// Draws a random host that shares the edge switch, the pod, or only the network with `host`.
HostId HederaScheduler::partner_of(HostId host) {
  const std::uint32_t edge = fabric_.edge_of(host);
  const std::uint64_t where = random_.below(3);
  if (where == 2) return static_cast<HostId>(random_.below(way_to_.size()));
  const std::vector<HostId>& near = where == 0 ? edge_hosts_[edge] : pod_hosts_[pod_of_edge_[edge]];
  return near[random_.below(near.size())];
}

/// Decides whether the annealing accepts a worse state: returns true with probability
/// exp(−annealing · iterations · worse_by / temperature), with worse_by in multiples of a host's
/// rate. The random decision compares with an exponentially distributed number.
bool HederaScheduler::accepts(std::uint64_t worse_by, std::uint64_t temperature) {
  // 2^24 host rates, greater than all random draws
  constexpr std::uint64_t kNever = std::uint64_t{1} << 40;
  const std::uint64_t coldness_q16 =
      static_cast<std::uint64_t>(parameters_.annealing.to_fixed(16)) * parameters_.iterations /
      temperature;
  const Uint128 worse_q16 = std::min<Uint128>((Uint128(worse_by) << 16) / unit_, kNever);
  return Uint128(random_.exponential_q32()) >= worse_q16 * coldness_q16;
}

/// Adds the load of all flows to one host to the wires of their path if `there` is true; otherwise
/// removes that load.
void HederaScheduler::route_to(HostId host, bool there) {
  const auto found = elephants_to_.find(host);
  if (found == elephants_to_.end()) return;
  for (const auto& [elephant, at] : found->second) {
    const std::vector<Step> way = steps(elephant->name, digits_[at], way_to_[host]);
    if (there) {
      add_load(way, elephant->rate);
      continue;
    }
    for (const Step& step : way) {
      const std::uint64_t room = fabric_.rate(step.wire);
      const std::uint64_t before = load_[step.wire];
      load_[step.wire] -= elephant->rate;
      excess_ -= std::max(before, room) - std::max(load_[step.wire], room);
    }
  }
}

void HederaScheduler::exchange(HostId one, HostId other) {
  route_to(one, false);
  route_to(other, false);
  std::swap(way_to_[one], way_to_[other]);
  route_to(one, true);
  route_to(other, true);
}

void HederaScheduler::anneal() {
  prepare_annealing();
  elephants_to_.clear();
  excess_ = 0;
  std::size_t at = 0;
  for (const auto& [key, elephant] : elephants_) {
    if (leaves_its_edge(elephant.name)) {
      elephants_to_[elephant.name.destination].emplace_back(&elephant, at);
    }
    ++at;
  }
  std::vector<HostId> destinations;
  for (const auto& [host, elephants] : elephants_to_) {
    destinations.push_back(host);
    route_to(host, true);
  }
  std::uint64_t least = excess_;
  std::vector<std::uint32_t> best = way_to_;
  for (std::uint64_t temperature = parameters_.iterations; temperature > 0 && least > 0;
       --temperature) {
    const HostId one = destinations[random_.below(destinations.size())];
    const HostId other = partner_of(one);
    if (one == other) continue;
    const std::uint64_t before = excess_;
    exchange(one, other);
    if (excess_ > before && !accepts(excess_ - before, temperature)) exchange(one, other);
    if (excess_ >= least) continue;
    least = excess_;
    best = way_to_;
  }
  way_to_ = std::move(best);
  excess_ = least;
  for (auto& [key, elephant] : elephants_) {
    if (!leaves_its_edge(elephant.name)) continue;
    elephant.way = static_cast<int>(way_to_[elephant.name.destination]);
  }
}

// ---------------------------------------------------------------- Flow entries

void HederaScheduler::install() {
  std::map<NodeId, FlowEntries*> entries;
  for (const auto& [node, one] : switches_) {
    one->clear_places();
    entries[node] = one;
  }
  std::size_t at = 0;
  for (const auto& [key, elephant] : elephants_) {
    const std::vector<std::uint32_t>& digits = digits_[at++];
    if (elephant.way == kByHash) continue;
    for (const Step& step :
         steps(elephant.name, digits, static_cast<std::uint64_t>(elephant.way))) {
      if (step.choices > 1) entries.at(step.node)->place(elephant.name, step.index);
    }
  }
}

std::vector<HederaScheduler::Elephant> HederaScheduler::elephants() const {
  std::vector<Elephant> list;
  for (const auto& [key, elephant] : elephants_) list.push_back(elephant);
  return list;
}

}  // namespace dcc
