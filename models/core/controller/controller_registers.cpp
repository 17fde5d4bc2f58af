#include "controller/controller_registers.h"

#include <cstdlib>

#include "controller/law/law.h"
#include "registers/generated/dcc_map.h"

namespace dcc::regs {
namespace {

using namespace dcc_map;

static_assert(kCauseTableFull == DCC_IRQ_STATUS_TABLE_FULL_MASK, "causes and register map differ");
static_assert(kCauseOverrun == DCC_IRQ_STATUS_OVERRUN_MASK, "causes and register map differ");

constexpr std::uint32_t kSlotWords = DCC_SLOTS_STRIDE / 4;
static_assert(DCC_SLOTS_ENTRIES == kMaxSlots, "size of the slot window");

std::uint32_t flag(bool set, std::uint32_t mask) { return set ? mask : 0; }

std::uint32_t log2_rounded_up(std::uint32_t n) {
  std::uint32_t bits = 0;
  while ((std::uint64_t{1} << bits) < n) ++bits;
  return bits;
}

/// Returns word number `word` of a slot, in the layout of the register window `slots`.
std::uint32_t slot_word(const SlotView& slot, std::uint32_t word) {
  const SlotParameters& p = slot.parameters;
  switch (static_cast<SlotsWord>(word)) {
    case kSlotsFlowWord:
      return slot.flow.has_value()
                 ? (*slot.flow & DCC_SLOTS_FLOW_NUMBER_MASK) | DCC_SLOTS_FLOW_VALID_MASK
                 : 0;
    case kSlotsRateWord:
      return p.rc;
    case kSlotsTargetWord:
      return p.rt;
    case kSlotsAlphaWord:
      return p.alpha;
    case kSlotsCountsWord:
      return std::uint32_t{p.t} << DCC_SLOTS_COUNTS_T_SHIFT |
             std::uint32_t{p.bc} << DCC_SLOTS_COUNTS_BC_SHIFT |
             std::uint32_t{p.dscp} << DCC_SLOTS_COUNTS_DSCP_SHIFT;
    case kSlotsLengthWord:
      return p.pkt_length;
    case kSlotsLatestWord:
      return p.t_latest;
    case kSlotsDueWord:
      if (!slot.timer_due.has_value()) return 0;
      return (*slot.timer_due & (DCC_SLOTS_DUE_TICK_MASK | DCC_SLOTS_DUE_EPOCH_MASK)) |
             DCC_SLOTS_DUE_PENDING_MASK;
  }
  std::abort();  // unreachable: a slot has no other word
}

}  // namespace

ControllerRegisters::ControllerRegisters(ControllerEngine& device, const WheelSplit& split)
    : device_(device), block_(kMap, *this) {
  const ControllerConfig& config = device_.config();
  block_.set_parameter(kCaps,
                       log2_rounded_up(config.slots) << DCC_CAPS_SLOTS_LOG2_SHIFT |
                           config.latency_cycles << DCC_CAPS_LATENCY_SHIFT |
                           static_cast<std::uint32_t>(split.top) << DCC_CAPS_WHEEL_TOP_SHIFT |
                           static_cast<std::uint32_t>(split.middle) << DCC_CAPS_WHEEL_MIDDLE_SHIFT |
                           static_cast<std::uint32_t>(split.last) << DCC_CAPS_WHEEL_LAST_SHIFT);
  block_.set_window_entries(kWindowSlots, config.slots);
  if (Law::beyond_hardware()) block_.implement_reserved(kCtrl, DCC_CTRL_LAW_HIGH_MASK);
  device_.on_cause(this);
  device_.set_parameters(parameters_of(block_));
}

ControllerRegisters::~ControllerRegisters() { device_.on_cause(nullptr); }

void ControllerRegisters::reset() {
  block_.reset();
  device_.set_parameters(parameters_of(block_), true);
}

std::uint32_t ControllerRegisters::read_register(std::uint16_t index) const {
  switch (static_cast<Live>(index)) {
    case Live::kStatus:
      return flag(device_.ready(), DCC_STATUS_READY_MASK) |
             flag(device_.idle(), DCC_STATUS_IDLE_MASK) |
             flag(device_.overrun(), DCC_STATUS_OVERRUN_MASK);
    case Live::kFreeSlots:
      return device_.free_slots();
    case Live::kTime:
      return static_cast<std::uint32_t>(device_.time());
    case Live::kTimerLag: {
      const Tick lag = device_.timer_lag();
      return lag > 0xFFFF ? 0xFFFF : static_cast<std::uint32_t>(lag);
    }
    case Live::kTimerLatenessMax:
      return device_.timer_lateness_max();
    case Live::kMemoryError:  // memories of the model lose no bits, so there is no error
    case Live::kMemoryErrors:
    case Live::kMemoryCorrected:
    case Live::kMemoryWord:
    case Live::kMemoryLost:
      return 0;
    case Live::kEventsPending:
      return static_cast<std::uint32_t>(device_.timer_counters().pending());
  }
  std::abort();  // unreachable: the register block reads live registers only
}

std::uint64_t ControllerRegisters::read_counter(std::uint16_t index) const {
  const ControllerStatistics& s = device_.statistics();
  switch (static_cast<Counter>(index)) {
    case kStatCnpsReceived:
      return s.cnps_received;
    case kStatCnpsDroppedNoSlot:
      return s.cnps_dropped_no_slot;
    case kStatCnpsCoalesced:
      return s.cnps_coalesced;
    case kStatByteNotifications:
      return s.byte_notifications;
    case kStatByteNotificationsUnmatched:
      return s.byte_notifications_unmatched;
    case kStatRateDecreases:
      return s.rate_decreases;
    case kStatRateIncreases:
      return s.rate_increases;
    case kStatRateUpdates:
      return s.rate_updates;
    case kStatTimerEvents:
      return device_.timer_counters().expired;
    case kStatEventsStarted:
      return device_.timer_counters().started;
    case kStatEventsCancelled:
      return device_.timer_counters().cancelled;
    case kStatSlotsBound:
      return s.slots_bound;
    case kStatSlotsReleased:
      return s.slots_released;
    case kStatSlotsInUseMax:
      return s.slots_in_use_max;
    case kStatMissedLatency:
      return device_.missed_latency();
    case kStatCnpsLost:
      return s.cnps_lost;
    case kStatInputsDropped:
      return s.inputs_dropped;
  }
  std::abort();  // unreachable: the map has no other counter
}

std::uint32_t ControllerRegisters::read_window(std::uint16_t window, std::uint32_t word) const {
  if (window != kWindowSlots) return device_.tables().read(static_cast<RateTable>(window), word);
  return slot_word(device_.slot(word / kSlotWords), word % kSlotWords);
}

}  // namespace dcc::regs
