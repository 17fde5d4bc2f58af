#include "schemes/fastpass/edge_colouring.h"

#include <algorithm>
#include <cassert>

namespace dcc {

void EdgeColouring::put(std::uint32_t edge, const Edge& ends, std::uint32_t colour) {
  of_edge_[edge] = colour;
  left(ends.left, colour) = right(ends.right, colour) = edge;
}

/// Frees colour `wanted` at a node on the right where `other` is free, by exchanging both colours
/// along the alternating path that starts at the node.
void EdgeColouring::exchange(const std::vector<Edge>& edges, std::uint32_t node,
                             std::uint32_t wanted, std::uint32_t other) {
  path_.clear();
  for (std::uint32_t at = node;;) {
    const std::uint32_t there = right(at, wanted);
    if (there == kNone) break;
    path_.push_back(there);
    const std::uint32_t back = left(edges[there].left, other);
    if (back == kNone) break;
    path_.push_back(back);
    at = edges[back].right;
  }
  for (const std::uint32_t edge : path_) {
    left(edges[edge].left, of_edge_[edge]) = right(edges[edge].right, of_edge_[edge]) = kNone;
  }
  for (const std::uint32_t edge : path_) {
    put(edge, edges[edge], of_edge_[edge] == wanted ? other : wanted);
  }
}

const std::vector<std::uint32_t>& EdgeColouring::colour(const std::vector<Edge>& edges) {
  std::uint32_t nodes = 0;
  for (const Edge& edge : edges) nodes = std::max({nodes, edge.left + 1, edge.right + 1});
  left_.assign(std::size_t{nodes} * colours_, kNone);
  right_.assign(std::size_t{nodes} * colours_, kNone);
  of_edge_.assign(edges.size(), kNone);
  for (std::uint32_t e = 0; e < edges.size(); ++e) {
    const Edge& edge = edges[e];
    std::uint32_t of_left = kNone, of_right = kNone, of_both = kNone;
    for (std::uint32_t c = 0; c < colours_ && of_both == kNone; ++c) {
      const bool free_left = left(edge.left, c) == kNone;
      const bool free_right = right(edge.right, c) == kNone;
      if (free_left && of_left == kNone) of_left = c;
      if (free_right && of_right == kNone) of_right = c;
      if (free_left && free_right) of_both = c;
    }
    assert(of_left != kNone && of_right != kNone);
    if (of_both == kNone) {
      exchange(edges, edge.right, of_left, of_right);
      of_both = of_left;
    }
    put(e, edge, of_both);
  }
  return of_edge_;
}

}  // namespace dcc
