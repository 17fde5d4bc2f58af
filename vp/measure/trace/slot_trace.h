// Traces the slots of one congestion controller, on the timeline and as signals.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/platform_config.h"
#include "controller/controller_model.h"
#include "measure/trace/trace_events.h"
#include "measure/trace/vcd_file.h"
#include "sim/scheduler.h"

namespace dcc::vp {

/// Rows of the timeline within a host's process.
enum TraceThread : int {
  kThreadFunctions = 1,
  kThreadAccesses = 2,
  kThreadDma = 3,
  kThreadOtherHarts = 4,  // row of the functions of hart 1; rows of the next harts follow
  kThreadSlots = 100,     // row of slot 0; slot n has the row kThreadSlots + n
};

/// Observes every change of a slot. Each slot is a row of the timeline; a slice lasts from the
/// slot's binding to its release and shows every cut, increase and timer event. The signals of a
/// slot are its flow number and its rate (u32, unsigned 24.8 Mb/s, as in hardware); both signals
/// are z while the slot is free.
class SlotTrace final : public SlotObserver {
 public:
  struct Target {
    TraceEvents* events = nullptr;  // file of the timeline; null: no timeline
    VcdFile* signals = nullptr;     // file of the signals; null: no signals
    int process = 0;                // process number of this host on the timeline
    std::string scope;              // scope of the signals, e.g. "host1.controller"
    std::function<std::uint32_t(std::uint32_t flow_number)> flow_id;
  };
  SlotTrace(const TraceConfig& config, const Scheduler& scheduler, ControllerEngine& device,
            Target target);

  void slot_changed(SlotIndex slot, std::uint32_t flow, SlotChange change) override;
  /// Writes the number of slots in use.
  void count_slots();
  /// Closes the open slices of the timeline.
  void finish();

 private:
  struct Slot {
    bool open = false;   // true if the slot has an open slice on the timeline
    bool named = false;  // true if the row of the slot has its name
    bool signals = false;
    VcdFile::Signal flow = 0;
    VcdFile::Signal rate = 0;
  };
  void on_timeline(SlotIndex index, std::uint32_t flow, SlotChange change);
  void on_signals(SlotIndex index, std::uint32_t flow, SlotChange change);
  TraceEvents::Track track(SlotIndex index) const {
    return {target_.process, kThreadSlots + static_cast<int>(index)};
  }

  const TraceConfig& config_;
  const Scheduler& scheduler_;
  ControllerEngine& device_;
  Target target_;
  std::vector<Slot> slots_;
  VcdFile::Signal in_use_ = 0;
};

}  // namespace dcc::vp
