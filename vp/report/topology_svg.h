// A network as a drawing: switches in layers above the hosts they serve.
#pragma once

#include <string>
#include <vector>

#include "fabric/topology.h"

namespace dcc::vp {

/// Distance of every node from the nearest host: 0 for hosts, 1 for switches with hosts, …
std::vector<int> topology_layers(const Topology& topology);

/// Hosts as people write them: "h0..h15", or "h0, h2, h5" (at most a few, then "…").
std::string host_range(const std::vector<HostId>& hosts);

/// "320 × 100Gbps, 1us; 160 × 400Gbps, 1us": the cables by rate and delay.
std::string cable_kinds(const Topology& topology, const char* times);

/// An SVG picture, one element of class "topology", light or dark by the reader's preference.
/// Up to some forty hosts are drawn one by one; with more, the hosts of a switch are cells of one
/// rack. Nodes, cables and hosts carry `data-` attributes (names of nodes, and of the two wires of
/// a cable) by which a page can add what was measured there. The same topology gives the same
/// bytes. `title`: first line of the drawing.
std::string topology_svg(const Topology& topology, const std::string& title);

}  // namespace dcc::vp
