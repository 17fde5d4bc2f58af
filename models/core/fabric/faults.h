// Faults: their parameters, and the loss hooks that put them on links (Link::set_loss_hook).
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
  kLinkDown,  // a link carries nothing for a time, and no device detects it
  // Faults that both ends of a link detect at once; all routes change after `convergence`
  // (switch/live_fabric.h):
  kLinkFailure,  // a cable carries nothing, until it is repaired
  kLinkFlap,     // a cable fails and is repaired periodically
  kLinkSlow,     // a link sends at another rate
  kMemoryFlip,   // not on a link: one bit of a host's memory inverts
  kPauseStorm,   // likewise: a NIC pauses its switch without reason
};
DCC_ENUM_NAMES(FaultKind, {FaultKind::kLoss, "loss"}, {FaultKind::kCnpLoss, "cnp_loss"},
               {FaultKind::kLinkDown, "link_down"}, {FaultKind::kLinkFailure, "link_failure"},
               {FaultKind::kLinkFlap, "link_flap"}, {FaultKind::kLinkSlow, "link_slow"},
               {FaultKind::kMemoryFlip, "memory_flip"}, {FaultKind::kPauseStorm, "pause_storm"});

/// The packets that a loss applies to.
enum class LossOf : std::uint8_t {
  kAll,
  kData,
  kControl,  // ACKs, NAKs and notifications
};
DCC_ENUM_NAMES(LossOf, {LossOf::kAll, "all"}, {LossOf::kData, "data"},
               {LossOf::kControl, "control"});

/// One entry of the list of faults.
struct FaultParameters {
  FaultKind kind = FaultKind::kLoss;
  std::string link = "all";  // name of a wire, or all; of a cable for faults that are noticed
  Ratio probability{0};
  LossOf packets = LossOf::kAll;  // kLoss
  std::uint32_t flow = 0;         // kCnpLoss
  PicoSeconds start{0};
  std::optional<PicoSeconds> stop;  // end of the fault; empty: end of the run
  PicoSeconds convergence = kMilliSecond;
  PicoSeconds down = kMilliSecond;  // kLinkFlap: down for this time, then up for `up`
  PicoSeconds up = kMilliSecond * 9;
  BitRate rate{10'000'000'000};  // kLinkSlow
  // kMemoryFlip:
  PicoSeconds at{0};
  HostId host = 0;
  Address address;  // address of the byte on the host's bus
  std::uint32_t bit = 0;
  std::uint8_t priorities = 1u << 3;  // kPauseStorm, of `host`; bit p: priority p

  void describe(ParameterVisitor& v);
  /// Throws ParameterError, with an empty key for the entry as a whole.
  void check() const;
  /// True if the fault applies to every wire, as the loss of CNPs always does.
  bool everywhere() const { return link == "all" || kind == FaultKind::kCnpLoss; }
  /// True if devices detect the fault and routes change.
  bool is_noticed() const {
    return kind == FaultKind::kLinkFailure || kind == FaultKind::kLinkFlap ||
           kind == FaultKind::kLinkSlow;
  }
  /// True if wires lose packets (fault_hook).
  bool is_on_wires() const {
    return !is_noticed() && kind != FaultKind::kMemoryFlip && kind != FaultKind::kPauseStorm;
  }
};

/// The time of a fault: from `start` (included) to `stop` (excluded).
struct FaultWindow {
  PicoSeconds start{};
  PicoSeconds stop = PicoSeconds::max();

  bool contains(PicoSeconds t) const { return start <= t && t < stop; }
};

// No hook drops PFC and credit frames. Real ports repeat these frames while a pause lasts, and a
// pause expires without them, so one lost frame does no lasting harm; the models send each change
// once.

/// Drops every packet of the kind with probability q32 / 2^32, independently. `index`: number of
/// the link, for its random numbers.
Link::LossHook lose_randomly(const Scheduler& scheduler, FaultWindow window, std::uint64_t q32,
                             std::uint64_t seed, std::uint64_t index, LossOf of = LossOf::kAll);

/// Drops the CNPs of one flow.
Link::LossHook lose_cnps(const Scheduler& scheduler, FaultWindow window, std::uint32_t flow);

/// Drops every packet.
Link::LossHook cut(const Scheduler& scheduler, FaultWindow window);

/// The loss hook of a fault for wire number `index`. Precondition: fault.is_on_wires().
Link::LossHook fault_hook(const FaultParameters& fault, const Scheduler& scheduler,
                          std::uint64_t seed, std::uint64_t index);

/// Combines several faults of one link. Each fault sees every packet, so the random numbers of one
/// fault do not depend on the others.
Link::LossHook combine(std::vector<Link::LossHook> faults);

}  // namespace dcc
