#include "report/topology_layout.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>

#include "report/topology_svg.h"

namespace dcc::vp {
namespace {

// maximum number of hosts drawn one by one; a larger network has racks with cells for hosts
constexpr int kMaxSingleHosts = 40;
// maximum number of hosts of one switch that are drawn one by one
constexpr int kMaxHostsInRow = 16;
constexpr double kMargin = 16;
constexpr double kTitleHeight = 46;
constexpr double kLayerHeight = 92;
constexpr double kRackGap = 14;
constexpr double kHostPitch = TopologyLayout::kHostWidth + 10;
constexpr double kMinSwitchPitch = TopologyLayout::kSwitchWidth + 14;

std::vector<NodeId> neighbours(const Topology& topology, NodeId node) {
  std::vector<NodeId> list;
  for (int port = 0; port < topology.node(node).ports; ++port) {
    list.push_back(topology.peer(node, port).node);
  }
  return list;
}

std::vector<DrawnRack> racks_of(const Topology& topology) {
  std::map<NodeId, DrawnRack> by_switch;
  std::vector<DrawnRack> alone;
  for (HostId h = 0; h < static_cast<HostId>(topology.hosts()); ++h) {
    const NodeId host = topology.node_of(h);
    const NodeId other = topology.node(host).ports == 0 ? -1 : topology.peer(host, 0).node;
    if (other < 0 || topology.node(other).is_host) {
      alone.push_back(DrawnRack{-1, {h}});
    } else {
      by_switch[other].hosts.push_back(h);
    }
  }
  std::vector<DrawnRack> racks;
  for (auto& [node, rack] : by_switch) {
    rack.node = node;
    racks.push_back(std::move(rack));
  }
  racks.insert(racks.end(), alone.begin(), alone.end());
  return racks;
}

/// Returns positions at least `pitch` apart, in the given order, as near to `wanted` as possible in
/// the least-squares sense. Groups of neighbours that would overlap move together.
std::vector<double> spread(const std::vector<double>& wanted, double pitch) {
  struct Pool {
    double sum;
    std::size_t count;
  };
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    pools.push_back({wanted[i] - pitch * static_cast<double>(i), 1});
    while (pools.size() > 1) {
      const Pool last = pools.back();
      Pool& before = pools[pools.size() - 2];
      const bool ordered = before.sum / static_cast<double>(before.count) <=
                           last.sum / static_cast<double>(last.count);
      if (ordered) break;
      before.sum += last.sum;
      before.count += last.count;
      pools.pop_back();
    }
  }
  std::vector<double> places;
  for (const Pool& pool : pools) {
    for (std::size_t i = 0; i < pool.count; ++i) {
      places.push_back(pool.sum / static_cast<double>(pool.count) +
                       pitch * static_cast<double>(places.size()));
    }
  }
  return places;
}

/// Places each switch of a layer over the middle of the nodes below it that have a cable to it.
void place_layer(const Topology& topology, TopologyLayout& layout, int layer, double span) {
  std::vector<std::pair<double, NodeId>> order;
  for (NodeId n = 0; n < static_cast<NodeId>(topology.nodes().size()); ++n) {
    if (layout.layers[index(n)] != layer) continue;
    double sum = 0;
    int count = 0;
    for (const NodeId other : neighbours(topology, n)) {
      if (layout.layers[index(other)] != layer - 1) continue;
      sum += layout.nodes[index(other)].x;
      ++count;
    }
    order.emplace_back(sum / std::max(count, 1), n);
  }
  // Positions are rounded, so that switches with the same mean stay in the order of their numbers.
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::llround(a.first) < std::llround(b.first);
  });
  std::vector<double> wanted;
  for (const auto& [x, node] : order) wanted.push_back(x);
  const double room = span / static_cast<double>(std::max<std::size_t>(order.size(), 1));
  const double pitch = std::clamp(room * 0.9, kMinSwitchPitch, 2.2 * kMinSwitchPitch);
  const std::vector<double> places = spread(wanted, pitch);
  for (std::size_t i = 0; i < order.size(); ++i) {
    layout.nodes[index(order[i].second)].x = places[i];
  }
}

/// Layers above the racks are further apart if many cables cross between them.
double layer_y(const TopologyLayout& layout, int layer) {
  const double first = kTitleHeight + kMargin + TopologyLayout::kSwitchHeight / 2;
  const int wide = std::clamp(layout.top_layer - std::max(layer, 1), 0, 1);
  return first + kLayerHeight * (layout.top_layer - layer) + (layout.crowded ? 60 * wide : 0);
}

void place_racks(const Topology& topology, TopologyLayout& layout) {
  double x = kMargin;
  for (DrawnRack& rack : layout.racks) {
    const int hosts = static_cast<int>(rack.hosts.size());
    rack.cells = topology.hosts() > kMaxSingleHosts || hosts > kMaxHostsInRow;
    const int columns = TopologyLayout::columns_of(rack);
    const double content =
        rack.cells ? columns * TopologyLayout::kCellPitch + 2 * TopologyLayout::kRackPadding
                   : hosts * kHostPitch - 10;
    rack.left = x;
    rack.width = std::max(content, TopologyLayout::kSwitchWidth);
    const double first = x + (rack.width - content) / 2;
    for (int i = 0; i < hosts; ++i) {
      DrawingPoint& at = layout.nodes[index(topology.node_of(rack.hosts[index(i)]))];
      if (rack.cells) {
        at.x =
            first + TopologyLayout::kRackPadding + (i % columns + 0.5) * TopologyLayout::kCellPitch;
        at.y = layer_y(layout, 0) + (i / columns) * TopologyLayout::kCellPitch;
      } else {
        at = {first + TopologyLayout::kHostWidth / 2 + i * kHostPitch, layer_y(layout, 0)};
      }
      layout.height = std::max(layout.height, at.y);
    }
    if (rack.node >= 0) layout.nodes[index(rack.node)].x = x + rack.width / 2;
    x += rack.width + kRackGap;
  }
  layout.width = x - kRackGap + kMargin;
}

/// Finds the parts of the network (pods) that only the top layer connects, if there are several
/// with more than one switch.
std::vector<DrawnArea> pods_of(const Topology& topology, const TopologyLayout& layout) {
  std::vector<int> part(topology.nodes().size());
  std::iota(part.begin(), part.end(), 0);
  const auto find = [&](int n) {
    while (part[index(n)] != n) n = part[index(n)] = part[index(part[index(n)])];
    return n;
  };
  for (const Cable& cable : topology.cables()) {
    const NodeId a = cable.end[0].node;
    const NodeId b = cable.end[1].node;
    if (std::max(layout.layers[index(a)], layout.layers[index(b)]) < layout.top_layer) {
      part[index(find(a))] = find(b);
    }
  }
  std::map<int, DrawnArea> areas;
  std::map<int, int> switches;
  for (NodeId n = 0; n < static_cast<NodeId>(topology.nodes().size()); ++n) {
    const int layer = layout.layers[index(n)];
    if (layer == layout.top_layer || layer == 0) continue;
    DrawnArea& area = areas.try_emplace(find(n), DrawnArea{1e9, 0, 0, 0}).first->second;
    ++switches[find(n)];
    const double x = layout.nodes[index(n)].x;
    area.left = std::min(area.left, x - TopologyLayout::kSwitchWidth / 2);
    area.right = std::max(area.right, x + TopologyLayout::kSwitchWidth / 2);
    area.highest_layer = std::max(area.highest_layer, layer);
  }
  for (const DrawnRack& rack : layout.racks) {
    if (rack.node < 0) continue;
    const auto area = areas.find(find(rack.node));
    if (area == areas.end()) continue;
    area->second.left = std::min(area->second.left, rack.left);
    area->second.right = std::max(area->second.right, rack.left + rack.width);
  }
  std::vector<DrawnArea> pods;
  for (const auto& [root, area] : areas) {
    if (switches[root] > 1) pods.push_back(area);
  }
  if (pods.size() < 2) pods.clear();
  std::sort(pods.begin(), pods.end(),
            [](const DrawnArea& a, const DrawnArea& b) { return a.left < b.left; });
  return pods;
}

}  // namespace

int TopologyLayout::columns_of(const DrawnRack& rack) {
  const auto hosts = static_cast<double>(rack.hosts.size());
  return std::max(1, static_cast<int>(std::ceil(std::sqrt(hosts * (hosts > 64 ? 4.0 : 1.0)))));
}

TopologyLayout lay_out(const Topology& topology) {
  TopologyLayout layout;
  layout.layers = topology_layers(topology);
  layout.top_layer = *std::max_element(layout.layers.begin(), layout.layers.end());
  layout.crowded = topology.cables().size() - static_cast<std::size_t>(topology.hosts()) > 40;
  layout.nodes.resize(topology.nodes().size());
  for (std::size_t n = 0; n < layout.nodes.size(); ++n) {
    layout.nodes[n].y = layer_y(layout, layout.layers[n]);
  }
  layout.racks = racks_of(topology);
  place_racks(topology, layout);
  for (int layer = 2; layer <= layout.top_layer; ++layer) {
    place_layer(topology, layout, layer, layout.width - 2 * kMargin);
  }
  // A layer wider than the margin extends to the left; a title needs a minimum width.
  double left = kMargin;
  double right = std::max(layout.width - kMargin, 420.0);
  for (std::size_t n = 0; n < layout.nodes.size(); ++n) {
    if (layout.layers[n] == 0) continue;
    left = std::min(left, layout.nodes[n].x - TopologyLayout::kSwitchWidth / 2);
    right = std::max(right, layout.nodes[n].x + TopologyLayout::kSwitchWidth / 2);
  }
  const double shift = kMargin - left + std::max(0.0, (420.0 - (layout.width - 2 * kMargin)) / 2);
  for (DrawingPoint& at : layout.nodes) at.x += shift;
  for (DrawnRack& rack : layout.racks) rack.left += shift;
  layout.width = right - left + 2 * kMargin;
  const bool cells = std::any_of(layout.racks.begin(), layout.racks.end(),
                                 [](const DrawnRack& rack) { return rack.cells; });
  layout.height += TopologyLayout::kHostHeight / 2 + kMargin + (cells ? 22 : 0);
  layout.pods = pods_of(topology, layout);
  return layout;
}

}  // namespace dcc::vp
