// Places the nodes of a topology in a drawing. Unit: pixels at the drawing's natural size.
#pragma once

#include <cstddef>
#include <vector>

#include "fabric/topology.h"

namespace dcc::vp {

/// Converts the number of a node, a host or a layer to an index of its vector.
inline std::size_t index(int number) { return static_cast<std::size_t>(number); }

struct DrawingPoint {
  double x = 0;
  double y = 0;
};

/// A drawn rack: the hosts of one switch, or a host that is cabled to a host.
struct DrawnRack {
  NodeId node = -1;  // switch of the rack; -1: the rack has no switch
  std::vector<HostId> hosts;
  bool cells = false;  // true if the rack's hosts are drawn as cells
  double left = 0;
  double width = 0;
};

struct DrawnArea {
  double left = 0;
  double right = 0;
  int lowest_layer = 0;
  int highest_layer = 0;
};

struct TopologyLayout {
  static constexpr double kSwitchWidth = 44;
  static constexpr double kSwitchHeight = 22;
  static constexpr double kHostWidth = 40;
  static constexpr double kHostHeight = 22;
  static constexpr double kCell = 12;
  static constexpr double kCellPitch = 15;
  static constexpr double kRackPadding = 7;

  std::vector<int> layers;  // layer of each node in the drawing
  int top_layer = 0;        // number of the highest layer
  bool crowded = false;     // true if lines must be thin because of many cables between switches
  // centre of each switch and host in the drawing; for a host in a rack, centre of its cell
  std::vector<DrawingPoint> nodes;
  std::vector<DrawnRack> racks;
  // parts of the network that only the top layer connects; empty if there are no such parts
  std::vector<DrawnArea> pods;
  double width = 0;
  double height = 0;

  /// Number of cells in a row of a rack, which makes the rack about twice as wide as high.
  static int columns_of(const DrawnRack& rack);
};

TopologyLayout lay_out(const Topology& topology);

}  // namespace dcc::vp
