// A fluid model of the flows of one window-based algorithm at one bottleneck. The windows fill the
// link and its queue.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "schemes/common/delay_window.h"
#include "unit/schemes/algorithm_host.h"

namespace dcc::test {

/// A link of 100 Gb/s and a base RTT of 10 µs, which 125 packets of 1000 bytes fill.
class DelayBottleneck {
 public:
  static constexpr double kBaseUs = 10;
  static constexpr double kBytesPerUs = 12'500;
  static constexpr double kProduct = kBaseUs * kBytesPerUs;
  static constexpr std::uint32_t kMtu = 1000;

  FakeHost host{100'000};
  std::unique_ptr<DelayWindow> algorithm;

  void begin(FlowNumber flows) {
    flows_ = flows;
    FlowStart start;
    start.base_rtt = kMicroSecond * 10;
    for (FlowNumber flow = 0; flow < flows; ++flow) algorithm->on_flow_start(flow, start);
  }
  double window(FlowNumber flow = 0) const { return static_cast<double>(algorithm->window(flow)); }
  /// Number of bytes in the queue.
  double queue() const {
    double sum = 0;
    for (FlowNumber flow = 0; flow < flows_; ++flow) sum += window(flow);
    return std::max(0.0, sum - kProduct);
  }
  /// Ends a round trip of one flow by an ACK.
  void ack(double rtt_us, FlowNumber flow = 0, bool ce = false) {
    AckInfo info;
    info.rtt = PicoSeconds{static_cast<std::int64_t>(rtt_us * 1e6)};
    info.psn = info.next_psn = next_++;
    info.ce = ce;
    algorithm->on_ack(flow, info);
  }
  /// Ends a round trip of each flow with the RTT of the present queue.
  void round(bool ce = false) {
    const double rtt = kBaseUs + queue() / kBytesPerUs;
    for (FlowNumber flow = 0; flow < flows_; ++flow) ack(rtt, flow, ce);
  }

 private:
  FlowNumber flows_ = 0;
  Psn next_ = 1;
};

}  // namespace dcc::test
