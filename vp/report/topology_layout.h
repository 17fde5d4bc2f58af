// Places the nodes of a topology in a drawing. Unit: pixels at the drawing's natural size.
#pragma once

#include <cstddef>
#include <vector>

#include "fabric/topology.h"

namespace dcc::vp {

/// Index of a node, a host or a layer in its vector.
inline std::size_t index(int number) { return static_cast<std::size_t>(number); }

struct DrawingPoint {
  double x = 0;
  double y = 0;
};

/// The hosts of one switch, or a host that is cabled to a host.
struct DrawnRack {
  NodeId node = -1;  // switch of the rack; -1 if there is none
  std::vector<HostId> hosts;
  bool cells = false;  // true if hosts are drawn as cells of a rack
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

  std::vector<int> layers;  // layer of each node
  int top_layer = 0;        // greatest value of `layers`
  bool crowded = false;     // true if lines must be thin because of many cables between switches
  // centres of switches and hosts; of the cell for a host in a rack
  std::vector<DrawingPoint> nodes;
  std::vector<DrawnRack> racks;
  std::vector<DrawnArea> pods;  // parts that only the top layer connects; empty if there are none
  double width = 0;
  double height = 0;

  /// Number of cells in a row, which makes a rack about twice as wide as high.
  static int columns_of(const DrawnRack& rack);
};

TopologyLayout lay_out(const Topology& topology);

}  // namespace dcc::vp
