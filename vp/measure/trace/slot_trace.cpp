#include "measure/trace/slot_trace.h"

#include <algorithm>
#include <cstdio>

#include "describe/enum_names.h"
#include "measure/trace/trace_event_file.h"

namespace dcc {
DCC_ENUM_NAMES(SlotChange, {SlotChange::kBound, "bound"}, {SlotChange::kCut, "cut"},
               {SlotChange::kByteIncrease, "increase by bytes"},
               {SlotChange::kTimerIncrease, "increase by timer"},
               {SlotChange::kReleased, "released"});
}  // namespace dcc

namespace dcc::vp {
namespace {

std::string args_of(const SlotParameters& p) {
  char text[128];
  std::snprintf(text, sizeof text,
                "{\"rate_mbps\":%.9g,\"target_mbps\":%.9g,\"alpha\":%.6f,\"bc\":%u,\"t\":%u}",
                p.rc / 256.0, p.rt / 256.0, p.alpha / 65536.0, static_cast<unsigned>(p.bc),
                static_cast<unsigned>(p.t));
  return text;
}

}  // namespace

SlotTrace::SlotTrace(const TraceConfig& config, const Scheduler& scheduler,
                     ControllerEngine& device, Target target)
    : config_(config),
      scheduler_(scheduler),
      device_(device),
      target_(std::move(target)),
      slots_(device.config().slots) {
  if (target_.signals != nullptr) {
    in_use_ = target_.signals->add(target_.scope + ".slots_in_use", 15);
  }
}

void SlotTrace::slot_changed(SlotIndex slot, std::uint32_t flow, SlotChange change) {
  if (!in_window(config_, scheduler_.now())) return;
  count_slots();
  if (!config_.has_flow(target_.flow_id(flow))) return;
  if (target_.events != nullptr) on_timeline(slot, flow, change);
  if (target_.signals != nullptr) on_signals(slot, flow, change);
}

void SlotTrace::count_slots() {
  if (target_.signals == nullptr) return;
  target_.signals->change(in_use_, scheduler_.now(),
                          device_.model()->manager().flows().bound_slots());
}

void SlotTrace::on_timeline(SlotIndex index, std::uint32_t flow, SlotChange change) {
  TraceEvents& events = *target_.events;
  Slot& slot = slots_[index];
  const PicoSeconds now = scheduler_.now();
  if (!slot.named) events.name_thread(track(index), "slot " + std::to_string(index));
  slot.named = true;
  // ends the slice of a slot that a reset left open
  if (slot.open && change == SlotChange::kBound) events.end(track(index), now);
  if (!slot.open || change == SlotChange::kBound) {
    events.begin(track(index), now, "flow " + std::to_string(target_.flow_id(flow)),
                 "{\"flow_number\":" + std::to_string(flow) + "}");
    slot.open = true;
  }
  events.instant(track(index), now, name_of(change),
                 args_of(device_.model()->manager().slot(index)));
  if (change != SlotChange::kReleased) return;
  events.end(track(index), now);
  slot.open = false;
}

void SlotTrace::on_signals(SlotIndex index, std::uint32_t flow, SlotChange change) {
  VcdFile& vcd = *target_.signals;
  Slot& slot = slots_[index];
  const PicoSeconds now = scheduler_.now();
  if (!slot.signals) {
    const std::string scope = target_.scope + ".slot" + std::to_string(index);
    slot.flow = vcd.add(scope + ".flow", 24);
    slot.rate = vcd.add(scope + ".rate", 32);
    slot.signals = true;
  }
  if (change == SlotChange::kReleased) {
    vcd.release(slot.flow, now);
    vcd.release(slot.rate, now);
  } else {
    vcd.change(slot.flow, now, flow);
    vcd.change(slot.rate, now, device_.model()->manager().slot(index).rc);
  }
}

void SlotTrace::finish() {
  if (target_.events == nullptr) return;
  // Changes after the window were not reported, so a slice must end with the window.
  const PicoSeconds end = config_.to ? std::min(*config_.to, scheduler_.now()) : scheduler_.now();
  for (SlotIndex i = 0; i < slots_.size(); ++i) {
    if (slots_[i].open) target_.events->end(track(i), end);
    slots_[i].open = false;
  }
}

}  // namespace dcc::vp
