// Watchdog against pause storms, as SONiC's: finds queues that a neighbour pauses without end, and
// drops or sends their packets until the storm is over.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/scheduler.h"
#include "switch/egress_ports.h"
#include "switch/pfc.h"
#include "units.h"

namespace dcc {

/// Looks at the queues of the ports it watches while some queue is paused or in a storm, each
/// WatchdogParameters::poll, the least of these ports. A queue is in a storm when it has packets
/// and was paused for `detect` without interruption; the storm is over when no frame paused the
/// priority for `restore`.
class PfcWatchdog {
 public:
  /// `egress` must outlive the watchdog, which watches no port yet.
  PfcWatchdog(Scheduler& scheduler, EgressPorts& egress, int ports, std::uint32_t rank);
  PfcWatchdog(const PfcWatchdog&) = delete;
  PfcWatchdog& operator=(const PfcWatchdog&) = delete;

  /// Watches the queues of `port` from now on. Precondition: parameters.detect.
  void watch(int port, const WatchdogParameters& parameters);
  /// Must be called when a pause frame has arrived.
  void attend() {
    if (!poll_event_.is_scheduled()) scheduler_.schedule_in(poll_event_, interval_);
  }
  /// Number of storms found, and of storms that ended, of one queue.
  std::uint64_t storms(int port, int priority) const { return at(port, priority).storms; }
  std::uint64_t restored(int port, int priority) const { return at(port, priority).restored; }

  template <class Digest>
  void add_state(Digest& d) const {
    d(poll_event_);
    for (const Queue& queue : queues_) d(queue.in_storm, queue.frames, queue.quiet_since);
  }

 private:
  struct Queue {
    bool in_storm = false;
    std::uint64_t frames = 0;  // number of pause frames and of ends of pauses at the last check
    std::uint64_t ends = 0;
    PicoSeconds quiet_since{};  // time at which a pause or its end was last seen
    std::uint64_t storms = 0;
    std::uint64_t restored = 0;
  };
  struct Port {
    PicoSeconds detect{};  // 0: the port is not watched
    PicoSeconds restore{};
    WatchdogParameters::Action action = WatchdogParameters::Action::kDrop;
    std::uint8_t ignored = 0;  // mask of priorities sent in spite of pauses
  };
  const Queue& at(int port, int priority) const {
    return queues_[static_cast<std::size_t>(port * kPriorities + priority)];
  }
  void poll();
  /// Returns true if the queue needs another look.
  bool look_at(int port, int priority, Queue& queue);
  void set_storm(int port, int priority, Queue& queue, bool begins);

  Scheduler& scheduler_;
  EgressPorts& egress_;
  PicoSeconds interval_ = PicoSeconds::max();
  std::vector<Queue> queues_;  // state of each queue, by port and priority
  std::vector<Port> ports_;
  Event poll_event_;
};

}  // namespace dcc
