#include "switch/pfc_watchdog.h"

#include <algorithm>

namespace dcc {

PfcWatchdog::PfcWatchdog(Scheduler& scheduler, EgressPorts& egress, int ports, std::uint32_t rank)
    : scheduler_(scheduler),
      egress_(egress),
      queues_(static_cast<std::size_t>(ports * kPriorities)),
      ports_(static_cast<std::size_t>(ports)),
      poll_event_(Event::calling<&PfcWatchdog::poll>(*this, rank)) {}

void PfcWatchdog::watch(int port, const WatchdogParameters& parameters) {
  Port& of = ports_[static_cast<std::size_t>(port)];
  of.detect = *parameters.detect;
  of.restore = parameters.restore;
  of.action = parameters.action;
  interval_ = std::min(interval_, parameters.poll.value_or(of.detect));
}

void PfcWatchdog::poll() {
  bool again = false;
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    const int number = static_cast<int>(i);
    again = look_at(number / kPriorities, number % kPriorities, queues_[i]) || again;
  }
  if (again) scheduler_.schedule_in(poll_event_, interval_);
}

bool PfcWatchdog::look_at(int port, int priority, Queue& queue) {
  const Port& of = ports_[static_cast<std::size_t>(port)];
  if (of.detect == PicoSeconds{}) return false;
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
    if (waits && now - pfc.paused_since(priority) >= of.detect) {
      set_storm(port, priority, queue, true);
    }
    return true;
  }
  if (now - queue.quiet_since >= of.restore) set_storm(port, priority, queue, false);
  return queue.in_storm;
}

void PfcWatchdog::set_storm(int port, int priority, Queue& queue, bool begins) {
  queue.in_storm = begins;
  ++(begins ? queue.storms : queue.restored);
  Port& of = ports_[static_cast<std::size_t>(port)];
  if (of.action == WatchdogParameters::Action::kDrop) {
    egress_.queueing(port).set_refusal(priority, begins);
    return;
  }
  const unsigned bit = 1u << priority;
  of.ignored = static_cast<std::uint8_t>(begins ? of.ignored | bit : of.ignored & ~bit);
  egress_.at(port).pfc().ignore_pauses(of.ignored);
  egress_.try_send(port);
}

}  // namespace dcc
