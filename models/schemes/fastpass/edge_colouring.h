// Edges of a bipartite multigraph get colours such that no two at a node are equal: the ways
// through a network on which packets of one timeslot do not meet.
#pragma once

#include <cstdint>
#include <vector>

namespace dcc {

/// As many colours as the largest number of edges at a node suffice (Koenig, 1916), by exchanging
/// two colours along a path where an edge finds no colour that is free at both of its ends.
class EdgeColouring {
 public:
  struct Edge {
    std::uint32_t left = 0;
    std::uint32_t right = 0;
  };
  /// `colours`: from 1.
  explicit EdgeColouring(std::uint32_t colours) : colours_(colours) {}

  /// A colour, from 0, for each edge; good until the next call. Precondition: no node has more
  /// edges than there are colours.
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
  std::vector<std::uint32_t> left_, right_;  // the edge of a colour at a node
  std::vector<std::uint32_t> of_edge_;
  std::vector<std::uint32_t> path_;
};

}  // namespace dcc
