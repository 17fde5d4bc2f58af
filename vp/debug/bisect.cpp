#include "debug/bisect.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "debug/digest_process.h"

namespace dcc::vp {
namespace {

// number of parts of a window that one pass compares; more parts would cost more than another pass
constexpr std::int64_t kParts = 64;

/// Throws if two runs have different devices; the message names the first device that only one of
/// the runs has.
void require_same_devices(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (x == a.end() && y == b.end()) return;
  const std::string name = x != a.end() ? *x : *y;
  throw std::runtime_error("the runs have different devices: " + name + " is not in both");
}

class TwoRuns {
 public:
  TwoRuns(const DigestedRun& a, const DigestedRun& b, const DigestConfig& window)
      : a_([&](const DigestSampler::Sink& sink) { a(window, sink); }),
        b_([&](const DigestSampler::Sink& sink) { b(window, sink); }) {}

  /// Finds the first instant of the window at which the runs differ.
  std::optional<Parting> parting() {
    Parting found;
    for (bool first = true;; first = false) {
      const std::optional<DigestRow> a = a_.next();
      const std::optional<DigestRow> b = b_.next();
      if (!a && !b) return std::nullopt;
      if (!a || !b) {
        found.at = (a ? a : b)->t;
        found.ended = a ? "B" : "A";
        return found;
      }
      if (first) require_same_devices(a_.devices(), b_.devices());
      found.at = a->t;
      for (std::size_t i = 0; i < a->digests.size(); ++i) {
        if (a->digests[i] != b->digests[i]) found.devices.push_back(a_.devices()[i]);
      }
      if (!found.devices.empty()) return found;
      found.equal_at = a->t;
    }
  }

 private:
  DigestProcess a_;
  DigestProcess b_;
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream text(line);
  for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
  return cells;
}

class DigestFile {
 public:
  explicit DigestFile(const std::filesystem::path& path) : path_(path.string()), in_(path) {
    std::string head;
    if (!std::getline(in_, head) || head.rfind("t_s,", 0) != 0) {
      throw std::runtime_error(path_ + ": no digests (run with --digest-every TIME)");
    }
    devices_ = cells_of(head);
    devices_.erase(devices_.begin());
  }
  const std::vector<std::string>& devices() const { return devices_; }
  /// Returns the next row of the digest file; empty at its end.
  std::vector<std::string> next() {
    std::string line;
    if (!std::getline(in_, line)) return {};
    ++line_;
    std::vector<std::string> cells = cells_of(line);
    if (cells.size() != devices_.size() + 1) {
      throw std::runtime_error(path_ + ":" + std::to_string(line_) + ": " +
                               std::to_string(devices_.size() + 1) + " values expected, not " +
                               std::to_string(cells.size()));
    }
    return cells;
  }
  PicoSeconds time_of(const std::vector<std::string>& row) const {
    std::istringstream text(row[0]);
    long double seconds = 0;
    if (!(text >> seconds) || !text.eof()) {
      throw std::runtime_error(path_ + ":" + std::to_string(line_) + ": '" + row[0] +
                               "' is no time in seconds");
    }
    return PicoSeconds(static_cast<std::int64_t>(std::llround(seconds * 1e12L)));
  }

 private:
  std::string path_;
  std::ifstream in_;
  std::size_t line_ = 1;
  std::vector<std::string> devices_;
};

}  // namespace

std::optional<Parting> find_parting(const DigestedRun& a, const DigestedRun& b,
                                    PicoSeconds duration,
                                    const std::function<void(const DigestConfig&)>& tell) {
  DigestConfig window;
  window.to = duration;
  std::optional<Parting> found;
  std::optional<PicoSeconds> equal_at;
  for (;;) {
    const std::int64_t length = (*window.to - window.from).count;
    window.every = PicoSeconds(std::max<std::int64_t>(1, (length + kParts - 1) / kParts));
    tell(window);
    const std::optional<Parting> nearer = TwoRuns(a, b, window).parting();
    if (!nearer) {
      // The difference was seen in one pass and not in the next, so the runs are not repeatable.
      if (found) throw std::runtime_error("a run does not repeat exactly");
      return std::nullopt;
    }
    found = nearer;
    if (found->equal_at) {
      equal_at = found->equal_at;
    } else {
      found->equal_at = equal_at;
    }
    if (window.every->count == 1 || !found->equal_at || found->at == window.from) return found;
    window.from = *found->equal_at;
    window.to = found->at;
  }
}

std::optional<Parting> compare_digests(const std::filesystem::path& a,
                                       const std::filesystem::path& b) {
  DigestFile one(a);
  DigestFile other(b);
  require_same_devices(one.devices(), other.devices());
  Parting found;
  for (;;) {
    const std::vector<std::string> x = one.next();
    const std::vector<std::string> y = other.next();
    if (x.empty() && y.empty()) return std::nullopt;
    if (x.empty() || y.empty()) {
      found.at = x.empty() ? other.time_of(y) : one.time_of(x);
      found.ended = x.empty() ? "A" : "B";
      return found;
    }
    found.at = one.time_of(x);
    if (x[0] != y[0]) {
      throw std::runtime_error("the files have different instants: " + x[0] + " s and " + y[0] +
                               " s");
    }
    for (std::size_t i = 1; i < x.size(); ++i) {
      if (x[i] != y[i]) found.devices.push_back(one.devices()[i - 1]);
    }
    if (!found.devices.empty()) return found;
    found.equal_at = found.at;
  }
}

}  // namespace dcc::vp
