#include "cli/script.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "cli/command.h"
#include "config/own_files.h"

extern char** environ;

namespace dcc::vp {
namespace {

// argv[0] of the tool is the absolute path of Python, too, because Python finds its home by
// argv[0], and a bare "python3" may be that of an active virtual environment. -I: the environment
// does not change the home either. -B: no __pycache__ is left beside the modules.
constexpr const char* kPython = "/usr/bin/python3";

std::string tools() { return own_file("python/tool.py").string(); }

std::vector<std::string> words_of(const std::string& tool) {
  return {kPython, "-I", "-B", tools(), tool};
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return argv;
}

}  // namespace

std::string why_no_tools() {
  for (const std::string& file : {tools(), std::string(kPython)}) {
    if (!std::filesystem::exists(file)) return file + " is not there";
  }
  return "";
}

int run_tool(const std::string& tool, const std::vector<std::string>& arguments,
             const std::string& log) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!log.empty()) {
    posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
  }
  std::vector<std::string> words = words_of(tool);
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::vector<char*> argv = pointers(words);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, kPython, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void hand_to_tool(CLI::App& command, int& status) {
  command.callback([&command, &status] {
    std::vector<std::string> words = words_of(command.get_name());
    std::vector<std::string> positional{"--", this_program().string()};
    for (const CLI::Option* const option : command.get_options()) {
      const std::vector<std::string>& values = option->results();
      if (option->get_positional()) {
        positional.insert(positional.end(), values.begin(), values.end());
      } else if (option->get_expected_max() == 0) {
        if (option->count() > 0) words.push_back(option->get_name());
      } else {
        for (const std::string& value : values) {
          const auto& names = option->get_lnames();
          if (value.empty()) continue;
          words.push_back(names.empty() ? "-" + option->get_snames()[0] + value
                                        : "--" + names[0] + "=" + value);
        }
      }
    }
    words.insert(words.end(), positional.begin(), positional.end());
    const std::vector<char*> argv = pointers(words);
    std::fflush(stdout);
    ::execv(kPython, argv.data());
    std::fprintf(stderr, "dccvp: this needs %s (Debian: python3, python3-yaml)\n", kPython);
    status = kExitBadInput;
  });
}

}  // namespace dcc::vp
