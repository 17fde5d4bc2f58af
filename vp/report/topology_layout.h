// Where the nodes of a topology go in a drawing. Units: pixels at the drawing's natural size.
#pragma once

#include <cstddef>
#include <vector>

#include "fabric/topology.h"

namespace dcc::vp {

/// Of a node, a host or a layer in its vector.
inline std::size_t index(int number) { return static_cast<std::size_t>(number); }

struct DrawingPoint {
  double x = 0;
  double y = 0;
};

/// The hosts of one switch (or, without a switch, a host cabled to a host).
struct DrawnRack {
  NodeId node = -1;  // its switch; -1: none
  std::vector<HostId> hosts;
  bool cells = false;  // hosts as cells of a rack instead of boxes of their own
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

  std::vector<int> layers;          // by node
  int top_layer = 0;                // greatest of `layers`
  bool crowded = false;             // so many cables between switches that lines must be thin
  std::vector<DrawingPoint> nodes;  // centres of switches; hosts in cells: of their cell
  std::vector<DrawnRack> racks;
  std::vector<DrawnArea> pods;  // parts that only the top layer connects; empty when there are none
  double width = 0;
  double height = 0;

  /// Left to right as many cells as make a rack about twice as wide as high.
  static int columns_of(const DrawnRack& rack);
};

TopologyLayout lay_out(const Topology& topology);

}  // namespace dcc::vp
