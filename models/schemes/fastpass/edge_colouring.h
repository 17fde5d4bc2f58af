// Edge colouring of a bipartite multigraph: no two edges at a node have the same colour. Gives the
// packets of one timeslot paths that do not share links.
#pragma once

#include <cstdint>
#include <vector>

namespace dcc {

/// The number of colours needed is the largest number of edges at a node (König, 1916). If an edge
/// has no colour that is free at both ends, two colours are exchanged along a path.
class EdgeColouring {
 public:
  struct Edge {
    std::uint32_t left = 0;
    std::uint32_t right = 0;
  };
  /// Makes an edge colouring with `colours` colours, at least 1.
  explicit EdgeColouring(std::uint32_t colours) : colours_(colours) {}

  /// Returns a colour (from 0) for each edge; valid until the next call. Precondition: no node has
  /// more edges than there are colours.
  const std::vector<std::uint32_t>& colour(const std::vector<Edge>& edges);

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  std::uint32_t& left(std::uint32_t node, std::uint32_t colour) {
    return left_[std::size_t{node} * colours_ + colour];
  }
  std::uint32_t& right(std::uint32_t node, std::uint32_t colour) {
    return right_[std::size_t{node} * colours_ + colour];
  }
  void put(std::uint32_t edge, const Edge& ends, std::uint32_t colour);
  void exchange(const std::vector<Edge>& edges, std::uint32_t node, std::uint32_t wanted,
                std::uint32_t other);

  std::uint32_t colours_;
  // edge that has a given colour at a node, for nodes on the left and on the right of the graph
  std::vector<std::uint32_t> left_, right_;
  std::vector<std::uint32_t> of_edge_;
  std::vector<std::uint32_t> path_;
};

}  // namespace dcc
