// One controller's slots as a timeline and as signals.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/platform_config.h"
#include "controller/controller_model.h"
#include "measure/trace_events.h"
#include "measure/vcd_file.h"
#include "sim/scheduler.h"

namespace dcc::vp {

/// Rows of the timeline within a host's process.
enum TraceThread : int {
  kThreadFunctions = 1,
  kThreadAccesses = 2,
  kThreadDma = 3,
  kThreadSlots = 100,  // + slot
};

/// Hears every change of a slot. On the timeline a slot is a row on which a slice lasts from bound
/// to released, with every cut, increase and timer event on it; among the signals it has its flow
/// number and rate (u32, unsigned 24.8 Mb/s, as the hardware holds it), z while free.
class SlotTrace final : public SlotObserver {
 public:
  struct Target {
    TraceEvents* events = nullptr;  // null: no timeline
    VcdFile* signals = nullptr;     // null: no signals
    int process = 0;                // of this host on the timeline
    std::string scope;              // of its signals: "host1.controller"
    std::function<std::uint32_t(std::uint32_t flow_number)> flow_id;
  };
  SlotTrace(const TraceConfig& config, const Scheduler& scheduler, ControllerEngine& device,
            Target target);

  void slot_changed(SlotIndex slot, std::uint32_t flow, SlotChange change) override;
  /// Writes how many slots are in use now.
  void count_slots();
  /// Closes what is open on the timeline.
  void finish();

 private:
  struct Slot {
    bool open = false;   // a slice is
    bool named = false;  // its row
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
