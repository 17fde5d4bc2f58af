// Runs of this very program as child processes: a platform is elaborated once a process.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace dcc::vp {

struct ChildRun {
  std::vector<std::string> arguments;  // after the program's name
  std::filesystem::path log;           // what it prints
  int status = -1;                     // its exit status; -1: it was killed, or never started
};

/// Runs all, at most `jobs` at a time, in order. `finished` is called after each, with how many are
/// done.
void run_children(std::vector<ChildRun>& runs, unsigned jobs,
                  const std::function<void(std::size_t)>& finished);

}  // namespace dcc::vp
