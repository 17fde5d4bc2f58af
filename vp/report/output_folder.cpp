#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

#include "report/run_files.h"

namespace dcc::vp {
namespace {

namespace fs = std::filesystem;

bool looks_like_a_run(const fs::path& folder) {
  return fs::exists(folder / "metrics.json") && fs::exists(folder / "config.effective.yaml");
}

// Folders that are not committed yet. The signal handler reads them and may call only
// async-signal-safe functions.
std::array<std::atomic<const char*>, 4> unfinished{};

void end_without_a_trace(int number) {
  for (const auto& folder : unfinished) {
    const char* const path = folder.load();
    if (path == nullptr) continue;
    const pid_t child = ::_Fork();  // _Fork() is async-signal-safe, unlike fork()
    if (child == 0) {
      ::execl("/bin/rm", "rm", "-rf", "--", path, static_cast<char*>(nullptr));
      ::_exit(127);
    }
    while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  ::signal(number, SIG_DFL);
  ::raise(number);  // the signal is raised again and is delivered after this handler has returned
}

/// Sets a signal handler, but leaves a signal ignored that the process was started with ignored, as
/// by nohup.
void handle(int number, void (*handler)(int)) {
  struct sigaction now {};
  if (::sigaction(number, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

void remember(const char* path) {
  for (const int number : {SIGTERM, SIGHUP, SIGINT}) handle(number, end_without_a_trace);
  // a write beyond the file size limit then fails and is reported, instead of ending the process
  handle(SIGXFSZ, SIG_IGN);
  for (auto& folder : unfinished) {
    const char* none = nullptr;
    if (folder.compare_exchange_strong(none, path)) return;
  }
}

void forget(const char* path) {
  for (auto& folder : unfinished) {
    const char* known = path;
    if (folder.compare_exchange_strong(known, nullptr)) return;
  }
}

}  // namespace

bool OutputFolder::Found::operator==(const Found& other) const {
  if (!there || !other.there) return there == other.there;
  return device == other.device && inode == other.inode && empty == other.empty;
}

OutputFolder::Found OutputFolder::look_at(const fs::path& folder) {
  struct stat status {};
  Found found;
  if (::stat(folder.c_str(), &status) != 0) return found;
  found.there = true;
  found.device = status.st_dev;
  found.inode = status.st_ino;
  std::error_code error;
  found.empty = fs::is_empty(folder, error);
  return found;
}

OutputFolder::OutputFolder(fs::path final_place, bool force)
    : final_(std::move(final_place).lexically_normal()) {
  // a trailing slash is removed: "out/" means "out"
  if (!final_.has_filename()) final_ = final_.parent_path();
  if (final_.empty() || final_ == final_.root_path() || final_ == "." || final_ == "..") {
    throw OutputError("'" + final_.string() + "' cannot be an output folder");
  }
  target_ = final_;
  std::error_code error;
  if (fs::is_symlink(final_, error)) {
    target_ = fs::canonical(final_, error);
    if (error) throw OutputError("'" + final_.string() + "' is a link that leads nowhere");
  }
  found_ = look_at(target_);
  if (!found_.there) return;
  if (!fs::is_directory(target_, error)) {
    throw OutputError("'" + final_.string() + "' exists and is not a folder");
  }
  if (found_.empty) return;
  if (!force) {
    throw OutputError("'" + final_.string() + "' is not empty; --force replaces it");
  }
  if (!looks_like_a_run(target_)) {
    throw OutputError("'" + final_.string() +
                      "' holds something else than a run's results; not replaced");
  }
}

OutputFolder::~OutputFolder() {
  if (stage_.empty()) return;
  std::error_code error;
  fs::remove_all(stage_, error);
  forget(stage_.c_str());
}

const fs::path& OutputFolder::stage() {
  if (!stage_.empty()) return stage_;
  const fs::path parent = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  const fs::path place =
      parent / ("." + target_.filename().string() + ".tmp-" + std::to_string(::getpid()));
  std::error_code error;
  fs::create_directories(place, error);
  if (error) throw OutputError("'" + final_.string() + "' cannot be made: " + error.message());
  stage_ = place;
  remember(stage_.c_str());
  return stage_;
}

void OutputFolder::commit() {
  const fs::path old = stage().string() + "-old";
  std::error_code error;
  std::error_code ignored;
  if (!(look_at(target_) == found_)) keep_beside();
  if (found_.there) {
    fs::rename(target_, old, error);
    if (!error && !(look_at(old) == found_)) {  // the output folder changed since it was claimed
      fs::rename(old, target_, ignored);
      keep_beside();
    }
  }
  if (!error) fs::rename(stage_, target_, error);
  if (error == std::errc::directory_not_empty || error == std::errc::file_exists) keep_beside();
  if (error) {
    if (found_.there && !fs::exists(target_, ignored)) fs::rename(old, target_, ignored);
    throw OutputError("'" + final_.string() + "': " + error.message());
  }
  forget(stage_.c_str());
  stage_.clear();
  if (found_.there) fs::remove_all(old, error);
}

void OutputFolder::keep_beside() {
  const fs::path place = target_.string() + "-" + std::to_string(::getpid());
  fs::rename(stage_, place);
  forget(stage_.c_str());
  stage_.clear();
  throw OutputError("'" + final_.string() +
                    "' was filled by another process meanwhile; the results of this run are in '" +
                    place.string() + "'");
}

}  // namespace dcc::vp
