// Several futures of one process: what comes next is done once for each, in copies of it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace dcc::vp {

/// How a copy ended: its exit status, or 128 and the signal; and what it said on standard output
/// and error.
struct CopyEnd {
  std::size_t number = 0;
  int status = 0;
  std::string said;
};

/// Copies this process `count` times (fork, so that memory is shared until somebody writes to it),
/// at most `jobs` at a time, in order. Returns in every copy with its number, and here with nothing
/// once all have ended. A copy's input is empty; it ends when this process does. Precondition: this
/// process has one thread. Throws std::runtime_error when the system has no more to give and no
/// copy is running.
std::optional<std::size_t> fork_each(std::size_t count, unsigned jobs,
                                     const std::function<void(const CopyEnd&)>& ended);

}  // namespace dcc::vp
