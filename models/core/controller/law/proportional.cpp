#include "controller/law/proportional.h"

#include <cmath>

#include "controller/dcc.h"
#include "driver/dcc_regs.h"
#include "nic/nic_parameters.h"

namespace dcc {

namespace {
const ProportionalLaw kProportionalLaw;

constexpr std::int32_t kPacket = ProportionalView::kPacket;
constexpr std::int32_t kOnTheWay = 8;  // number of marks that may be in flight at any rate
constexpr int kPromisedShift = 6;      // longest wait for a clear notification: 64 intervals
// shift in the fast phase, in which a packet or mark counts four times
constexpr int kFastShift = 2;
constexpr int kSilentShift = 17;  // a silent flow rises by a packet each 512 Mb/s of target
// greatest account in packets that the rate unit takes at once
constexpr std::int32_t kAccountMax = (1 << 27) - 1;
// greatest number of packets in a request (field DELTA)
constexpr std::uint32_t kPacketsMax = kMaxDelta;
// log2 of a mark's argument, four entries of the decrease table
constexpr std::uint32_t kMarkShift = 10;
constexpr PicoSeconds kShort = kMicroSecond * 32;  // longest interval with full steps

void add_to_account(ProportionalView slot, std::int32_t difference) {
  slot.set_account(std::clamp(slot.account() + difference, -kAccountMax - 1, kAccountMax));
}

/// Adds the packets that arrived to the account and subtracts their marks. The receiver's count of
/// packets, if the notification has one, replaces the sender's own count.
void count_notification(ProportionalView slot, const CnpEvent& cnp, std::uint16_t g) {
  if (cnp.packets != 0 && cnp.packets != 255) {
    add_to_account(slot,
                   kPacket * (std::int32_t{cnp.packets} - static_cast<std::int32_t>(slot.sent())));
  }
  add_to_account(slot, -static_cast<std::int32_t>(std::uint32_t{cnp.marks} * g >> 8));
  slot.sent() = 0;
}

/// True if the marks of a notification stand for more packets than the flow sends in four timer
/// intervals.
bool swamped(const SlotParameters& slot, const RateRegisters& registers) {
  const std::int64_t owed =
      -std::int64_t{ConstProportionalView(slot).account()} / kPacket - kOnTheWay;
  return owed > 0 &&
         static_cast<std::uint64_t>(owed) * registers.r_hai > std::uint64_t{4} * slot.rt;
}

/// True if the flow has sent nothing for SILENCE intervals and for the time of four packets.
bool is_silent(const SlotParameters& slot, const ControllerParameters& parameters) {
  const std::uint8_t silent = ConstProportionalView(slot).silent_intervals();
  return silent >= parameters.silence &&
         (silent == 255 ||
          std::uint64_t{slot.rt} * silent >= std::uint64_t{4} * parameters.rate.r_hai);
}

/// Returns the number of packets to increase by at the end of an interval outside a hold. A flow
/// without packets gets a number that grows with time.
std::uint32_t take_unmarked(SlotParameters& slot, const ControllerParameters& parameters) {
  ProportionalView view(slot);
  const bool silent = is_silent(slot, parameters);
  view.silent_intervals() = count_event(view.silent_intervals());
  if (silent) return std::max(1u, slot.rt >> kSilentShift);
  const std::int32_t whole = std::max(0, view.account()) / kPacket;
  add_to_account(view, -kPacket * whole);
  return static_cast<std::uint32_t>(whole);
}

/// True if the target rate is at least twice the delivery rate that the marks of the hold indicate.
bool overrated(const SlotParameters& slot, const RateRegisters& registers) {
  const ConstProportionalView view(slot);
  return view.hold_marks() != 255 && std::uint64_t{slot.rt} * view.hold_intervals() >=
                                         std::uint64_t{2} * view.hold_marks() * registers.r_hai;
}

/// Ticks without a mark after which a hold ends even if no unmarked packet was reported: an
/// interval, and an eighth of the hold so far. With a promised clear notification, silence only
/// tells that the flow's packets wait behind others, so the time is one that drains any buffer.
std::uint32_t patience(ConstProportionalView slot, std::uint32_t interval) {
  const std::uint32_t ticks = slot.clear_promised()
                                  ? interval << kPromisedShift
                                  : interval + interval * (slot.hold_intervals() - 1u) / 8;
  return std::min(kMaxDelta, ticks);  // ticks beyond kMaxDelta are not counted
}

void begin_hold(ProportionalView slot, bool clear_promised) {
  slot.hold_intervals() = 1;
  slot.hold_marks() = 0;
  slot.set_clear_promised(clear_promised);
  slot.set_account(0);
}

void end_hold(ProportionalView slot, std::uint8_t fast_intervals) {
  slot.begin_fast_phase(fast_intervals);
  slot.silent_intervals() = 0;
  slot.sent() = 0;
  slot.set_account(0);
}

void cut(SlotParameters& slot, std::uint8_t marks, bool first, LawPort& port) {
  // The proportional law does not use alpha, so the request passes any value.
  const DecreaseResult result =
      port.decrease({slot.rc, slot.rt, slot.alpha, 0, slot.dscp, marks, first});
  slot.rc = result.rc;
  slot.rt = result.rt;
}

/// A step of a hold: the current rate is FIRST_CUT of the target, and the target is halved.
void hold_step(SlotParameters& slot, LawPort& port) {
  slot.rc = slot.rt;
  cut(slot, 0, true, port);
}

bool increase(SlotParameters& slot, std::uint32_t packets, LawPort& port) {
  const IncreaseResult result =
      port.increase({slot.rc, slot.rt, slot.dscp, IncreaseStage::kAdditive, packets});
  slot.rc = result.rc;
  slot.rt = result.rt;
  return result.at_maximum;
}
}  // namespace

ProportionalLaw::ProportionalLaw()
    : Law(DCC_CTRL_LAW_PROPORTIONAL, "proportional", "bandwidth follows the weights of the DSCPs") {
}

// ---- Contents of registers and tables -----------------------------------------------------------

// Increase by a free-running timer and cuts by marks, without stages and without a byte counter.
void ProportionalLaw::set_defaults(DccParameters& p) const {
  p.f = 0;
  p.byte_counter = 0;
  p.timer_restart = false;
  p.r_ai = BitRate(13'700'000);
  // 0.9 packets of 1000 B in a timer interval; fit() adapts the value to the packet size
  p.r_hai = 550_Mbps;
  p.r_min = 5_Mbps;
  p.mi = Ratio(0);
  p.g = Ratio(4, 5);
  p.increase_timer = kMicroSecond * 14;
  p.first_cut = Ratio(1, 28);
  p.brisk = 95;
  p.initial_window = Ratio(11, 10);
  p.decrease_period = kMicroSecond * 5;
}

void ProportionalLaw::set_defaults(CnpParameters& cnp) const {
  cnp.interval = kMicroSecond * 2;
  cnp.carry_marks = true;
}

void ProportionalLaw::fit(dcc_parameters& registers, const LawNetwork& network) const {
  // R_HAI is the rate of one packet in an interval, whatever the size of a packet.
  registers.r_hai = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      DCC_R_HAI_VALUE_MASK, std::uint64_t{registers.r_hai} * network.mtu / 1000));
  // A flow at its maximum gives its slot back, and its next notification is a first one with a deep
  // cut. A heavy flow's fair share may be all of the link but a percent, so the maximum lies above
  // the rate of the link.
  if (!network.r_max_given) registers.r_max = network.line.raw + network.line.raw / 4;
  // A mark cuts half as much with each doubling of the rate beyond 100 Gb/s: the same share has
  // twice as many packets there.
  registers.mark_shift = kMarkShift;
  for (std::uint64_t rate = 200'000'000'000;
       rate <= network.slowest.bits_per_second && registers.mark_shift > 0; rate *= 2) {
    --registers.mark_shift;
  }
}

// A slower link has fewer packets to learn from, and marks more of them: r_ai goes with the rate to
// the power of 2/3, and 1 - g goes inversely, so that the greatest sum of weights goes with the
// rate. For faster links see MARK_SHIFT in fit().
void ProportionalLaw::follow_rate(DccParameters& p, BitRate slowest) const {
  const double of_100 = static_cast<double>(slowest.bits_per_second) / 100e9;
  if (of_100 >= 1) return;
  const double part = std::cbrt(of_100 * of_100);
  const auto in = [](double value, double unit) {
    return static_cast<std::uint64_t>(std::llround(value / unit));
  };
  p.r_ai = BitRate(std::max<std::uint64_t>(1, in(13.7e6 * part, 1e3)) * 1000);
  p.g = Ratio(part <= 0.2 ? 0 : in(1 - 0.2 / part, 1e-3), 1000);
}

// Steps four times as great need a delay that is shorter than an interval. With a longer delay two
// flows may oscillate for good, and the start of a flow is reported slowly anyway.
//
// The part of a cut that returns damps the queue best when it stays for about twice the delay of
// the feedback: 3/2 of an interval is that at 4/3 of the delay. Beyond kLongest a start, whose hold
// may last for 160 intervals, would need too long. R_HAI stays the rate of a packet in an interval.
void ProportionalLaw::follow_distance(DccParameters& p, PicoSeconds feedback) const {
  constexpr PicoSeconds kLongest = kMicroSecond * 512;
  const PicoSeconds before = p.increase_timer;
  if (feedback <= before) return;
  const std::int64_t microseconds =
      (feedback.count * 4 / 3 + kMicroSecond.count - 1) / kMicroSecond.count;
  p.increase_timer = std::min(kLongest, kMicroSecond * microseconds);
  p.r_hai = BitRate(p.r_hai.bits_per_second * static_cast<std::uint64_t>(before.count) /
                    static_cast<std::uint64_t>(p.increase_timer.count));
  p.first_cut = Ratio(1, 24);
  p.brisk = 0;
  p.initial_window = Ratio(3, 2);
}

// ---- Events of a slot ---------------------------------------------------------------------------

CnpOutcome ProportionalLaw::notify(SlotParameters& slot, const CnpEvent& cnp, LawPort& port) const {
  const ControllerParameters& parameters = port.parameters();
  ProportionalView view(slot);
  const auto finish_hold = [&] {
    end_hold(view, parameters.brisk);
    slot.rc = slot.rt;
  };
  if (cnp.marks == 0) {  // handles a clear notification
    if (!view.holding()) return CnpOutcome::kIgnored;
    finish_hold();
    return CnpOutcome::kHoldEnded;
  }
  // In the first interval of a hold, marks belong to packets that were sent before the cut, so they
  // are not counted.
  if (!cnp.first && view.hold_intervals() == 1 && cnp.delta < parameters.decrease_period) {
    return CnpOutcome::kCoalesced;
  }
  slot.dscp = cnp.dscp;
  if (view.holding()) {
    if (cnp.packets > cnp.marks) {  // at least one packet arrived without a mark
      finish_hold();
    } else {
      view.hold_marks() = static_cast<std::uint8_t>(std::min(255, view.hold_marks() + cnp.marks));
    }
    return CnpOutcome::kCut;
  }
  count_notification(view, cnp, parameters.rate.g);
  const bool may_hold = parameters.rate.first_cut != 0;
  if (!cnp.first || !may_hold) {
    const int marks = cnp.marks << (view.fast_phase() ? kFastShift : 0);
    cut(slot, static_cast<std::uint8_t>(std::min(255, marks)), cnp.first, port);
  }
  if (may_hold && (cnp.first || swamped(slot, parameters.rate))) {
    // A receiver that reported marked packets only also reports the first unmarked packet (clear
    // notification).
    begin_hold(view, cnp.first && cnp.packets == cnp.marks);
    hold_step(slot, port);
  }
  return CnpOutcome::kCut;
}

void ProportionalLaw::sent(SlotParameters& slot, std::uint32_t /*length*/, std::uint32_t packets,
                           const ControllerParameters& /*parameters*/) const {
  ProportionalView view(slot);
  if (view.holding()) return;
  for (std::uint32_t i = 0; i < packets; ++i) {
    view.sent() = std::min(kOne16, view.sent() + 1);
    add_to_account(view, kPacket);
    view.silent_intervals() = 0;
  }
}

bool ProportionalLaw::timer(SlotParameters& slot, std::uint32_t delta, LawPort& port) const {
  const ControllerParameters& parameters = port.parameters();
  ProportionalView view(slot);
  if (view.holding()) {
    // At a large sum of weights nearly all packets stay marked, and a flow that waits for an
    // unmarked packet without limit would starve.
    const bool too_long = view.hold_intervals() >= ProportionalView::kMaxHold;
    if (delta < patience(ConstProportionalView(slot), parameters.timer_interval) && !too_long) {
      // Marks show the delivery rate only for the interval in which they arrived.
      if (delta < parameters.timer_interval && overrated(slot, parameters.rate)) {
        hold_step(slot, port);
      }
      view.hold_intervals() = count_event(view.hold_intervals());
      return false;
    }
    end_hold(view, parameters.brisk);
    return increase(slot, take_unmarked(slot, parameters), port);
  }
  const std::uint8_t fast_left = view.fast_intervals_left();
  // Marked and unmarked packets bring a flow to its rate, so the fast phase must last for a number
  // of packets. A slow flow sends no packet in most intervals; these intervals do not shorten its
  // fast phase. A silent flow's do, so that the phase of a flow without data ends.
  const bool counts = view.silent_intervals() == 0 || is_silent(slot, parameters);
  const std::uint32_t unmarked = take_unmarked(slot, parameters);
  const std::uint32_t packets =
      std::min(kPacketsMax, unmarked << (fast_left != 0 ? kFastShift : 0));
  if (fast_left != 0 && counts) {
    view.begin_fast_phase(static_cast<std::uint8_t>(fast_left - 1));
  }
  return increase(slot, packets, port);
}

// ---- Arithmetic of the rate unit ----------------------------------------------------------------

StepPart StepPart::at(RateBits target) {
  if (target >> 17 != 0) return {16, 0};
  std::uint32_t places = 0;
  while (places < 6 && target >> (16 - places) == 0) ++places;
  return {std::max(8u, target >> (13 - places)), places};
}

std::uint32_t step_halvings(PicoSeconds interval) {
  std::uint32_t halvings = 0;
  for (PicoSeconds at = kShort; at < interval && halvings < 4; at = at * 2) ++halvings;
  return halvings;
}

namespace {
// log2 of the argument of the decrease table from which on a cut by marks takes the whole rate
constexpr std::uint32_t kWholeShift = 14;
constexpr std::uint32_t kWhole = 1u << kWholeShift;

// The amount of a cut as the target rate counts it. Marks beyond those that take the whole current
// rate count, too: a light flow would otherwise keep more than its share in the fast phase, in
// which one of its marks may take more than the whole rate. These marks count up to twice the rate
// below 256 Mb/s of target and up to four times the rate below 128 Mb/s. There StepPart is less
// than a half and a quarter, so no cut takes more than a quarter of the current rate off the
// target.
std::uint64_t amount_of(const RateCut& cut, const DecreaseRequest& request) {
  if (cut.multiplier != 0) return cut.taken;
  const std::uint32_t most = kWhole << std::min(2u, StepPart::at(request.rt).places);
  const std::uint64_t counted = std::clamp(cut.argument, kWhole, most);
  return std::min<std::uint64_t>(0xFFFFFFFF, request.rc * counted >> kWholeShift);
}
}  // namespace

// A cut takes only a part of its amount off the target, so the next increase returns the rest:
// three quarters, and more at low rates. A first cut halves the target.
RateBits ProportionalLaw::cut_target(const DecreaseRequest& request, const RateCut& cut,
                                     RateBits lo) const {
  const std::uint64_t lasting =
      cut.first ? request.rt >> 1 : StepPart::at(request.rt).of(amount_of(cut, request)) >> 2;
  return static_cast<RateBits>(
      std::max<std::uint64_t>(lo, request.rt - std::min<std::uint64_t>(request.rt, lasting)));
}

// The increase is one step for each packet, whatever the weight of the DSCP.
std::uint64_t ProportionalLaw::added(const IncreaseRequest& request, std::uint32_t step,
                                     const RateTables& /*tables*/) const {
  return StepPart::at(request.rt)
      .of(std::min<std::uint64_t>(0xFFFFFFFF, std::uint64_t{step} * request.packets));
}

}  // namespace dcc
