// Faults: what a user asks for (FaultParameters), and what Link::set_loss_hook takes.
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
  kLoss,      // packets vanish from links
  kCnpLoss,   // CNPs of one flow vanish
  kLinkDown,  // a link carries nothing for a while, and nobody notices
  // Both ends see these at once, and all routes follow `convergence` later (switch/live_fabric.h):
  kLinkFailure,  // a cable carries nothing, for good or until it is mended
  kLinkFlap,     // … again and again
  kLinkSlow,     // a link sends at another rate
  kMemoryFlip,   // of no link: a bit of a host's memory turns over
};
DCC_ENUM_NAMES(FaultKind, {FaultKind::kLoss, "loss"}, {FaultKind::kCnpLoss, "cnp_loss"},
               {FaultKind::kLinkDown, "link_down"}, {FaultKind::kLinkFailure, "link_failure"},
               {FaultKind::kLinkFlap, "link_flap"}, {FaultKind::kLinkSlow, "link_slow"},
               {FaultKind::kMemoryFlip, "memory_flip"});

/// Which packets a loss is for.
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
  std::string link = "all";  // a wire's name, or all; of those that are noticed a cable's, too
  Ratio probability{0};
  LossOf packets = LossOf::kAll;  // kLoss
  std::uint32_t flow = 0;         // kCnpLoss
  PicoSeconds start{0};
  std::optional<PicoSeconds> stop;  // empty: with the run
  PicoSeconds convergence = kMilliSecond;
  PicoSeconds down = kMilliSecond;  // kLinkFlap: so long, then `up`
  PicoSeconds up = kMilliSecond * 9;
  BitRate rate{10'000'000'000};  // kLinkSlow
  // kMemoryFlip:
  PicoSeconds at{0};
  HostId host = 0;
  Address address;  // of a byte, as the host's software sees it
  std::uint32_t bit = 0;

  void describe(ParameterVisitor& v);
  /// Throws ParameterError, with an empty key for the entry as a whole.
  void check() const;
  /// On every wire: a lost CNP is lost wherever it is.
  bool everywhere() const { return link == "all" || kind == FaultKind::kCnpLoss; }
  /// Devices and routes hear of it.
  bool is_noticed() const {
    return kind == FaultKind::kLinkFailure || kind == FaultKind::kLinkFlap ||
           kind == FaultKind::kLinkSlow;
  }
  /// Wires lose packets by it (fault_hook).
  bool is_on_wires() const { return !is_noticed() && kind != FaultKind::kMemoryFlip; }
};

/// When a fault is there: from `start` (included) to `stop`.
struct FaultWindow {
  PicoSeconds start{};
  PicoSeconds stop = PicoSeconds::max();

  bool contains(PicoSeconds t) const { return start <= t && t < stop; }
};

// All of them spare PFC and credit frames. Real ports repeat these while a pause lasts and let it
// lapse when nothing comes, so that a lost one does no lasting harm; the models send each change
// once.

/// Every packet of the kind is lost with probability q32 / 2^32, each independently. `index` tells
/// links apart.
Link::LossHook lose_randomly(const Scheduler& scheduler, FaultWindow window, std::uint64_t q32,
                             std::uint64_t seed, std::uint64_t index, LossOf of = LossOf::kAll);

/// The CNPs of one flow are lost, nothing else.
Link::LossHook lose_cnps(const Scheduler& scheduler, FaultWindow window, std::uint32_t flow);

/// The wire is cut: whatever is sent is lost.
Link::LossHook cut(const Scheduler& scheduler, FaultWindow window);

/// The fault on the wire number `index`; of those that nobody notices.
Link::LossHook fault_hook(const FaultParameters& fault, const Scheduler& scheduler,
                          std::uint64_t seed, std::uint64_t index);

/// Several faults on one link. All see every packet, so that one does not change another's draws.
Link::LossHook combine(std::vector<Link::LossHook> faults);

}  // namespace dcc
