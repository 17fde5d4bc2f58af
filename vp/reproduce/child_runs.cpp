#include "reproduce/child_runs.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <map>

extern char** environ;

namespace dcc::vp {

namespace {

constexpr const char* kSelf = "/proc/self/exe";

pid_t start(const ChildRun& run) {
  std::vector<char*> argv{const_cast<char*>("dccvp")};
  for (const std::string& argument : run.arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  const std::string log = run.log.string();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = -1;
  const int failed = ::posix_spawn(&child, kSelf, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed == 0 ? child : -1;
}

}  // namespace

void run_children(std::vector<ChildRun>& runs, unsigned jobs,
                  const std::function<void(std::size_t)>& finished) {
  std::map<pid_t, ChildRun*> running;
  std::size_t next = 0;
  std::size_t done = 0;
  while (done < runs.size()) {
    while (next < runs.size() && running.size() < std::max(1u, jobs)) {
      ChildRun& run = runs[next++];
      const pid_t child = start(run);
      if (child < 0) {
        finished(++done);
      } else {
        running.emplace(child, &run);
      }
    }
    if (running.empty()) continue;
    int status = 0;
    const pid_t child = ::waitpid(-1, &status, 0);
    if (child < 0 && errno != EINTR) return;
    const auto found = running.find(child);
    if (found == running.end()) continue;
    if (WIFEXITED(status)) found->second->status = WEXITSTATUS(status);
    running.erase(found);
    finished(++done);
  }
}

}  // namespace dcc::vp
