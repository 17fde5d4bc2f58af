#include "debug/digest_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>

namespace dcc::vp {
namespace {

// Kinds of records in the pipe, each with the content that follows the kind.
enum Word : char {
  kDevices = 'D',  // record with the number of devices, then each name as a text
  kRow = 'R',      // record with a time, then one digest for each device
  kFailed = 'F',   // record with the reason of a failure as a text
  kOver = 'O',
};

class DigestSender {
 public:
  explicit DigestSender(int to) : to_(to) {}
  void row(const std::vector<std::string>& names, PicoSeconds now,
           const std::vector<std::uint64_t>& digests) {
    if (!named_) {
      named_ = true;
      put(kDevices);
      put(static_cast<std::uint64_t>(names.size()));
      for (const std::string& name : names) text(name);
    }
    put(kRow);
    put(now.count);
    write_all(digests.data(), digests.size() * sizeof digests[0]);
  }
  void over() { put(kOver); }
  void failed(const std::string& why) {
    put(kFailed);
    text(why);
  }

 private:
  template <class T>
  void put(const T& value) {
    write_all(&value, sizeof value);
  }
  void text(const std::string& words) {
    put(static_cast<std::uint64_t>(words.size()));
    write_all(words.data(), words.size());
  }
  void write_all(const void* data, std::size_t bytes) {
    const auto* at = static_cast<const char*>(data);
    while (bytes != 0) {
      const ssize_t n = ::write(to_, at, bytes);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) ::_exit(1);  // ends this process, since the process that reads the pipe has ended
      at += n;
      bytes -= static_cast<std::size_t>(n);
    }
  }

  int to_;
  bool named_ = false;
};

[[noreturn]] void serve(const std::function<void(const DigestSampler::Sink&)>& run, int to,
                        pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // ends this process if the parent ended before the signal was set up
  if (::getppid() != parent) ::_exit(1);
  // Discards the firmware's output, since a search runs the same simulation many times.
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::dup2(nothing, standard);
  }
  DigestSender sender(to);
  try {
    run([&sender](const std::vector<std::string>& names, PicoSeconds now,
                  const std::vector<std::uint64_t>& row) { sender.row(names, now, row); });
    sender.over();
  } catch (const std::exception& failure) {
    sender.failed(failure.what());
  }
  ::_exit(0);
}

}  // namespace

DigestProcess::DigestProcess(const std::function<void(const DigestSampler::Sink&)>& run) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw std::runtime_error(std::string("no pipe: ") + std::strerror(errno));
  }
  // flushes output, because the copy of the process would write buffered output again
  std::fflush(nullptr);
  const pid_t self = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) serve(run, ends[1], self);
  ::close(ends[1]);
  rows_ = ends[0];
  if (pid_ < 0) {
    ::close(rows_);
    throw std::runtime_error(std::string("no process: ") + std::strerror(errno));
  }
}

DigestProcess::~DigestProcess() {
  ::close(rows_);
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool DigestProcess::read_all(void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes != 0) {
    const ssize_t n = ::read(rows_, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

std::string DigestProcess::text() {
  std::uint64_t size = 0;
  read_all(&size, sizeof size);
  std::string words(size, '\0');
  read_all(words.data(), size);
  return words;
}

std::optional<DigestRow> DigestProcess::next() {
  char word = 0;
  if (!read_all(&word, 1)) throw std::runtime_error("the run died");
  if (word == kDevices) {
    std::uint64_t count = 0;
    read_all(&count, sizeof count);
    for (; count != 0; --count) devices_.push_back(text());
    return next();
  }
  if (word == kFailed) throw std::runtime_error(text());
  if (word == kOver) return std::nullopt;
  DigestRow row;
  row.digests.resize(devices_.size());
  if (!read_all(&row.t.count, sizeof row.t.count) ||
      !read_all(row.digests.data(), row.digests.size() * sizeof row.digests[0])) {
    throw std::runtime_error("the run died");
  }
  return row;
}

}  // namespace dcc::vp
