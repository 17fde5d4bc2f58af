// The SystemC process that runs the devices' scheduler.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <systemc>
#include <vector>

#include "parallel/partitioned_run.h"
#include "sc_time.h"
#include "sim/scheduler.h"

namespace dcc::model {

/// Synchronises the devices' scheduler with SystemC's time. Device events run ahead of
/// sc_time_stamp() as long as no other SystemC process is due before them; so other processes
/// always find the devices exactly at their own time, and a platform without such processes runs at
/// the scheduler's speed.
///
/// The two directions:
///   SystemC → devices: a process calls synchronise() before it touches a device.
///   devices → SystemC: an event calls notify(), never sc_event::notify() itself, because the
///   scheduler's time may be ahead.
class SimulationKernel final : public sc_core::sc_module {
 public:
  /// The time resolution must be 1 ps (SystemC's default). `partitions`: schedulers of the devices,
  /// if not `scheduler` itself; only where no other SystemC process touches the devices. Partitions
  /// run up to each event of `scheduler`, then wait while the event runs.
  SimulationKernel(const sc_core::sc_module_name& name, Scheduler& scheduler, PicoSeconds end,
                   PartitionedRun* partitions = nullptr);

  /// Tag for the kernel of devices in an external platform, which may stop and resume at any moment
  /// and whose processes are unknown. Such a kernel never runs ahead of sc_time_stamp() and has no
  /// end time.
  struct InStep {};
  SimulationKernel(const sc_core::sc_module_name& name, Scheduler& scheduler, InStep);

  Scheduler& scheduler() { return scheduler_; }
  PicoSeconds end() const { return end_; }

  /// Fires `event` at the devices' present time. Called from a device's event or a SystemC process.
  void notify(sc_core::sc_event& event);
  /// Must be called from a SystemC process at sc_time_stamp(): sets the devices' clock to that time
  /// and makes the kernel look for due events after the process has run.
  void synchronise();
  /// Exception that an event threw and that ended the simulation; null if there was none.
  std::exception_ptr failure() const { return failure_; }
  /// Ends the simulation after the event that is running now.
  void stop() {
    stopping_ = true;
    poke_.notify(sc_core::SC_ZERO_TIME);
  }
  bool stopped() const { return stopping_; }
  /// Simulated time that the devices have reached; `end` at the end of a run.
  PicoSeconds now() const { return scheduler_.now(); }

  /// Sets a function that is called about every `kEventsPerCall` events, for progress and
  /// wall-clock limits.
  void set_heartbeat(std::function<void()> heartbeat) { heartbeat_ = std::move(heartbeat); }
  /// Adds a function that is called between two events when call_hook_after() has requested a call;
  /// for debuggers.
  void add_event_hook(std::function<void()> hook) { hooks_.push_back(std::move(hook)); }
  /// Requests one call of the hooks after this number of events from now (1: after the running
  /// event, or else after the next event).
  void call_hook_after(std::uint32_t events) {
    hook_due_ = true;
    countdown_ = events;
  }

 private:
  static constexpr std::uint32_t kEventsPerCall = 1u << 16;
  // maximum number of lookahead windows that the partitions run before the next check for stops and
  // hooks
  static constexpr std::int64_t kWindowsPerCall = 4;
  void run();
  void run_events();
  void run_partitions();
  void beat();
  std::uint64_t events_run() const;
  PicoSeconds horizon() const;

  Scheduler& scheduler_;
  PartitionedRun* partitions_;
  PicoSeconds end_;
  bool in_step_ = false;
  PicoSeconds limit_{};  // time at which the next SystemC process other than the kernel is due
  bool stopping_ = false;
  bool hook_due_ = false;
  // number of device events until the next check for heartbeat and hooks
  std::uint32_t countdown_ = kEventsPerCall;
  // number of device events that had run at the last call of the heartbeat
  std::uint64_t last_beat_ = 0;
  std::exception_ptr failure_;
  sc_core::sc_event poke_;
  std::function<void()> heartbeat_;
  std::vector<std::function<void()>> hooks_;
};

}  // namespace dcc::model
