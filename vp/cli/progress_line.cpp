#include "cli/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "cli/text_table.h"

namespace dcc::vp {
namespace {

volatile std::sig_atomic_t interrupted = 0;
void (*before)(int) = SIG_DFL;  // previous handler of SIGINT, restored by the destructor

void on_interrupt(int) {
  interrupted = 1;
  std::signal(SIGINT, before);  // a second interrupt ends the process at once
}

std::string span(double seconds) {
  if (seconds >= 3600) return fmt::format("{:.1f} h", seconds / 3600);
  if (seconds >= 90) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.0f} s", seconds);
}

std::string simulated(PicoSeconds time) {
  const double seconds = to_seconds(time);
  if (seconds >= 1) return fmt::format("{:.3f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.0f} us", seconds * 1e6);
}

}  // namespace

ProgressLine::ProgressLine(bool visible) : visible_(visible) {
  interrupted = 0;
  before = std::signal(SIGINT, on_interrupt);
}

ProgressLine::~ProgressLine() {
  clear();
  std::signal(SIGINT, before);
}

bool ProgressLine::stop_requested() const { return interrupted != 0; }

bool ProgressLine::wants_progress() const {
  return visible_ && (!shown_ || Clock::now() - last_ >= std::chrono::milliseconds(100));
}

void ProgressLine::on_progress(const Progress& p) {
  const Clock::time_point now = Clock::now();
  const double step = std::chrono::duration<double>(now - last_).count();
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  const double speed = static_cast<double>(p.link_traversals - traversals_) / std::max(step, 1e-6);
  speed_ = shown_ ? 0.7 * speed_ + 0.3 * speed : speed;
  traversals_ = p.link_traversals;
  last_ = now;
  const std::string left = p.done > 0.01 ? span(elapsed * (1 - p.done) / p.done) : "?";
  const std::string line = fmt::format(
      "{} of {}  {:.0f} %  {}/s  ETA {}  drops {}  CNPs {}", simulated(p.now),
      simulated(p.duration), p.done * 100, with_prefix(speed_), left,
      with_prefix(static_cast<double>(p.drops)), with_prefix(static_cast<double>(p.cnps)));
  std::fprintf(stderr, "\r%-79.79s", line.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fprintf(stderr, "\r%79s\r", "");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace dcc::vp
