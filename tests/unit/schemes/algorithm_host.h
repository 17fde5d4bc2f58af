// A fake NIC for tests of algorithms. It records rates and windows, and lets the test set the time.
#pragma once

#include <array>
#include <map>

#include "nic/algorithm/algorithm.h"

namespace dcc::test {

class FakeHost final : public AlgorithmHost {
 public:
  explicit FakeHost(std::uint32_t line_mbps) : line_(line_mbps << Rate::kFractionBits) {}

  PicoSeconds now() const override { return now_; }
  void set_rate(FlowNumber flow, Rate rate) override { flows_[flow].rate = rate; }
  void set_window(FlowNumber flow, Bytes bytes) override { flows_[flow].window = bytes; }
  void start_timer(FlowNumber flow, int id, PicoSeconds delay) override {
    flows_[flow].due.at(static_cast<std::size_t>(id)) = now_ + delay;
  }
  void stop_timer(FlowNumber flow, int id) override {
    flows_[flow].due.at(static_cast<std::size_t>(id)) = PicoSeconds::max();
  }
  Rate line_rate() const override { return line_; }

  double mbps(FlowNumber flow) { return flows_[flow].rate.raw / 256.0; }
  Bytes window(FlowNumber flow) { return flows_[flow].window; }
  bool is_running(FlowNumber flow, int id) {
    return flows_[flow].due.at(static_cast<std::size_t>(id)) != PicoSeconds::max();
  }
  PicoSeconds due(FlowNumber flow, int id) {
    return flows_[flow].due.at(static_cast<std::size_t>(id));
  }

  /// Advances the time. Timers expire in the order of time, flow and number.
  void advance(Algorithm& algorithm, PicoSeconds by) {
    const PicoSeconds end = now_ + by;
    for (;;) {
      PicoSeconds first = PicoSeconds::max();
      FlowNumber flow = 0;
      std::size_t id = 0;
      for (const auto& [number, one] : flows_) {
        for (std::size_t i = 0; i < one.due.size(); ++i) {
          if (one.due[i] < first) {
            first = one.due[i];
            flow = number;
            id = i;
          }
        }
      }
      if (end < first || first == PicoSeconds::max()) break;
      now_ = first;
      flows_[flow].due[id] = PicoSeconds::max();
      algorithm.on_timer(flow, static_cast<int>(id));
    }
    now_ = end;
  }

 private:
  struct Flow {
    Rate rate;
    Bytes window = -1;
    std::array<PicoSeconds, kTimersPerFlow> due{PicoSeconds::max(), PicoSeconds::max(),
                                                PicoSeconds::max()};
  };
  Rate line_;
  PicoSeconds now_{};
  std::map<FlowNumber, Flow> flows_;
};

constexpr double kRateStep = 1.0 / 256;  // resolution of a Rate in Mb/s

}  // namespace dcc::test
