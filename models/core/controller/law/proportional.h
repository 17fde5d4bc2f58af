// The proportional law: bandwidth follows the weights of the DSCPs, by counts of marked and of
// unmarked packets.
#pragma once

#include <algorithm>
#include <cstdint>

#include "controller/law/law.h"

namespace dcc {

/// View of a slot with the names of the proportional law for the bits of SlotParameters.
///
/// A slot is in one of three phases:
///     steady  packets and marks change the account
///     hold    the current rate is held down until the network's queue is drained. A slot's first
///                     notification begins a hold, and so do far more marks than the flow sends
///           packets (a
///                     queue that other flows fill)
///     fast    for BRISK intervals with a packet after a hold: packets and marks count four times,
///   so
///                     the flow finds the same equilibrium in a quarter of the time
///
/// bits         steady, fast                          hold pkt_length   account
/// 0 alpha        packets sent since the last CNP       1: a clear notification is promised t
/// 0; fast: 256 - intervals left         intervals of the hold so far, 1 to 160 bc
/// intervals without a packet            marks since the hold began
///
/// docs/differentiation.md, "The rules", has the reasons.
template <class Slot>
class BasicProportionalView {
 public:
  /// Greatest length of a hold in timer intervals.
  static constexpr std::uint8_t kMaxHold = 160;
  /// One packet in the account's unit, 1/256 packet.
  static constexpr std::int32_t kPacket = 256;

  explicit BasicProportionalView(Slot& slot) : slot_(slot) {}

  // ---- Phase --------------------------------------------------------------------------------
  bool holding() const { return slot_.t != 0 && slot_.t <= kMaxHold; }
  bool steady() const { return slot_.t == 0; }
  bool fast_phase() const { return slot_.t > kMaxHold; }
  /// Timer intervals that are left of the fast phase; 0 outside the fast phase.
  std::uint8_t fast_intervals_left() const {
    return fast_phase() ? static_cast<std::uint8_t>(256 - slot_.t) : std::uint8_t{0};
  }
  /// Begins a fast phase of `intervals` timer intervals; 0: begins the steady phase.
  void begin_fast_phase(std::uint8_t intervals) {
    slot_.t = static_cast<std::uint8_t>(256 - intervals);
  }

  // ---- Steady and fast ----------------------------------------------------------------------
  /// Packets that were sent, less G of each marked packet, since the last increase, in 1/256. An
  /// account below 0 stands for marks of packets that an earlier increase had counted.
  std::int32_t account() const { return static_cast<std::int32_t>(slot_.pkt_length); }
  void set_account(std::int32_t value) { slot_.pkt_length = static_cast<std::uint32_t>(value); }
  /// Packets that the flow sent since its last notification; saturates at 65536.
  auto& sent() const { return slot_.alpha; }
  /// Number of timer intervals in which the flow sent no packet; saturates at 255.
  auto& silent_intervals() const { return slot_.bc; }

  // ---- Hold ---------------------------------------------------------------------------------
  /// Intervals of the hold so far, the present one included.
  auto& hold_intervals() const { return slot_.t; }
  /// Number of CE marks since the hold began; saturates at 255.
  auto& hold_marks() const { return slot_.bc; }
  /// True if the receiver promised a clear notification for the first packet without a mark.
  bool clear_promised() const { return slot_.alpha != 0; }
  void set_clear_promised(bool promised) { slot_.alpha = promised ? 1 : 0; }

 private:
  Slot& slot_;
};
using ProportionalView = BasicProportionalView<SlotParameters>;
using ConstProportionalView = BasicProportionalView<const SlotParameters>;

/// The proportional law: rates rise by packets that were sent and not marked, and fall by marked
/// packets.
///
/// A notification without marks is a clear notification: a packet arrived without a mark after
/// marked packets only. A clear notification ends a hold and has no other effect.
///
/// In a hold the target rate is halved while it exceeds twice the delivered rate that the marks
/// indicate. At the end of a hold the current rate is set to the target rate.
class ProportionalLaw final : public Law {
 public:
  ProportionalLaw();

  void set_defaults(DccParameters& parameters) const override;
  void set_defaults(CnpParameters& cnp) const override;
  bool shares_by_weight() const override { return true; }
  bool cuts_by_marks() const override { return true; }
  std::uint32_t decrease_step() const override { return kOne16 / 64; }
  std::vector<std::string> unused_keys() const override {
    return {"f", "alpha_timer", "byte_counter", "initial_alpha", "clamp_target"};
  }
  void fit(dcc_parameters& registers, const LawNetwork& network) const override;
  void follow_rate(DccParameters& parameters, BitRate slowest) const override;
  void follow_distance(DccParameters& parameters, PicoSeconds feedback) const override;

  void begin(SlotParameters& /*slot*/, const ControllerParameters& /*parameters*/) const override {}
  bool binds(std::uint8_t marks) const override { return marks != 0; }
  CnpOutcome notify(SlotParameters& slot, const CnpEvent& cnp, LawPort& port) const override;
  void sent(SlotParameters& slot, std::uint32_t length, std::uint32_t packets,
            const ControllerParameters& parameters) const override;
  bool timer(SlotParameters& slot, std::uint32_t delta, LawPort& port) const override;

  RateBits cut_target(const DecreaseRequest& request, const RateCut& cut,
                      RateBits lo) const override;
  std::uint64_t added(const IncreaseRequest& request, std::uint32_t step,
                      const RateTables& tables) const override;
  std::uint64_t raised(RateBits /*rc*/, RateBits target) const override { return target; }
};

/// Factor by which the proportional law scales the steps of increases and the lasting part of cuts.
/// The factor is 1 at target rates from 512 Mb/s up; below, it is target / 512 Mb/s, rounded down
/// to the four highest bits of the target. The factor must not jump: if it halved at some target
/// rate, a rate that varies around this target would move more slowly below it than above, and the
/// mean rate would be too low.
struct StepPart {
  std::uint32_t sixteenths = 16;  // mantissa of the factor in sixteenths, 8 to 16
  std::uint32_t places = 0;       // right shift of the mantissa, at most 6

  static StepPart at(RateBits target);
  std::uint64_t of(std::uint64_t step) const { return step * sixteenths >> (4 + places); }
};

/// Number of times that the rate steps of a packet and of a mark are halved for a timer interval of
/// this length.
///
/// Rates and queue oscillate with a frequency proportional to the square root of the steps. The
/// period must stay several times the delay of the marks, to which the timer interval is
/// proportional. Both steps are halved, so that the equilibrium is the same.
std::uint32_t step_halvings(PicoSeconds interval);

}  // namespace dcc
