// Draws a network as SVG: switches in layers above their hosts.
#pragma once

#include <string>
#include <vector>

#include "fabric/topology.h"

namespace dcc::vp {

/// Returns the distance of every node from the nearest host: 0 for hosts, 1 for switches with
/// hosts, …
std::vector<int> topology_layers(const Topology& topology);

/// Returns a short list of hosts: "h0..h15", or "h0, h2, h5" (a few, then "…").
std::string host_range(const std::vector<HostId>& hosts);

/// Returns the kinds of cables by rate and delay, e.g. "320 × 100Gbps, 1us; 160 × 400Gbps, 1us".
std::string cable_kinds(const Topology& topology, const char* times);

/// Returns one SVG element of class "topology", light or dark by the reader's preference. Up to 40
/// hosts are drawn one by one; with more, a switch's hosts are cells of one rack. Nodes, cables and
/// hosts carry `data-` attributes (names of nodes, and of the two wires of a cable), by which a
/// page can add measured values. The same topology gives the same bytes. `title` is the first line
/// of the drawing.
std::string topology_svg(const Topology& topology, const std::string& title);

}  // namespace dcc::vp
