// Continues a process in several copies by fork().
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace dcc::vp {

/// The end of a process copy: its exit status (or 128 plus the signal's number) and its output on
/// standard output and standard error.
struct CopyEnd {
  std::size_t number = 0;
  int status = 0;
  std::string said;
};

/// Copies this process `count` times by fork(), at most `jobs` at a time, in order. Returns in each
/// copy with the copy's number, and in the original with an empty value once all copies have ended.
/// A copy has an empty standard input and ends when the original ends. Precondition: this process
/// has one thread. Throws std::runtime_error if the system refuses a copy and none is running.
std::optional<std::size_t> fork_each(std::size_t count, unsigned jobs,
                                     const std::function<void(const CopyEnd&)>& ended);

}  // namespace dcc::vp
