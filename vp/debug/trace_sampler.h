// Samples values for traces at intervals: queues, timer lag, and rates of flows.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "build/network.h"
#include "config/platform_config.h"
#include "measure/trace/trace_events.h"
#include "measure/trace/vcd_file.h"

namespace dcc::vp {

class Platform;

/// At every `interval` of the trace window, writes the values that have changed. Signals: the bytes
/// of switch queues that feed traced hosts (of all queues if all hosts are traced), and each
/// controller's timer lag. Counters: the bytes of the same queues, and the rate of every traced
/// flow that a traced host sends.
class TraceSampler {
 public:
  /// `events`, `signals`: the files; null: not written.
  TraceSampler(Platform& platform, TraceEvents* events, VcdFile* signals);
  /// Schedules the first sample. Call when the simulation begins.
  void begin();

 private:
  struct Queue {
    const EgressQueue* queue = nullptr;
    VcdFile::Signal signal = 0;
    Bytes last = -1;
  };
  struct Lag {
    ControllerEngine* device = nullptr;
    VcdFile::Signal signal = 0;
  };
  struct Flow {
    std::uint32_t id = 0;
    Rate last{};
    bool seen = false;
  };
  void sample();
  bool feeds_traced_host(const EgressQueue& queue) const;

  Platform& p_;
  const TraceConfig& config_;
  TraceEvents* events_;
  VcdFile* signals_;
  std::vector<Queue> queues_;
  std::vector<Lag> lags_;
  std::vector<Flow> flows_;
  Event event_;
};

/// Process numbers of hosts and network in the timeline file.
constexpr int kNetworkProcess = 1;
constexpr int host_process(HostId host) { return 10 + static_cast<int>(host); }

/// Converts a link's name into a scope of signals: "s0->h3" becomes "s0_h3".
std::string scope_name(const std::string& wire);

}  // namespace dcc::vp
