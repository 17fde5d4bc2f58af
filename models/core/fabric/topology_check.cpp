// Checks a topology whose single values are all in range for contradictions.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "describe/parameter_error.h"
#include "describe/quantity_text.h"
#include "describe/value_node.h"
#include "fabric/route_table.h"
#include "fabric/topology_parameters.h"

namespace dcc {
namespace {

constexpr unsigned kMaxHosts = RouteTable::kMaxHosts;
// Upper limit of cables: two for each host, as in a fat tree of three layers at full bisection.
constexpr std::uint64_t kMaxCables = 2 * std::uint64_t{kMaxHosts};

void require(bool condition, const std::string& key, const std::string& sentence) {
  if (!condition) throw ParameterError({key}, sentence);
}

std::size_t node_of(const std::map<std::string, std::size_t>& index, const std::string& name,
                    const std::string& key) {
  const auto known = index.find(name);
  if (known != index.end()) return known->second;
  std::vector<std::string> names;
  for (const auto& entry : index) names.push_back(entry.first);
  const std::string near = nearest(name, names);
  throw ParameterError({key}, "no node " + in_quotes(name) +
                                  (near.empty() ? "" : "; did you mean " + in_quotes(near) + "?"));
}

using Neighbours = std::vector<std::vector<std::size_t>>;

/// Finds the connected parts of the network of forwarding switches. Returns the part number of each
/// node; −1 for other nodes.
std::vector<int> forwarding_parts(const std::vector<NodeParameters>& nodes,
                                  const Neighbours& neighbours) {
  const auto forwards = [&](std::size_t n) {
    return nodes[n].kind == NodeKind::kSwitch && nodes[n].forwards;
  };
  std::vector<int> part(nodes.size(), -1);
  int parts = 0;
  for (std::size_t first = 0; first < nodes.size(); ++first) {
    if (!forwards(first) || part[first] >= 0) continue;
    std::vector<std::size_t> open{first};
    part[first] = parts;
    while (!open.empty()) {
      const std::size_t node = open.back();
      open.pop_back();
      for (const std::size_t next : neighbours[node]) {
        if (!forwards(next) || part[next] >= 0) continue;
        part[next] = parts;
        open.push_back(next);
      }
    }
    ++parts;
  }
  return part;
}

/// Where the packets of a host can meet those of another: numbers of connected parts of forwarding
/// switches; behind them, nodes of switches that do not forward and have several hosts; behind
/// them, pairs of nodes: cables between two hosts, or between two switches that do not forward.
using Meetings = std::set<std::size_t>;

/// Maps the meetings that occur to one host that has them.
std::map<Meetings, std::size_t> find_meetings(const std::vector<NodeParameters>& nodes,
                                              const Neighbours& neighbours) {
  const std::vector<int> part = forwarding_parts(nodes, neighbours);
  const std::size_t parts = nodes.size();  // upper limit of the number of parts
  const auto pair_of = [&](std::size_t a, std::size_t b) {
    return 2 * parts + std::min(a, b) * nodes.size() + std::max(a, b);
  };
  const auto is_host = [&](std::size_t node) { return nodes[node].kind == NodeKind::kHost; };
  std::map<Meetings, std::size_t> found;
  std::map<std::vector<std::size_t>, bool> done;  // results by the neighbours of a host
  for (std::size_t host = 0; host < nodes.size(); ++host) {
    if (!is_host(host)) continue;
    Meetings meetings;
    bool beside_host = false;
    for (const std::size_t edge : neighbours[host]) {
      if (is_host(edge)) {
        beside_host = true;
        meetings.insert(pair_of(host, edge));
        continue;
      }
      if (part[edge] >= 0) meetings.insert(static_cast<std::size_t>(part[edge]));
      if (nodes[edge].forwards) continue;
      std::size_t hosts = 0;
      for (const std::size_t next : neighbours[edge]) {
        if (part[next] >= 0) meetings.insert(static_cast<std::size_t>(part[next]));
        hosts += is_host(next) && next != host ? 1 : 0;
        if (!is_host(next) && !nodes[next].forwards) meetings.insert(pair_of(edge, next));
      }
      if (hosts != 0) meetings.insert(parts + edge);
    }
    if (!beside_host && !done.emplace(neighbours[host], true).second) continue;
    found.emplace(std::move(meetings), host);
  }
  return found;
}

/// Throws if two hosts have no way to each other: no port of one reaches a port of the other but
/// through a host or through a switch that does not forward.
void check_ways(const std::vector<NodeParameters>& nodes, const Neighbours& neighbours) {
  bool several_ports = false;
  bool all_forward = true;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    all_forward = all_forward && nodes[node].forwards;
    several_ports =
        several_ports || (nodes[node].kind == NodeKind::kHost && neighbours[node].size() > 1);
  }
  if (all_forward && !several_ports) return;  // a connected network then has all paths
  const std::map<Meetings, std::size_t> hosts = find_meetings(nodes, neighbours);
  std::map<std::size_t, std::size_t> users;  // number of entries of `hosts` with each meeting
  for (const auto& [meetings, host] : hosts) {
    require(!meetings.empty(), "links",
            "no way from host " + in_quotes(nodes[host].name) +
                " to any other but through a switch that does not forward");
    for (const std::size_t number : meetings) {
      if (++users[number] == hosts.size()) return;  // a switch with all hosts connects all parts
    }
  }
  for (auto one = hosts.begin(); one != hosts.end(); ++one) {
    for (auto other = std::next(one); other != hosts.end(); ++other) {
      const bool meet = std::any_of(one->first.begin(), one->first.end(), [&](std::size_t number) {
        return other->first.count(number) != 0;
      });
      require(meet, "links",
              "no way from host " + in_quotes(nodes[one->second].name) + " to " +
                  in_quotes(nodes[other->second].name) + " but through " +
                  (several_ports ? "another host (rings: kind: torus) or " : "") +
                  "a switch that does not forward");
    }
  }
}

}  // namespace

void TopologyParameters::check() const {
  if (kind == TopologyKind::kCustom) check_custom();
  if (kind == TopologyKind::kFatTree && fat_tree.k) {
    require(*fat_tree.k % 2 == 0, "k",
            "half the ports of a switch lead up: " + std::to_string(*fat_tree.k) + " is odd");
  } else if (kind == TopologyKind::kFatTree) {
    require(fat_tree.cores % fat_tree.aggs_per_pod == 0, "cores",
            std::to_string(fat_tree.cores) + " cores are not a multiple of aggs_per_pod " +
                std::to_string(fat_tree.aggs_per_pod));
  }
  require(host_count() >= 2, "", "fewer than two hosts");
  require(host_count() <= kMaxHosts, "",
          std::to_string(host_count()) + " hosts; at most " + std::to_string(kMaxHosts));
  require(std::uint64_t{host_count()} * ports <= kMaxHosts && port_count() <= kMaxHosts, "",
          std::to_string(port_count()) + " ports of hosts; at most " + std::to_string(kMaxHosts));
  require(fabric_cables() <= kMaxCables, "",
          std::to_string(fabric_cables()) + " cables between switches; at most " +
              std::to_string(kMaxCables));
}

void TopologyParameters::check_custom() const {
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string key = "nodes." + std::to_string(i);
    const std::string& name = nodes[i].name;
    require(!name.empty(), key, "a node without a name");
    // A node name must not contain the separators of tables, signal files and names of wires.
    require(name.find_first_of(" ,.\">") == std::string::npos, key + ".name",
            in_quotes(name) + " holds a blank, comma, dot, quote or '>'");
    require(index.emplace(name, i).second, key + ".name",
            "the name " + in_quotes(name) + " is taken");
  }
  std::vector<std::vector<std::size_t>> neighbours(nodes.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::string key = "links." + std::to_string(i);
    const std::size_t from = node_of(index, links[i].from, key + ".from");
    const std::size_t to = node_of(index, links[i].to, key + ".to");
    require(from != to, key, "a link from a node to itself");
    neighbours[from].push_back(to);
    neighbours[to].push_back(from);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    require(nodes[i].kind != NodeKind::kHost || nodes[i].forwards,
            "nodes." + std::to_string(i) + ".forwards",
            "no host forwards packets; only a switch is given forwards: false");
    require(nodes[i].kind != NodeKind::kHost || !neighbours[i].empty(),
            "nodes." + std::to_string(i), "host " + in_quotes(nodes[i].name) + " has no link");
  }
  std::set<std::size_t> reached;
  std::vector<std::size_t> open{0};
  while (!open.empty() && !nodes.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    if (!reached.insert(node).second) continue;
    open.insert(open.end(), neighbours[node].begin(), neighbours[node].end());
  }
  require(reached.size() == nodes.size(), "links", "the network is not connected");
  check_ways(nodes, neighbours);
}

}  // namespace dcc
