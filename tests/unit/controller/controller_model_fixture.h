// Fixture for timed tests of the controller: clock, parameters, and the objects around the
// controller.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <tuple>
#include <utility>
#include <vector>

#include "controller/controller_model.h"
#include "unit/controller/controller_tables.h"

namespace dcc::test {

constexpr RateBits mbps(std::uint32_t rate) { return rate << 8; }
constexpr PicoSeconds kClock{4'000};
constexpr PicoSeconds kTick{1'000'000};   // length of a tick: 250 cycles
constexpr PicoSeconds kLatency{256'000};  // latency: 64 cycles
constexpr std::uint32_t kRank = 1000;

/// The configuration of a controller with a clock of 250 MHz and this latency.
inline ControllerConfig config_of(std::uint32_t slots, std::uint32_t latency_cycles = 64) {
  ControllerConfig config;
  config.slots = slots;
  config.latency_cycles = latency_cycles;
  return config;
}

struct Answer {
  std::int64_t when;
  std::uint32_t flow;
  RateBits rate;
  bool operator==(const Answer& o) const {
    return std::tie(when, flow, rate) == std::tie(o.when, o.flow, o.rate);
  }
};
inline std::ostream& operator<<(std::ostream& out, const Answer& a) {
  return out << "flow " << a.flow << " rate " << a.rate << " at " << a.when << " ps";
}

class Sink final : public RateSink, public CauseSink, public SlotObserver {
 public:
  explicit Sink(Scheduler& scheduler) : scheduler_(scheduler) {}
  void rate_calculated(std::uint32_t flow, Rate rate) override {
    answers.push_back({scheduler_.now().count, flow, rate.raw});
  }
  void query_answered(std::uint32_t flow, std::optional<Rate> rate) override {
    queries.emplace_back(flow, rate);
  }
  void causes_raised(std::uint32_t raised) override { causes |= raised, ++cause_calls; }
  void slot_changed(SlotIndex, std::uint32_t flow, SlotChange change) override {
    changes.push_back({change, flow});
  }
  std::vector<Answer> answers;
  std::vector<std::pair<std::uint32_t, std::optional<Rate>>> queries;
  std::vector<std::pair<SlotChange, std::uint32_t>> changes;
  std::uint32_t causes = 0;
  int cause_calls = 0;

 private:
  Scheduler& scheduler_;
};

inline ControllerParameters test_parameters() {
  ControllerParameters p;
  p.enable = true;
  p.rate.r_max = p.initial_rate = mbps(1000);
  p.decrease_period = 0;
  p.timer_interval = 10;
  p.byte_threshold = 10'000;
  return p;
}

}  // namespace dcc::test
