#include "report/topology_svg.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <sstream>

#include "describe/quantity_text.h"
#include "report/topology_layout.h"

namespace dcc::vp {
namespace {

constexpr const char* kStyle = R"(<style>
.topology{--t-ground:#fff;--t-ink:#1d2733;--t-pale:#5d6875;--t-line:#8b97a5;--t-switch:#dfe7f1;--t-host:#f6f3ea;--t-edge:#b6bfca;--t-pod:#f5f7f9}
@media (prefers-color-scheme:dark){.topology{--t-ground:#14181d;--t-ink:#e4e9ef;--t-pale:#9aa6b3;--t-line:#66727f;--t-switch:#2a3a4e;--t-host:#37332a;--t-edge:#4b5663;--t-pod:#1b2027}}
.topology text{font:11px system-ui,sans-serif;fill:var(--t-ink);text-anchor:middle}
.topology .t-title{font-size:15px;font-weight:600;text-anchor:start}
.topology .t-note{font-size:12px;fill:var(--t-pale);text-anchor:start}
.topology .t-small{font-size:10px;fill:var(--t-pale)}
.topology .t-ground{fill:var(--t-ground)}
.topology .t-pod{fill:var(--t-pod);stroke:none}
.topology .t-switch{fill:var(--t-switch);stroke:var(--t-line)}
.topology .t-host{fill:var(--t-host);stroke:var(--t-line)}
.topology .t-rack{fill:none;stroke:var(--t-edge)}
.topology .t-cable{fill:none;stroke:var(--t-edge);stroke-linecap:round}
</style>
)";

/// Formats pixels with one decimal, so the text is the same on every machine.
std::string px(double value) {
  const long long tenths = std::llround(value * 10);
  std::string text = std::to_string(std::llabs(tenths) / 10);
  if (tenths % 10 != 0) text += "." + std::to_string(std::llabs(tenths) % 10);
  return tenths < 0 ? "-" + text : text;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string box(const DrawingPoint& at, double width, double height, const std::string& rest) {
  return "<rect x=\"" + px(at.x - width / 2) + "\" y=\"" + px(at.y - height / 2) + "\" width=\"" +
         px(width) + "\" height=\"" + px(height) + "\" rx=\"3\" " + rest;
}

std::string words(double x, double y, const std::string& text, const std::string& kind = "") {
  return "<text x=\"" + px(x) + "\" y=\"" + px(y) + "\"" +
         (kind.empty() ? "" : " class=\"" + kind + "\"") + ">" + escaped(text) + "</text>\n";
}

class Drawing {
 public:
  Drawing(const Topology& topology, const std::string& title)
      : topology_(topology), layout_(lay_out(topology)), title_(title) {}

  std::string svg() {
    out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"topology\" role=\"img\" viewBox=\"0 "
            "0 "
         << px(layout_.width) << ' ' << px(layout_.height) << "\" width=\"" << px(layout_.width)
         << "\" height=\"" << px(layout_.height) << "\" aria-label=\"" << escaped(title_) << "\">\n"
         << kStyle << "<rect class=\"t-ground\" width=\"100%\" height=\"100%\"/>\n"
         << words(16, 24, title_, "t-title")
         << words(16, 42, cable_kinds(topology_, " × "), "t-note");
    for (const DrawnArea& pod : layout_.pods) draw_pod(pod);
    draw_cables();
    for (const DrawnRack& rack : layout_.racks) draw_rack(rack);
    for (NodeId n = 0; n < static_cast<NodeId>(topology_.nodes().size()); ++n) {
      if (!topology_.node(n).is_host) draw_switch(n);
    }
    out_ << "</svg>\n";
    return out_.str();
  }

 private:
  const DrawingPoint& at(NodeId node) const { return layout_.nodes[index(node)]; }
  const TopologyNode& node(NodeId id) const { return topology_.node(id); }

  void draw_pod(const DrawnArea& pod) {
    double top = 1e9;
    for (std::size_t n = 0; n < layout_.nodes.size(); ++n) {
      if (layout_.layers[n] == pod.highest_layer) top = std::min(top, layout_.nodes[n].y);
    }
    out_ << "<rect class=\"t-pod\" x=\"" << px(pod.left - 5) << "\" y=\"" << px(top - 22)
         << "\" width=\"" << px(pod.right - pod.left + 10) << "\" height=\""
         << px(layout_.height - top + 22 - 6) << "\" rx=\"6\"/>\n";
  }

  void draw_switch(NodeId n) {
    const std::string& name = node(n).name;
    out_ << "<g data-node=\"" << escaped(name) << "\"><title>" << escaped(name) << ", "
         << node(n).ports << " ports</title>"
         << box(at(n), TopologyLayout::kSwitchWidth, TopologyLayout::kSwitchHeight,
                "class=\"t-switch\"/>")
         << words(at(n).x, at(n).y + 4, name) << "</g>\n";
  }

  void draw_rack(const DrawnRack& rack) {
    if (!rack.cells) {
      for (const HostId h : rack.hosts) draw_host(topology_.node_of(h));
      return;
    }
    const double pitch = TopologyLayout::kCellPitch;
    const double padding = TopologyLayout::kRackPadding;
    const int columns = TopologyLayout::columns_of(rack);
    const int rows = (static_cast<int>(rack.hosts.size()) + columns - 1) / columns;
    const DrawingPoint& first = at(topology_.node_of(rack.hosts[0]));
    const double top = first.y - pitch / 2 - padding;
    const double width = columns * pitch + 2 * padding;
    const double height = rows * pitch + 2 * padding;
    out_ << "<rect class=\"t-rack\" x=\"" << px(first.x - pitch / 2 - padding) << "\" y=\""
         << px(top) << "\" width=\"" << px(width) << "\" height=\"" << px(height)
         << "\" rx=\"4\"/>\n";
    for (const HostId h : rack.hosts) {
      const NodeId n = topology_.node_of(h);
      out_ << box(at(n), TopologyLayout::kCell, TopologyLayout::kCell,
                  "class=\"t-host\" " + wires_of(n, 0) + "><title>")
           << escaped(node(n).name) << "</title></rect>\n";
    }
    std::vector<HostId> owners;  // hosts whose ports the rack holds
    for (const HostId h : rack.hosts) {
      const HostId owner = topology_.host_ports().host_of(h);
      if (owners.empty() || owners.back() != owner) owners.push_back(owner);
    }
    std::string names = host_range(owners);
    if (names.size() * 5.4 > width + 14) names = std::to_string(rack.hosts.size()) + " hosts";
    out_ << words(first.x - pitch / 2 - padding + width / 2, top + height + 13, names, "t-small");
  }

  void draw_host(NodeId n) {
    out_ << "<g data-node=\"" << escaped(node(n).name) << "\"><title>" << escaped(node(n).name)
         << "</title>"
         << box(at(n), TopologyLayout::kHostWidth, TopologyLayout::kHostHeight,
                "class=\"t-host\"/>")
         << words(at(n).x, at(n).y + 4, node(n).name) << "</g>\n";
  }

  /// SVG attributes with the names of the two wires at a port.
  std::string wires_of(NodeId n, int port) const {
    const CableEnd other = topology_.peer(n, port);
    return "data-up=\"" + escaped(topology_.wire_name(n, port)) + "\" data-down=\"" +
           escaped(topology_.wire_name(other.node, other.port)) + "\"";
  }

  double width_of(const LinkParameters& link) const {
    const double thick = layout_.crowded ? 1.1 : 2.0;
    return link.rate.bits_per_second >= fastest_ ? thick : thick * 0.6;
  }

  void draw_cables() {
    for (const Cable& cable : topology_.cables()) {
      fastest_ = std::max(fastest_, cable.link.rate.bits_per_second);
    }
    std::map<std::pair<NodeId, NodeId>, int> seen;
    for (const Cable& cable : topology_.cables()) draw_cable(cable, seen);
    // One drawn line stands for all cables of a rack.
    for (const DrawnRack& rack : layout_.racks) {
      if (!rack.cells || rack.node < 0) continue;
      const DrawingPoint from = at(rack.node);
      const double to = at(topology_.node_of(rack.hosts[0])).y - TopologyLayout::kCellPitch / 2 -
                        TopologyLayout::kRackPadding;
      out_ << "<path class=\"t-cable\" stroke-width=\"4\" d=\"M" << px(from.x) << ' ' << px(from.y)
           << "V" << px(to) << "\"/>\n"
           << words(from.x + 7, (from.y + to) / 2 + 4, std::to_string(rack.hosts.size()) + " ×",
                    "t-small t-note");
    }
  }

  void draw_cable(const Cable& cable, std::map<std::pair<NodeId, NodeId>, int>& seen) {
    const NodeId a = cable.end[0].node;
    const NodeId b = cable.end[1].node;
    const bool to_host = node(a).is_host || node(b).is_host;
    if (to_host && !(node(a).is_host && node(b).is_host)) {
      const NodeId host = node(a).is_host ? a : b;
      for (const DrawnRack& rack : layout_.racks) {
        if (rack.cells && std::binary_search(rack.hosts.begin(), rack.hosts.end(), node(host).host))
          return;
      }
    }
    const int twin = seen[std::minmax(a, b)]++;
    const bool level = layout_.layers[index(a)] == layout_.layers[index(b)];
    std::string path = "M" + px(at(a).x) + " " + px(at(a).y);
    if (level) {
      // Neighbours in a layer are joined by a straight line, other nodes of a layer by an arc above
      // the nodes between them.
      const double distance = std::abs(at(a).x - at(b).x);
      const bool adjacent = twin == 0 && nobody_between(a, b);
      const double lift = adjacent ? 0 : 18 + distance * 0.08 + 8 * twin;
      path += "Q" + px((at(a).x + at(b).x) / 2) + " " + px(at(a).y - 2 * lift) + " " + px(at(b).x) +
              " " + px(at(b).y);
    } else {
      const double aside = twin == 0 ? 0 : 9.0 * ((twin + 1) / 2) * (twin % 2 == 0 ? 1 : -1);
      path += "Q" + px((at(a).x + at(b).x) / 2 + aside) + " " + px((at(a).y + at(b).y) / 2) + " " +
              px(at(b).x) + " " + px(at(b).y);
    }
    out_ << "<path class=\"t-cable\" stroke-width=\"" << px(width_of(cable.link)) << "\" "
         << wires_of(a, cable.end[0].port) << " d=\"" << path << "\"><title>"
         << escaped(node(a).name + " – " + node(b).name + ": " +
                    QuantityText<BitRate>::format(cable.link.rate) + ", " +
                    QuantityText<PicoSeconds>::format(cable.link.delay))
         << "</title></path>\n";
  }

  bool nobody_between(NodeId a, NodeId b) const {
    const double left = std::min(at(a).x, at(b).x);
    const double right = std::max(at(a).x, at(b).x);
    for (std::size_t n = 0; n < layout_.nodes.size(); ++n) {
      const bool same = layout_.layers[n] == layout_.layers[index(a)];
      if (same && layout_.nodes[n].x > left + 1 && layout_.nodes[n].x < right - 1) return false;
    }
    return true;
  }

  const Topology& topology_;
  TopologyLayout layout_;
  std::string title_;
  std::uint64_t fastest_ = 0;
  std::ostringstream out_;
};

}  // namespace

std::vector<int> topology_layers(const Topology& topology) {
  std::vector<int> layers(topology.nodes().size(), -1);
  std::deque<NodeId> next;
  for (NodeId n = 0; n < static_cast<NodeId>(layers.size()); ++n) {
    if (!topology.node(n).is_host) continue;
    layers[index(n)] = 0;
    next.push_back(n);
  }
  while (!next.empty()) {
    const NodeId n = next.front();
    next.pop_front();
    for (int port = 0; port < topology.node(n).ports; ++port) {
      const NodeId other = topology.peer(n, port).node;
      if (layers[index(other)] >= 0) continue;
      layers[index(other)] = layers[index(n)] + 1;
      next.push_back(other);
    }
  }
  return layers;
}

std::string host_range(const std::vector<HostId>& hosts) {
  constexpr std::size_t kMaxNamed = 6;
  if (hosts.size() > 2 && hosts.back() - hosts.front() + 1 == hosts.size()) {
    return "h" + std::to_string(hosts.front()) + "..h" + std::to_string(hosts.back());
  }
  std::string text;
  for (std::size_t i = 0; i < hosts.size() && i < kMaxNamed; ++i) {
    text += (i == 0 ? "h" : ", h") + std::to_string(hosts[i]);
  }
  return hosts.size() > kMaxNamed ? text + ", …" : text;
}

std::string cable_kinds(const Topology& topology, const char* times) {
  std::vector<std::pair<std::string, int>> kinds;
  for (const Cable& cable : topology.cables()) {
    const std::string kind = QuantityText<BitRate>::format(cable.link.rate) + ", " +
                             QuantityText<PicoSeconds>::format(cable.link.delay);
    const auto found = std::find_if(kinds.begin(), kinds.end(),
                                    [&](const auto& entry) { return entry.first == kind; });
    if (found == kinds.end()) {
      kinds.emplace_back(kind, 1);
    } else {
      ++found->second;
    }
  }
  std::string text;
  for (const auto& [kind, count] : kinds) {
    text += (text.empty() ? "" : "; ") + std::to_string(count) + times + kind;
  }
  return text;
}

std::string topology_svg(const Topology& topology, const std::string& title) {
  return Drawing(topology, title).svg();
}

}  // namespace dcc::vp
