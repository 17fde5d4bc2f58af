// A fluid model of a bottleneck shared by flows of the proportional policy, as the plant of the QoS
// manager.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dcc::test {

/// Models the first form of the proportional policy, which reacted slower than the present one
/// (docs/qos-manager.md). Every flow increases its rate by 6 Mb/s·w and 0.7 % every 22 µs. CE marks
/// cut the rate by 1/64 per w marks permanently, and by three times as much until the next
/// increase, 11 µs later on average. The marking probability rises from 0 at 55 KB of queue to 1 at
/// 440 KB. Rates are in Gb/s, time in ms, the queue in KB.
class QosPlant {
 public:
  struct Flow {
    std::uint32_t dscp = 0;
    double weight = 1;    // the flow's factor that is in force
    double bias = 1;      // ratio of the weight that takes effect to the weight that is set
    double demand = 1e9;  // maximum rate that the application offers
    double rate = 5;
    bool on = true;
    double pending_bytes = 0;  // bytes of the current message that are not sent yet
    double total_bytes = 0;
  };

  explicit QosPlant(double capacity = 100) : capacity_(capacity) {}

  std::vector<Flow> flows;
  double queue() const { return queue_; }

  void step(double dt) {
    const double mark = std::clamp((queue_ - 55) / 385, 0.0, 1.0);
    double offered = 0;
    for (const Flow& f : flows) offered += f.on ? sent(f, mark) : 0;
    // 1 Gb/s times 1 ms is 125 KB.
    queue_ = std::clamp(queue_ + (offered - capacity_) * dt * 125, 0.0, 4000.0);
    const double drained = offered <= capacity_ && queue_ == 0 ? 1.0 : capacity_ / offered;
    for (Flow& f : flows) {
      if (!f.on) continue;
      const double w = f.weight * f.bias;
      const double up = (0.006 * w + 0.007 * f.rate) / 0.022;
      const double down = f.rate * packets_per_ms(f) * mark / 64 / w;
      f.rate = std::clamp(f.rate + (up - down) * dt, 0.01, capacity_);
      const double bytes = sent(f, mark) * std::min(drained, 1.0) * dt * 125e3;
      f.pending_bytes += bytes;
      f.total_bytes += bytes;
    }
  }

 private:
  static double packets_per_ms(const Flow& f) { return std::min(f.rate, f.demand) * 125; }
  /// The flow's sending rate. The temporary part of the latest cuts still reduces it.
  static double sent(const Flow& f, double mark) {
    const double away = 3.0 / 64 * packets_per_ms(f) * mark * 0.011 / (f.weight * f.bias);
    return std::min(f.rate * std::max(0.1, 1 - away), f.demand);
  }

  double capacity_;
  double queue_ = 0;
};

}  // namespace dcc::test
