// The check that reports errors in a topology's description.
#pragma once

#include <stdexcept>
#include <string>

namespace dcc {

/// Throws std::invalid_argument("topology: " + sentence) unless the condition holds.
inline void require_topology(bool condition, const std::string& sentence) {
  if (!condition) throw std::invalid_argument("topology: " + sentence);
}

}  // namespace dcc
