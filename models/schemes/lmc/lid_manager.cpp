#include "schemes/lmc/lid_manager.h"

#include <algorithm>

#include "describe/visitor.h"
#include "schemes/common/key_table.h"
#include "schemes/lmc/lmc.h"

namespace dcc {

namespace {
constexpr std::uint64_t kWhole = 1'000'000;  // utilisation 1.0 of a wire, in parts per million
constexpr std::uint64_t kMinGain = kWhole / 10;
}  // namespace

void LidManagerParameters::describe(ParameterVisitor& v) {
  v.field("move_period", period, "never", {"1us", "1000s"},
          {"time between two readings of counters, after which the manager moves flows away "
           "from full wires",
           "InfiniBand paper, 3 (1)"});
  v.when(on(), "move_period: a time", [&] {
    v.field("move_above", above, {"1/1000", "1"},
            {"share of a wire's rate above which it counts as full"});
  });
}

std::vector<LidManager::Step> LidManager::steps(const FlowName& name, unsigned path) const {
  const Topology& topology = fabric_.topology();
  std::vector<Step> steps;
  NodeId node = topology.peer(topology.node_of(name.source), 0).node;
  for (;;) {
    const PortSet ports = fabric_.routing().ports(node, name.destination);
    if (ports.empty() || !fabric_.leads_on(node, ports.front())) return steps;
    const std::uint32_t index =
        ports.size() == 1
            ? 0
            : index_by_address(hash_seeds_.at(node), name.destination, path, ports.size());
    steps.push_back({node, index, ports.size(), fabric_.wire(node, ports[index])});
    node = topology.peer(node, ports[index]).node;
  }
}

std::vector<std::size_t> LidManager::wires(const FlowName& name, unsigned path) const {
  std::vector<std::size_t> wires;
  for (const Step& step : steps(name, path)) wires.push_back(step.wire);
  return wires;
}

void LidManager::read_seeds() {
  for (const auto& [node, entries] : switches_) hash_seeds_[node] = entries->hash_seed();
}

/// Returns the flows of the last period in the order of flow_key(), and updates the load of each
/// wire (load_).
std::vector<LidManager::Flow> LidManager::flows_of_period() {
  std::map<std::uint64_t, Flow> found;
  read_seeds();
  for (const auto& [node, entries] : switches_) {
    for (const FlowEntries::Count& count : entries->take_counts()) {
      const FlowName& name = count.name;
      const std::uint64_t key = flow_key(name.flow, name.source, name.destination);
      const auto moved = moved_.find(key);
      Flow flow{
          name, 0, moved == moved_.end() ? own_path(name.flow, lmc_) : moved->second.second, {}};
      flow.rate = static_cast<std::uint64_t>(Uint128(static_cast<std::uint64_t>(count.bytes)) * 8 *
                                             1'000'000'000'000u /
                                             static_cast<std::uint64_t>(period_.count));
      flow.wires = wires(name, flow.path);
      found.emplace(key, std::move(flow));
    }
  }
  load_.assign(fabric_.wires(), 0);
  std::vector<Flow> flows;
  for (auto& [key, flow] : found) {
    for (const std::size_t wire : flow.wires) load_[wire] += flow.rate;
    flows.push_back(std::move(flow));
  }
  return flows;
}

std::uint64_t LidManager::use_ppm(std::size_t wire, std::uint64_t load) const {
  return static_cast<std::uint64_t>(Uint128(load) * kWhole / fabric_.rate(wire));
}

/// Moves a flow to the destination address whose path, with the flow's rate `rate` added, has the
/// lowest utilisation, if that is lower than `use` by a tenth of a wire's rate. Returns false if
/// there is no such address.
bool LidManager::move_to_room(Flow& flow, std::uint64_t use, std::uint64_t rate) {
  std::uint64_t least = use;
  unsigned best = flow.path;
  std::vector<std::size_t> best_wires;
  for (unsigned path = 0; path < 1u << lmc_; ++path) {
    std::vector<std::size_t> there = wires(flow.name, path);
    std::uint64_t worst = 0;
    for (const std::size_t one : there) {
      const bool already = std::count(flow.wires.begin(), flow.wires.end(), one) != 0;
      worst = std::max(worst, use_ppm(one, load_[one] + (already ? rate - flow.rate : rate)));
    }
    if (worst + kMinGain > least) continue;
    least = worst;
    best = path;
    best_wires = std::move(there);
  }
  if (best == flow.path) return false;
  for (const std::size_t one : flow.wires) load_[one] -= flow.rate;
  for (const std::size_t one : best_wires) load_[one] += rate;
  flow.rate = rate;
  flow.path = best;
  flow.wires = std::move(best_wires);
  note_move(flow.name, best);
  ++moves_;
  return true;
}

void LidManager::relieve(std::size_t wire, std::vector<Flow>& flows) {
  const std::uint64_t use = use_ppm(wire, load_[wire]);
  std::vector<Flow*> here;
  for (Flow& flow : flows) {
    if (std::count(flow.wires.begin(), flow.wires.end(), wire) != 0) here.push_back(&flow);
  }
  std::stable_sort(here.begin(), here.end(),
                   [](const Flow* a, const Flow* b) { return a->rate > b->rate; });
  for (Flow* const flow : here) {
    if (move_to_room(*flow, use, flow->rate)) return;
  }
}

void LidManager::help_who_misses(std::vector<Flow>& flows) {
  if (!goal_) return;
  for (Flow& flow : flows) {
    const std::uint64_t goal = goal_(flow.name.flow);
    if (goal == 0 || Uint128(flow.rate) * 20 >= Uint128(goal) * 19) continue;
    std::uint64_t use = 0;
    for (const std::size_t wire : flow.wires) use = std::max(use, use_ppm(wire, load_[wire]));
    if (move_to_room(flow, use, goal)) ++moves_for_goals_;
  }
}

unsigned LidManager::path_of(const FlowName& name) const {
  const auto moved = moved_.find(flow_key(name.flow, name.source, name.destination));
  return moved == moved_.end() ? own_path(name.flow, lmc_) : moved->second.second;
}

void LidManager::note_move(const FlowName& name, unsigned path) {
  moved_[flow_key(name.flow, name.source, name.destination)] = {name, path};
}

bool LidManager::move(const FlowName& name, unsigned path) {
  note_move(name, path);
  install();
  return true;
}

void LidManager::run_round() {
  std::vector<Flow> flows = flows_of_period();
  std::vector<std::size_t> full;
  for (std::size_t wire = 0; wire < load_.size(); ++wire) {
    if (load_[wire] != 0 && use_ppm(wire, load_[wire]) >= above_ppm_) full.push_back(wire);
  }
  const std::vector<std::uint64_t> before = load_;
  std::stable_sort(full.begin(), full.end(), [&](std::size_t a, std::size_t b) {
    return use_ppm(a, before[a]) > use_ppm(b, before[b]);
  });
  for (const std::size_t wire : full) {
    if (use_ppm(wire, load_[wire]) >= above_ppm_) relieve(wire, flows);
  }
  help_who_misses(flows);
  install();
}

void LidManager::install() {
  read_seeds();
  std::map<NodeId, FlowEntries*> entries;
  for (const auto& [node, one] : switches_) {
    one->clear_places();
    entries[node] = one;
  }
  for (const auto& [key, moved] : moved_) {
    for (const Step& step : steps(moved.first, moved.second)) {
      if (step.choices > 1) entries.at(step.node)->place(moved.first, step.index);
    }
  }
}

}  // namespace dcc
