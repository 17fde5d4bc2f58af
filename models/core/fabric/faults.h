// Faults of a simulated network: parameters, and loss hooks that apply faults to links
// (Link::set_loss_hook).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "describe/quantities.h"
#include "describe/visitor.h"
#include "sim/random.h"
#include "sim/scheduler.h"
#include "units.h"
#include "wire/link.h"

namespace dcc {

enum class FaultKind : std::uint8_t {
  kLoss,      // packets are lost on links
  kCnpLoss,   // CNPs of one flow are lost
  kLinkDown,  // a link carries nothing for a time, and no device detects the outage
  // Both ends of a link detect the next three faults at once. Routes change after `convergence`, or
  // for failures when a subnet manager changes them (switch/live_fabric.h):
  kLinkFailure,  // a cable carries nothing until the cable is repaired
  kLinkFlap,     // a cable fails and is repaired periodically
  kLinkSlow,     // a link sends at another rate than configured
  // No device detects these faults, and they change no route:
  kMemoryFlip,  // a bit of a host's memory inverts; this fault concerns no link
  kPauseStorm,  // a NIC sends PFC pause frames to its switch without a reason
};
DCC_ENUM_NAMES(FaultKind, {FaultKind::kLoss, "loss"}, {FaultKind::kCnpLoss, "cnp_loss"},
               {FaultKind::kLinkDown, "link_down"}, {FaultKind::kLinkFailure, "link_failure"},
               {FaultKind::kLinkFlap, "link_flap"}, {FaultKind::kLinkSlow, "link_slow"},
               {FaultKind::kMemoryFlip, "memory_flip"}, {FaultKind::kPauseStorm, "pause_storm"});

/// The kinds of packets that a loss fault drops.
enum class LossOf : std::uint8_t {
  kAll,
  kData,
  kControl,  // drops ACKs, NAKs and notifications
};
DCC_ENUM_NAMES(LossOf, {LossOf::kAll, "all"}, {LossOf::kData, "data"},
               {LossOf::kControl, "control"});

/// Parameters of one fault, an entry of the list of faults.
struct FaultParameters {
  FaultKind kind = FaultKind::kLoss;
  // name of the wire with the fault, or "all"; for faults that devices detect, name of the cable
  std::string link = "all";
  Ratio probability{0};
  LossOf packets = LossOf::kAll;  // kind of packets that a kLoss fault drops
  std::uint32_t flow = 0;         // number of the flow whose CNPs a kCnpLoss fault drops
  PicoSeconds start{0};
  std::optional<PicoSeconds> stop;  // end of the fault; empty: end of the run
  PicoSeconds convergence = kMilliSecond;
  // duration of each outage of a kLinkFlap fault, which is followed by `up` without outage
  PicoSeconds down = kMilliSecond;
  PicoSeconds up = kMilliSecond * 9;
  BitRate rate{10'000'000'000};  // rate of the link during a kLinkSlow fault
  // Time of a kMemoryFlip fault:
  PicoSeconds at{0};
  HostId host = 0;
  Address address;  // address of the byte with the inverted bit, on the host's bus
  std::uint32_t bit = 0;
  // priorities that a kPauseStorm fault pauses, as a mask: bit p is priority p
  std::uint8_t priorities = 1u << 3;

  void describe(ParameterVisitor& v);
  /// Throws ParameterError if values of the fault contradict each other, with an empty key if the
  /// error concerns the fault as a whole.
  void check() const;
  /// True if the fault applies to every wire; a loss of CNPs always applies to all wires.
  bool everywhere() const { return link == "all" || kind == FaultKind::kCnpLoss; }
  /// True if the devices at the link detect the fault, so that routes change.
  bool is_noticed() const {
    return kind == FaultKind::kLinkFailure || kind == FaultKind::kLinkFlap ||
           kind == FaultKind::kLinkSlow;
  }
  /// True if the fault makes wires lose packets (fault_hook).
  bool is_on_wires() const {
    return !is_noticed() && kind != FaultKind::kMemoryFlip && kind != FaultKind::kPauseStorm;
  }
};

/// The time span in which a fault acts: from `start` (included) to `stop` (excluded).
struct FaultWindow {
  PicoSeconds start{};
  PicoSeconds stop = PicoSeconds::max();

  bool contains(PicoSeconds t) const { return start <= t && t < stop; }
};

// No hook drops PFC and credit frames. Real ports repeat these frames while a pause lasts, and a
// pause expires without them, so one lost frame does no lasting harm; the models send each change
// once.

/// Drops each packet of the given kind independently with probability q32 / 2^32. `index`: number
/// of the link, which selects its random numbers.
Link::LossHook lose_randomly(const Scheduler& scheduler, FaultWindow window, std::uint64_t q32,
                             std::uint64_t seed, std::uint64_t index, LossOf of = LossOf::kAll);

/// Drops the CNPs of one flow during the window.
Link::LossHook lose_cnps(const Scheduler& scheduler, FaultWindow window, std::uint32_t flow);

/// Drops every packet on the link during the window.
Link::LossHook cut(const Scheduler& scheduler, FaultWindow window);

/// Makes the loss hook of a fault for wire number `index`. Precondition: fault.is_on_wires().
Link::LossHook fault_hook(const FaultParameters& fault, const Scheduler& scheduler,
                          std::uint64_t seed, std::uint64_t index);

/// Combines several faults of one link. Each fault sees every packet, so the random numbers of one
/// fault do not depend on the others.
Link::LossHook combine(std::vector<Link::LossHook> faults);

}  // namespace dcc
