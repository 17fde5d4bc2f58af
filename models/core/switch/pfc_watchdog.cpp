#include "switch/pfc_watchdog.h"

namespace dcc {

PfcWatchdog::PfcWatchdog(Scheduler& scheduler, const WatchdogParameters& parameters,
                         EgressPorts& egress, int ports, std::uint32_t rank)
    : scheduler_(scheduler),
      egress_(egress),
      detect_(*parameters.detect),
      restore_(parameters.restore),
      interval_(parameters.poll.value_or(*parameters.detect)),
      action_(parameters.action),
      queues_(static_cast<std::size_t>(ports * kPriorities)),
      ignored_(static_cast<std::size_t>(ports)),
      poll_event_(Event::calling<&PfcWatchdog::poll>(*this, rank)) {}

void PfcWatchdog::poll() {
  bool again = false;
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    const int number = static_cast<int>(i);
    again = look_at(number / kPriorities, number % kPriorities, queues_[i]) || again;
  }
  if (again) scheduler_.schedule_in(poll_event_, interval_);
}

bool PfcWatchdog::look_at(int port, int priority, Queue& queue) {
  const PicoSeconds now = scheduler_.now();
  const PfcPort& pfc = egress_.at(port).pfc();
  const bool paused = (pfc.paused() >> priority & 1) != 0;
  const PriorityPauses pauses = pfc.received_pauses(priority, now);
  if (paused || pauses.frames != queue.frames || pauses.ends != queue.ends) queue.quiet_since = now;
  queue.frames = pauses.frames;
  queue.ends = pauses.ends;
  if (!queue.in_storm) {
    if (!paused) return false;
    const bool waits = egress_.bytes(port, priority) > 0;
    if (waits && now - pfc.paused_since(priority) >= detect_) {
      set_storm(port, priority, queue, true);
    }
    return true;
  }
  if (now - queue.quiet_since >= restore_) set_storm(port, priority, queue, false);
  return queue.in_storm;
}

void PfcWatchdog::set_storm(int port, int priority, Queue& queue, bool begins) {
  queue.in_storm = begins;
  ++(begins ? queue.storms : queue.restored);
  if (action_ == WatchdogParameters::Action::kDrop) {
    egress_.queueing(port).set_refusal(priority, begins);
    return;
  }
  std::uint8_t& ignored = ignored_[static_cast<std::size_t>(port)];
  ignored =
      static_cast<std::uint8_t>(begins ? ignored | 1u << priority : ignored & ~(1u << priority));
  egress_.at(port).pfc().ignore_pauses(ignored);
  egress_.try_send(port);
}

}  // namespace dcc
