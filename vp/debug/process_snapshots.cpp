#include "debug/process_snapshots.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <stdexcept>

namespace dcc::vp {
namespace {

constexpr int kReverseExitStatus =
    // exit status of a process that ends in order to go back; the flag `reversing` confirms it
    0x5A;
constexpr std::chrono::milliseconds kFirstInterval{500};
// number of snapshots after which the interval between snapshots doubles
constexpr std::size_t kBeforeDoubling = 8;
constexpr std::size_t kMaxSnapshots = 160;

constexpr std::array<int, 3> kForwarded{SIGTERM, SIGHUP, SIGINT};
// process that executes the run, for which this snapshot process waits
volatile std::sig_atomic_t at_work = 0;

void forward(int number, siginfo_t* info, void*) {
  // A signal that the terminal sends reaches all processes of the group, so it is not forwarded.
  if (info->si_code == SI_KERNEL) return;
  ::kill(static_cast<pid_t>(at_work), number);
}

/// Forwards signals to the executing process while this process is a snapshot.
class Forwarding {
 public:
  Forwarding() {
    struct sigaction action {};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < kForwarded.size(); ++i) {
      ::sigaction(kForwarded[i], &action, &before_[i]);
    }
  }
  void end() const {
    for (std::size_t i = 0; i < kForwarded.size(); ++i) {
      ::sigaction(kForwarded[i], &before_[i], nullptr);
    }
  }

 private:
  std::array<struct sigaction, kForwarded.size()> before_{};
};

/// Blocks signals between fork() and the moment when parent and child know their roles.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    ::sigemptyset(&all);
    for (const int number : kForwarded) ::sigaddset(&all, number);
    ::sigprocmask(SIG_BLOCK, &all, &before_);
  }
  ~BlockedSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

[[noreturn]] void die_of(int number) {
  ::signal(number, SIG_DFL);
  ::raise(number);
  ::_exit(128 + number);
}

}  // namespace

ProcessSnapshots::ProcessSnapshots() {
  void* const memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::runtime_error(std::string("no memory to share: ") + std::strerror(errno));
  }
  shared_ = static_cast<Shared*>(memory);  // mmap() zeroes the memory
}

ProcessSnapshots::~ProcessSnapshots() { ::munmap(shared_, sizeof(Shared)); }

bool ProcessSnapshots::is_due() const {
  if (taken_ >= kMaxSnapshots) return false;
  return Clock::now() - last_ >= kFirstInterval * (std::size_t{1} << taken_ / kBeforeDoubling);
}

std::optional<std::string> ProcessSnapshots::take_snapshot() {
  if (taken_ >= kMaxSnapshots) return std::nullopt;
  std::cout.flush();
  // flushes output, because every copy of the process would write buffered output again
  std::fflush(nullptr);
  const std::size_t number = taken_;
  bool returned = false;
  const pid_t self = ::getpid();
  const Forwarding forwarding;
  for (;;) {
    pid_t child = 0;
    {
      const BlockedSignals blocked;
      child = ::fork();
      if (child > 0) at_work = static_cast<std::sig_atomic_t>(child);
      if (child <= 0) forwarding.end();
    }
    if (child < 0) {
      // ends this process, since no process is left that could continue the run
      if (returned) ::_exit(1);
      return std::nullopt;  // the system refuses another process, so this snapshot is not taken
    }
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != self) ::_exit(1);
      taken_ = number + 1;
      last_ = Clock::now();
      replaying_ = returned;
      if (!returned) return std::nullopt;
      return std::string(shared_->request, shared_->bytes);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    end_with(status, number);
    returned = true;
  }
}

// Returns if execution is to continue from this snapshot; otherwise ends this process.
void ProcessSnapshots::end_with(int status, std::size_t number) const {
  if (WIFSIGNALED(status)) die_of(WTERMSIG(status));
  const bool reversing = shared_->reversing && WEXITSTATUS(status) == kReverseExitStatus;
  if (!reversing || shared_->number != number) ::_exit(WEXITSTATUS(status));
  shared_->reversing = false;
}

void ProcessSnapshots::restore(std::size_t number, const std::string& request) {
  std::cout.flush();
  std::fflush(nullptr);
  shared_->number = number;
  shared_->bytes = std::min(request.size(), kMaxRequestBytes);
  std::memcpy(shared_->request, request.data(), shared_->bytes);
  shared_->reversing = true;
  ::_exit(kReverseExitStatus);
}

}  // namespace dcc::vp
