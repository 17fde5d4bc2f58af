#include "cli/plots.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <fstream>

extern char** environ;

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

std::string last_line(const fs::path& file) {
  std::ifstream in(file);
  std::string last;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace

std::string draw_plots(const fs::path& folder) { return draw_with(DCCVP_PLOT_SCRIPT, folder); }

std::string draw_with(const std::string& script, const fs::path& folder) {
  if (!fs::exists(script)) return "no pictures: " + script + " is not there";
  const fs::path log = folder / "plot.log";
  const std::string log_name = log.string();
  const std::string where = folder.string();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log_name.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  const char* const argv[] = {"python3", script.c_str(), where.c_str(), nullptr};
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, "/usr/bin/python3", &actions, nullptr,
                                   const_cast<char* const*>(argv), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return "no pictures: /usr/bin/python3 is not there";
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const std::string said = last_line(log);
  std::error_code ignored;
  fs::remove(log, ignored);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  return "no pictures: " + (said.empty() ? "the plotting script failed" : said);
}

}  // namespace dcc::vp
