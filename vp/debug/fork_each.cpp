#include "debug/fork_each.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>

namespace dcc::vp {
namespace {

struct Copy {
  std::size_t number;
  int said;  // descriptor of the file in memory that holds the output of the process copy
};

void become_copy(pid_t parent, int said) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  // ends this process if the parent ended before the signal was set up
  if (::getppid() != parent) ::_exit(1);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(said, STDOUT_FILENO);
  ::dup2(said, STDERR_FILENO);
  ::close(nothing);
  ::close(said);
}

std::string text_of(int file) {
  std::string text;
  char buffer[4096];
  ::lseek(file, 0, SEEK_SET);
  for (ssize_t n = 0; (n = ::read(file, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(file);
  return text;
}

}  // namespace

std::optional<std::size_t> fork_each(std::size_t count, unsigned jobs,
                                     const std::function<void(const CopyEnd&)>& ended) {
  std::map<pid_t, Copy> running;
  const pid_t self = ::getpid();
  for (std::size_t next = 0; next < count || !running.empty();) {
    int failure = 0;
    if (next < count && running.size() < jobs) {
      // flushes output, because every copy of the process would write buffered output again
      std::fflush(nullptr);
      const int said = ::memfd_create("said", MFD_CLOEXEC);
      const pid_t pid = said < 0 ? -1 : ::fork();
      if (pid == 0) {
        become_copy(self, said);
        return next;
      }
      if (pid > 0) {
        running.emplace(pid, Copy{next++, said});
        continue;
      }
      failure = errno;
      if (said >= 0) ::close(said);
    }
    if (running.empty()) {
      throw std::runtime_error(std::string("cannot be copied: ") + std::strerror(failure));
    }
    int status = 0;
    const pid_t pid = ::wait(&status);
    const auto known = running.find(pid);
    if (known == running.end()) continue;
    const Copy copy = known->second;
    running.erase(known);
    ended({copy.number, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
           text_of(copy.said)});
  }
  return std::nullopt;
}

}  // namespace dcc::vp
