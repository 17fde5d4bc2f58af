// Bins of functional coverage: level × wrap × cascade × outcome × back-pressure, and single
// situations.
#include "timing_wheel_coverage.h"

#include <array>
#include <string>

namespace dcc {
namespace {

constexpr std::array<const char*, 3> kLevels = {"last", "middle", "top"};
constexpr std::array<const char*, 4> kOutcomes = {"expired", "cancelled", "restarted later",
                                                  "restarted earlier"};
constexpr std::array<const char*, static_cast<std::size_t>(WheelSituation::kCount)> kSituations = {
    "delay 0",
    "delay 1",
    "delay 65535",
    "start with lag",
    "delay 65535 with lag",
    "overrun",
    "start held at the horizon",
    "all slots started",
    "half the slots on one tick",
    "cancel in the cycle of the expiry",
    "restart in the cycle of the expiry",
    "cancel of the offered expiry",
    "restart of the offered expiry",
    "cancel of an event due and queued",
    "restart of an event due and queued",
    "cancel of nothing",
    "read of a started slot",
    "read of a stopped slot",
    "idle time skipped",
    "skip stopped at next_due",
    "clear with events pending",
    "32-bit time wrapped",
};

}  // namespace

WheelCoverage::WheelCoverage()
    : lives_(3 * 3 * 2 * 4 * 2), situations_(static_cast<std::size_t>(WheelSituation::kCount)) {}

int WheelCoverage::level(std::uint64_t due, std::uint64_t pointer) {
  if ((due >> 6) - (pointer >> 6) <= 1) return 0;
  return (due >> 11) - (pointer >> 11) <= 1 ? 1 : 2;
}

std::size_t WheelCoverage::index(int from, int to, bool wrapped, WheelOutcome outcome,
                                 bool pressed) {
  std::size_t i = static_cast<std::size_t>(from) * 3 + static_cast<std::size_t>(to);
  i = i * 2 + (wrapped ? 1 : 0);
  i = i * 4 + static_cast<std::size_t>(outcome);
  return i * 2 + (pressed ? 1 : 0);
}

void WheelCoverage::event_ended(int from, int to, bool wrapped, WheelOutcome outcome,
                                bool pressed) {
  ++lives_[index(from, to, wrapped, outcome, pressed)];
}

std::vector<CosimBin> WheelCoverage::bins() const {
  std::vector<CosimBin> bins;
  for (int from = 0; from < 3; ++from) {
    for (int to = 0; to <= from; ++to) {
      for (int wrapped = 0; wrapped < 2; ++wrapped) {
        for (int outcome = 0; outcome < 4; ++outcome) {
          const auto how = static_cast<WheelOutcome>(outcome);
          // only events in the wheel's last level can expire
          if (how == WheelOutcome::kExpired && to != 0) continue;
          for (int pressed = 0; pressed < 2; ++pressed) {
            std::string name = "started on " + std::string(kLevels[static_cast<std::size_t>(from)]);
            name += ", " + std::string(kOutcomes[static_cast<std::size_t>(outcome)]);
            name += " on " + std::string(kLevels[static_cast<std::size_t>(to)]);
            name += wrapped != 0 ? ", wrapped" : "";
            name += pressed != 0 ? ", under back-pressure" : "";
            bins.push_back({name, lives_[index(from, to, wrapped != 0, how, pressed != 0)]});
          }
        }
      }
    }
  }
  for (std::size_t i = 0; i < situations_.size(); ++i) {
    bins.push_back({kSituations[i], situations_[i]});
  }
  return bins;
}

}  // namespace dcc
