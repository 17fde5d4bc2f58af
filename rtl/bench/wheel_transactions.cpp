// Records the calls of a timing engine; reads and writes recordings.
#include "wheel_transactions.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace dcc {
namespace {

constexpr std::array<const char*, 7> kCalls = {"start",    "cancel", "take", "reset",
                                               "next_due", "lag",    "read"};
constexpr const char* kMagic = "wheel-recording-1";

}  // namespace

std::string to_string(const WheelTransaction& t) {
  std::string text =
      "tick " + std::to_string(t.tick) + " " + kCalls[static_cast<std::size_t>(t.call)];
  switch (t.call) {
    case WheelCall::kStart:
      return text + " slot " + std::to_string(t.slot) + " delay " + std::to_string(t.value);
    case WheelCall::kTake:
      return text +
             (t.value == WheelTransaction::kNone ? ": none" : ": slot " + std::to_string(t.value));
    case WheelCall::kCancel:
    case WheelCall::kRead:
      return text + " slot " + std::to_string(t.slot);
    default:
      return text;
  }
}

void WheelTransactions::may_rotate(Tick now, std::uint32_t slots,
                                   const std::function<std::uint32_t(SlotIndex)>& remaining) {
  if (current_.calls.size() < kKept) return;
  previous_ = std::move(current_);
  current_ = {};
  current_.begin = now;
  for (SlotIndex slot = 0; slot < slots; ++slot) {
    if (const std::uint32_t delay = remaining(slot); delay != 0) {
      current_.pending.push_back({static_cast<std::uint16_t>(slot), delay});
    }
  }
}

WheelRun WheelTransactions::run() const {
  if (previous_.calls.empty()) return current_;
  WheelRun run = previous_;
  run.calls.insert(run.calls.end(), current_.calls.begin(), current_.calls.end());
  return run;
}

std::vector<WheelTransaction> WheelTransactions::last(std::size_t count) const {
  const WheelRun all = run();
  const std::size_t n = std::min(count, all.calls.size());
  return {all.calls.end() - static_cast<std::ptrdiff_t>(n), all.calls.end()};
}

void write_recording(const std::string& path, const WheelRecording& recording) {
  std::ofstream file(path);
  file << kMagic << " seed " << recording.seed << " slots " << recording.slots << " fault "
       << static_cast<unsigned>(recording.fault) << " random " << recording.random_seed << " begin "
       << recording.run.begin << '\n';
  for (const WheelRun::Pending& p : recording.run.pending) {
    file << "pending " << p.slot << ' ' << p.delay << '\n';
  }
  for (const WheelTransaction& t : recording.run.calls) {
    file << kCalls[static_cast<std::size_t>(t.call)] << ' ' << t.tick << ' ' << t.slot << ' '
         << t.value << '\n';
  }
  file.flush();
  if (!file) throw std::runtime_error("cannot write " + path);
}

WheelRecording read_recording(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::size_t number = 1;
  const auto refuse = [&](const std::string& what) -> std::runtime_error {
    return std::runtime_error(path + ":" + std::to_string(number) + ": " + what);
  };
  WheelRecording recording;
  std::string line, magic, seed, slots, fault, random, begin;
  std::getline(file, line);
  std::istringstream head(line);
  unsigned fault_number = 0;
  if (!(head >> magic >> seed >> recording.seed >> slots >> recording.slots >> fault >>
        fault_number >> random >> recording.random_seed >> begin >> recording.run.begin) ||
      magic != kMagic || recording.slots == 0 || recording.slots > kVerilatedTimers ||
      fault_number > 3) {
    throw refuse("not a recording of a wheel");
  }
  recording.fault = static_cast<WheelFault>(fault_number);
  Tick tick = recording.run.begin;
  while (std::getline(file, line)) {
    ++number;
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "pending") {
      WheelRun::Pending p;
      if (!(words >> p.slot >> p.delay) || p.slot >= recording.slots || p.delay > kMaxDelay) {
        throw refuse("'pending' needs a slot and a delay");
      }
      recording.run.pending.push_back(p);
      continue;
    }
    const auto it = std::find(kCalls.begin(), kCalls.end(), word);
    if (it == kCalls.end()) throw refuse("unknown call '" + word + "'");
    WheelTransaction t;
    t.call = static_cast<WheelCall>(it - kCalls.begin());
    if (!(words >> t.tick >> t.slot >> t.value) || t.slot >= recording.slots || t.tick < tick) {
      throw refuse("a call needs a tick that does not run backwards, a slot and a value");
    }
    tick = t.tick;
    recording.run.calls.push_back(t);
  }
  return recording;
}

}  // namespace dcc
