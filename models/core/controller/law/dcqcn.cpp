#include "controller/law/dcqcn.h"

#include <algorithm>

#include "driver/dcc_regs.h"

namespace dcc {

namespace {
const DcqcnLaw kDcqcnLaw;

IncreaseStage stage_of(ConstDcqcnView slot, std::uint8_t fast_recovery) {
  const std::uint8_t most = std::max(slot.timer_events(), slot.byte_events());
  const std::uint8_t least = std::min(slot.timer_events(), slot.byte_events());
  if (most < fast_recovery) return IncreaseStage::kRecovery;
  if (least > fast_recovery) return IncreaseStage::kHyper;
  return IncreaseStage::kAdditive;
}

/// Increases the slot's rate; returns true if the current rate is then the greatest rate of its
/// DSCP.
bool increase(SlotParameters& slot, LawPort& port) {
  const IncreaseStage stage = stage_of(ConstDcqcnView(slot), port.parameters().fast_recovery);
  const IncreaseResult result = port.increase({slot.rc, slot.rt, slot.dscp, stage, 0});
  slot.rc = result.rc;
  slot.rt = result.rt;
  return result.at_maximum;
}
}  // namespace

DcqcnLaw::DcqcnLaw()
    : Law(DCC_CTRL_LAW_DCQCN, "dcqcn", "DCQCN's rules, scaled by the priority of each DSCP") {}

void DcqcnLaw::begin(SlotParameters& slot, const ControllerParameters& parameters) const {
  DcqcnView(slot).alpha() = std::min(parameters.initial_alpha, kOne16);
}

CnpOutcome DcqcnLaw::notify(SlotParameters& slot, const CnpEvent& cnp, LawPort& port) const {
  if (!cnp.first && cnp.delta < port.parameters().decrease_period) return CnpOutcome::kCoalesced;
  slot.dscp = cnp.dscp;
  DcqcnView view(slot);
  const DecreaseResult result =
      port.decrease({slot.rc, slot.rt, view.alpha(), cnp.delta, slot.dscp, cnp.marks, cnp.first});
  slot.rc = result.rc;
  // With Clamp::kAfterTimer, the target rate stays if the timer has not raised the rate since the
  // previous cut.
  const bool keeps = port.parameters().keep_target && !cnp.first && view.timer_events() == 0;
  if (!keeps) slot.rt = result.rt;
  view.alpha() = result.alpha;
  view.byte_events() = 0;
  view.timer_events() = 0;
  view.bytes() = 0;
  return CnpOutcome::kCut;
}

void DcqcnLaw::sent(SlotParameters& slot, std::uint32_t length, std::uint32_t /*packets*/,
                    const ControllerParameters& parameters) const {
  if (parameters.byte_counter) DcqcnView(slot).bytes() += length;
}

// Bytes beyond the threshold count towards the next byte event.
void DcqcnLaw::byte_event(SlotParameters& slot, std::uint32_t length, LawPort& port) const {
  DcqcnView view(slot);
  const std::uint64_t over =
      std::uint64_t{view.bytes()} + length - port.parameters().byte_threshold;
  view.bytes() = static_cast<std::uint32_t>(std::min<std::uint64_t>(over, 0xFFFFFFFF));
  view.byte_events() = count_event(view.byte_events());
  increase(slot, port);
}

bool DcqcnLaw::timer(SlotParameters& slot, std::uint32_t /*delta*/, LawPort& port) const {
  DcqcnView view(slot);
  view.timer_events() = count_event(view.timer_events());
  return increase(slot, port);
}

RateBits DcqcnLaw::cut_target(const DecreaseRequest& request, const RateCut& /*cut*/,
                              RateBits /*lo*/) const {
  return request.rc;
}

std::uint64_t DcqcnLaw::added(const IncreaseRequest& request, std::uint32_t step,
                              const RateTables& tables) const {
  return (std::uint64_t{step} * tables.increase_factor(request.dscp) + 128) >> 8;
}

// The current rate after an increase, rounded up so that the rate reaches the maximum and the slot
// is released.
std::uint64_t DcqcnLaw::raised(RateBits rc, RateBits target) const {
  return (std::uint64_t{rc} + target + 1) >> 1;
}

}  // namespace dcc
