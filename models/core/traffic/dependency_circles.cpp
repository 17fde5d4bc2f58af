#include "traffic/dependency_circles.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace dcc {

namespace {

/// Groups numbered items by a numbered key; both numbers count from 0.
class Groups {
 public:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;  // a pair of a key and an item
  Groups(std::size_t keys, const std::vector<Pair>& pairs)
      : begin_(keys + 1), items_(pairs.size()) {
    for (const Pair& pair : pairs) ++begin_[pair.first + 1];
    for (std::size_t key = 0; key < keys; ++key) begin_[key + 1] += begin_[key];
    std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
    for (const Pair& pair : pairs) items_[at[pair.first]++] = pair.second;
  }
  const std::uint32_t* begin(std::uint32_t key) const { return items_.data() + begin_[key]; }
  const std::uint32_t* end(std::uint32_t key) const { return items_.data() + begin_[key + 1]; }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> items_;
};

class Circles {
 public:
  Circles(const Dependencies& dependencies, const std::vector<FlowSpec>& flows,
          const std::vector<TrafficSpec>& specs)
      : d_(dependencies), flows_(flows), specs_(specs) {}

  /// Opens gates as a run without losses would open them. A gate that stays closed waits for
  /// itself.
  void check() const {
    const auto gates = d_.first + static_cast<std::uint32_t>(d_.gates.size());
    const auto flows = static_cast<std::uint32_t>(flows_.size());
    // Nodes of the dependency graph: flows, then computations.
    const auto nodes = flows + static_cast<std::uint32_t>(d_.computations.size());
    const auto gate_of_node = [&](std::uint32_t node) {
      return node < flows ? flows_[node].waits_at : d_.computations[node - flows].waits_at;
    };
    // pairs of a node and a gate that it opens or waits at, and of two gates
    std::vector<Groups::Pair> opened, behind, joined;
    std::vector<std::uint32_t> missing(gates, 0);
    const auto edge = [&](std::uint32_t node, std::uint32_t gate) {
      opened.emplace_back(node, gate);
      ++missing[gate];
    };
    for (std::uint32_t flow = 0; flow < flows; ++flow) {
      if (flows_[flow].opens != kNone) edge(flow, flows_[flow].opens);
    }
    for (const auto& one : d_.received) edge(one.source, one.gate);
    for (const auto& one : d_.sent) edge(one.source, one.gate);
    for (const auto& one : d_.computed) edge(flows + one.source, one.gate);
    for (const auto& one : d_.joined) {
      joined.emplace_back(one.source, one.gate);
      ++missing[one.gate];
    }
    for (std::size_t i = 0; i < d_.gates.size(); ++i) {
      if (d_.gates[i].any) missing[d_.first + i] = std::min(missing[d_.first + i], 1u);
    }
    std::vector<std::uint32_t>
        ready;  // gates that are open and whose followers are not yet visited
    std::vector<bool> open(gates, false);
    for (std::uint32_t node = 0; node < nodes; ++node) {
      if (gate_of_node(node) != kNone) behind.emplace_back(gate_of_node(node), node);
    }
    const Groups opens(nodes, opened), after(gates, behind), joins(gates, joined);
    const auto tell = [&](std::uint32_t gate) {
      if (open[gate] || (missing[gate] != 0 && --missing[gate] != 0)) return;
      open[gate] = true;
      ready.push_back(gate);
    };
    const auto ends = [&](std::uint32_t node) {
      for (const auto* gate = opens.begin(node); gate != opens.end(node); ++gate) tell(*gate);
    };
    for (std::uint32_t gate = d_.first; gate < gates; ++gate) {
      // all awaited flows of the gate are left out, so the gate is open
      if (missing[gate] == 0) tell(gate);
    }
    for (std::uint32_t node = 0; node < nodes; ++node) {
      if (gate_of_node(node) == kNone) ends(node);
    }
    while (!ready.empty()) {
      const std::uint32_t gate = ready.back();
      ready.pop_back();
      for (const auto* next = joins.begin(gate); next != joins.end(gate); ++next) tell(*next);
      for (const auto* node = after.begin(gate); node != after.end(gate); ++node) ends(*node);
    }
    for (std::uint32_t gate = d_.first; gate < gates; ++gate) {
      if (!open[gate]) refuse(gate, open, opened, joined, gate_of_node);
    }
  }

 private:
  static constexpr std::uint32_t kNone = FlowSpec::kNone;

  std::string place(const Dependencies::Gate& gate) const {
    return place_of(specs_, *d_.traces, gate.entry, gate.line);
  }

  template <class GateOf>
  [[noreturn]] void refuse(std::uint32_t gate, const std::vector<bool>& open,
                           const std::vector<Groups::Pair>& opened,
                           const std::vector<Groups::Pair>& joined, GateOf gate_of_node) const {
    // Follows each closed gate to a gate that it waits for, until a gate repeats, which closes the
    // circle.
    std::unordered_map<std::uint32_t, std::uint32_t> before;
    for (const auto& [node, its] : opened) {
      const std::uint32_t other = gate_of_node(node);
      if (!open[its] && other != kNone && !open[other]) before.emplace(its, other);
    }
    for (const auto& [other, its] : joined) {
      if (!open[its] && !open[other]) before.emplace(its, other);
    }
    std::vector<std::uint32_t> way;
    while (std::find(way.begin(), way.end(), gate) == way.end()) {
      way.push_back(gate);
      gate = before.at(gate);
    }
    way.erase(way.begin(), std::find(way.begin(), way.end(), gate));
    std::vector<std::string> places;
    for (const std::uint32_t one : way) {
      if (one < d_.first) continue;  // skips an edge within a collective
      const std::string text = place(d_.gates[one - d_.first]);
      if (places.empty() || places.back() != text) places.push_back(text);
    }
    if (places.size() > 1 && places.back() == places.front()) places.pop_back();
    std::string chain;
    for (std::size_t i = 1; i < places.size() && i < 6; ++i)
      chain += " for " + places[i] + ", which waits";
    const bool is_line = places.front().rfind("traffic.", 0) != 0;
    throw TrafficError(places.front() + (is_line ? "" : ".after.flows") + ": waits" + chain +
                       (places.size() > 6 ? " for others, which wait" : "") + " for " +
                       places.front() + (places.size() > 1 ? ": a circle" : " itself"));
  }

  const Dependencies& d_;
  const std::vector<FlowSpec>& flows_;
  const std::vector<TrafficSpec>& specs_;
};

}  // namespace

void check_circles(const Dependencies& dependencies, const std::vector<FlowSpec>& flows,
                   const std::vector<TrafficSpec>& specs) {
  Circles(dependencies, flows, specs).check();
}

}  // namespace dcc
