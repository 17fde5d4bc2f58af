// A bottleneck with flows of the proportional policy, as a fluid: what the QoS manager steers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dcc::test {

/// Every flow increases by 15 Mb/s·w and 1.5 % each 55 µs and is cut by 1/64 for w marks; packets
/// are marked from 100 KB (0) to 400 KB (0.2) of queue. Rates in Gb/s, time in ms, queue in KB.
class QosPlant {
 public:
  struct Flow {
    std::uint32_t dscp = 0;
    double weight = 1;    // the factor in force
    double bias = 1;      // what the real mechanism makes of it
    double demand = 1e9;  // what the application offers at most
    double rate = 5;
    bool on = true;
    double pending_bytes = 0;  // of the message under way
    double total_bytes = 0;
  };

  explicit QosPlant(double capacity = 100) : capacity_(capacity) {}

  std::vector<Flow> flows;
  double queue() const { return queue_; }

  void step(double dt) {
    double offered = 0;
    for (const Flow& f : flows) offered += f.on ? std::min(f.rate, f.demand) : 0;
    // Gb/s · ms = 125 KB.
    queue_ = std::clamp(queue_ + (offered - capacity_) * dt * 125, 0.0, 4000.0);
    const double drained = offered <= capacity_ && queue_ == 0 ? 1.0 : capacity_ / offered;
    const double mark = std::clamp((queue_ - 100) / 300, 0.0, 1.0) * 0.2;
    for (Flow& f : flows) {
      if (!f.on) continue;
      const double w = f.weight * f.bias;
      const double sent = std::min(f.rate, f.demand);
      const double packets_per_ms = sent * 125 / 1.0;  // of 1000 bytes
      const double up = (0.015 * w + 0.015 * f.rate) / 0.055;
      const double down = f.rate * packets_per_ms * mark / 64 / w;
      f.rate = std::clamp(f.rate + (up - down) * dt, 0.01, capacity_);
      const double bytes = sent * std::min(drained, 1.0) * dt * 125e3;
      f.pending_bytes += bytes;
      f.total_bytes += bytes;
    }
  }

 private:
  double capacity_;
  double queue_ = 0;
};

}  // namespace dcc::test
