// Watchdog against pause storms, like that of SONiC: it finds queues that a neighbour pauses
// without end, and drops or sends the packets of these queues until the storm is over.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/scheduler.h"
#include "sim/state_digest.h"
#include "switch/egress_ports.h"
#include "switch/pfc.h"
#include "units.h"

namespace dcc {

/// Watchdog against pause storms. While some queue is paused or in a storm, it checks the queues of
/// all watched ports, at the shortest WatchdogParameters::poll of these ports. A queue enters a
/// storm when it has packets and was paused for `detect` without interruption; the storm is over
/// when no frame paused the priority for `restore`.
class PfcWatchdog {
 public:
  /// Makes a watchdog that watches no port yet. `egress` must outlive the watchdog.
  PfcWatchdog(Scheduler& scheduler, EgressPorts& egress, int ports, std::uint32_t rank);
  PfcWatchdog(const PfcWatchdog&) = delete;
  PfcWatchdog& operator=(const PfcWatchdog&) = delete;

  /// Watches the queues of `port` from now on. Precondition: parameters.detect.
  void watch(int port, const WatchdogParameters& parameters);
  /// Must be called when a pause frame has arrived, which starts the checks.
  void attend() {
    if (!poll_event_.is_scheduled()) scheduler_.schedule_in(poll_event_, interval_);
  }
  /// Number of pause storms found at one queue, and number of those that ended.
  std::uint64_t storms(int port, int priority) const { return at(port, priority).storms; }
  std::uint64_t restored(int port, int priority) const { return at(port, priority).restored; }

  void add_state(StateDigest& d) const {
    d(poll_event_);
    for (const Queue& queue : queues_) d(queue.in_storm, queue.frames, queue.quiet_since);
  }

 private:
  struct Queue {
    bool in_storm = false;
    // number of pause frames, and of ends of pauses, seen at the last check
    std::uint64_t frames = 0;
    std::uint64_t ends = 0;
    PicoSeconds quiet_since{};  // time at which a pause or the end of a pause was last seen
    std::uint64_t storms = 0;
    std::uint64_t restored = 0;
  };
  struct Port {
    PicoSeconds detect{};  // duration after which a pause is a storm; 0: the port is not watched
    PicoSeconds restore{};
    WatchdogParameters::Action action = WatchdogParameters::Action::kDrop;
    std::uint8_t ignored = 0;  // mask of priorities that are sent in spite of pauses
  };
  const Queue& at(int port, int priority) const {
    return queues_[static_cast<std::size_t>(port * kPriorities + priority)];
  }
  void poll();
  /// Checks one queue; returns true if the queue needs another check.
  bool look_at(int port, int priority, Queue& queue);
  void set_storm(int port, int priority, Queue& queue, bool begins);

  Scheduler& scheduler_;
  EgressPorts& egress_;
  PicoSeconds interval_ = PicoSeconds::max();
  std::vector<Queue> queues_;  // watchdog state of each queue, by port and priority
  std::vector<Port> ports_;
  Event poll_event_;
};

}  // namespace dcc
