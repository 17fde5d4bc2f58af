#include "simulation_kernel.h"

#include <algorithm>

namespace dcc::model {

SimulationKernel::SimulationKernel(const sc_core::sc_module_name& name, Scheduler& scheduler,
                                   PicoSeconds end, PartitionedRun* partitions)
    : sc_module(name), scheduler_(scheduler), partitions_(partitions), end_(end) {
  SC_HAS_PROCESS(SimulationKernel);
  SC_METHOD(run);
  sensitive << poke_;
}

SimulationKernel::SimulationKernel(const sc_core::sc_module_name& name, Scheduler& scheduler,
                                   InStep)
    : SimulationKernel(name, scheduler, PicoSeconds::max()) {
  in_step_ = true;
}

PicoSeconds SimulationKernel::horizon() const {
  if (in_step_) return from_sc_time(sc_core::sc_time_stamp());
  if (sc_core::sc_pending_activity_at_current_time()) return from_sc_time(sc_core::sc_time_stamp());
  if (!sc_core::sc_pending_activity_at_future_time()) return PicoSeconds::max();
  return from_sc_time(sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity());
}

void SimulationKernel::notify(sc_core::sc_event& event) {
  const PicoSeconds lead = scheduler_.now() - from_sc_time(sc_core::sc_time_stamp());
  if (lead.count <= 0) {
    event.notify(sc_core::SC_ZERO_TIME);
  } else {
    event.notify(to_sc_time(lead));
  }
  limit_ = std::min(limit_, scheduler_.now());
}

void SimulationKernel::synchronise() {
  scheduler_.advance_to(from_sc_time(sc_core::sc_time_stamp()));
  poke_.notify(sc_core::SC_ZERO_TIME);
}

// Runs the devices' events. Catches exceptions itself, because SystemC would turn an exception into
// a report and lose its type.
void SimulationKernel::run() {
  try {
    partitions_ == nullptr ? run_events() : run_partitions();
  } catch (...) {
    failure_ = std::current_exception();
    sc_core::sc_stop();
  }
}

void SimulationKernel::beat() {
  countdown_ = kEventsPerCall;
  if (hook_due_) {
    hook_due_ = false;
    for (const auto& hook : hooks_) hook();
  }
  // A requested event hook makes beat() run early, but the heartbeat keeps its interval of events.
  if (!heartbeat_ || events_run() - last_beat_ < kEventsPerCall) return;
  last_beat_ = events_run();
  heartbeat_();
}

std::uint64_t SimulationKernel::events_run() const {
  return scheduler_.events_run() + (partitions_ != nullptr ? partitions_->events_run() : 0);
}

void SimulationKernel::run_events() {
  // Device events of the present instant run first, because other processes must see devices after
  // these events.
  const PicoSeconds present = from_sc_time(sc_core::sc_time_stamp());
  limit_ = std::max(horizon(), present);
  while (!stopping_) {
    Event* const event = scheduler_.first();
    if (event == nullptr || event->due() > end_) break;
    const PicoSeconds next = event->due();
    if (next >= limit_ && next > present) {
      next_trigger(to_sc_time(next - present), poke_);
      return;
    }
    scheduler_.run(*event);
    if (--countdown_ == 0) beat();
  }
  if (stopping_) {
    sc_core::sc_stop();
    return;
  }
  // Waits for a process to schedule an event, because no event is due.
  next_trigger(poke_);
  if (limit_ == PicoSeconds::max()) scheduler_.advance_to(end_);
}

// Runs the devices' partitions. No other process exists for which the kernel would have to wait. A
// platform event may cause device events at its own instant; these run before the next platform
// event, in the order of their ranks.
void SimulationKernel::run_partitions() {
  const PicoSeconds stride = partitions_->lookahead() * kWindowsPerCall;
  while (!stopping_) {
    Event* const event = scheduler_.first();
    const PicoSeconds due = event != nullptr ? event->due() : PicoSeconds::max();
    const PicoSeconds upto = std::min(due, end_);
    const PicoSeconds next = partitions_->next_time();
    const PicoSeconds stop = next <= upto && upto - next > stride ? next + stride : upto;
    partitions_->run_until(stop);
    scheduler_.advance_to(stop);
    if (next > upto) {
      if (due > end_) break;
      scheduler_.run(*event);
    }
    beat();
  }
  if (stopping_) {
    sc_core::sc_stop();
    return;
  }
  next_trigger(poke_);
}

}  // namespace dcc::model
