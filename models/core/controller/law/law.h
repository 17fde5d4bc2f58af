// A law of the controller: the rules by which the rate of a slot follows congestion notifications,
// bytes and time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "controller/controller_statistics.h"
#include "controller/parameter_store.h"
#include "controller/parameters.h"
#include "controller/policy.h"
#include "controller/rate_engine.h"
#include "driver/dcc_regs.h"

namespace dcc {

/// One congestion notification for a bound flow.
struct CnpEvent {
  std::uint8_t dscp = 0;
  std::uint8_t marks = 1;    // number of CE marks that the notification stands for
  std::uint8_t packets = 0;  // number of packets since the previous notification; 0: unknown
  bool first = false;        // true if the notification has just bound the slot
  std::uint32_t delta = 0;   // ticks since the slot's last cut; 0 if `first`
};

/// Effect that a congestion notification has on a slot under a law.
enum class CnpOutcome : std::uint8_t {
  kIgnored,    // the notification changed nothing
  kCoalesced,  // the notification changed no rate and counts as coalesced
  kCut,        // the notification cut the rate, and its tick becomes the time of the last cut
  kHoldEnded,  // the notification ended a hold; the rate is back at its target
};

/// Port through which a law, while handling an event, accesses the parameters and the rate unit
/// with its counters.
class LawPort {
 public:
  LawPort(const ControllerParameters& parameters, RateEngine& rates, ControllerStatistics& counts)
      : parameters_(parameters), rates_(rates), counts_(counts) {}

  const ControllerParameters& parameters() const { return parameters_; }
  DecreaseResult decrease(const DecreaseRequest& request) {
    ++counts_.rate_decreases;
    return rates_.decrease(request);
  }
  IncreaseResult increase(const IncreaseRequest& request) {
    ++counts_.rate_increases;
    return rates_.increase(request);
  }

 private:
  const ControllerParameters& parameters_;
  RateEngine& rates_;
  ControllerStatistics& counts_;
};

/// A cut of a slot's current rate, from which a law calculates the target rate.
struct RateCut {
  std::uint64_t taken = 0;     // current rate before the cut minus current rate after it
  Fraction16 multiplier = 0;   // factor by which the cut multiplied the current rate
  std::uint32_t argument = 0;  // argument of the decrease table, 0 … 65536
  bool first = false;          // true if FIRST_CUT set the multiplier
};

/// Properties of the network that a law's registers are made for.
struct LawNetwork {
  Rate line;              // rate of the host's own link
  BitRate slowest;        // rate of the slowest link of the network
  std::uint32_t mtu = 0;  // payload bytes of a full packet
  bool r_max_given = false;
};

/// Base of all laws. A law is a constant without state: all state stands in the slot, which the law
/// accesses through a view with the law's own names (law/dcqcn.h, law/proportional.h).
///
/// A new law is one header and one source file in this folder: a class derived from Law, and a
/// namespace-scope constant of this class. CTRL.LAW (bit 0) and CTRL.LAW_HIGH (bits 3 to 1) hold
/// the law's number. The hardware implements the laws 0 and 1; laws from 2 on run in the model
/// alone.
class Law : public Policy {
 public:
  static constexpr std::uint32_t kNumbers = 16;

  /// Registers the law; throws std::logic_error if another law has the number or another policy has
  /// the name.
  Law(std::uint8_t number, const char* name, const char* description);

  std::uint8_t number() const { return number_; }
  /// True if the hardware implements the law.
  bool in_hardware() const { return number_ < 2; }
  const Law* law() const final { return this; }

  // ---- Contents of registers and tables -----------------------------------------------------
  /// True if bandwidth follows the weights of the DSCPs. Such a law needs the number of marked
  /// packets in each CNP.
  virtual bool shares_by_weight() const { return false; }
  /// True if the decrease table is indexed by the number of marks, not by alpha
  /// (CTRL.CUT_BY_MARKS).
  virtual bool cuts_by_marks() const { return false; }
  /// Difference between consecutive entries of the decrease table, in 1.16 fixed point; the entries
  /// fall to 0.
  virtual std::uint32_t decrease_step() const = 0;
  /// Keys of those parameters of nic.congestion_control that have registers but are not used by the
  /// law.
  virtual std::vector<std::string> unused_keys() const { return {}; }
  /// Adapts the law's registers that depend on the network.
  virtual void fit(dcc_parameters& /*registers*/, const LawNetwork& /*network*/) const {}
  /// Replaces the law's defaults for a network whose slowest link is `slowest`.
  virtual void follow_rate(DccParameters& /*parameters*/, BitRate /*slowest*/) const {}
  /// Replaces the law's defaults for a network in which a mark reaches the sender a time `feedback`
  /// after the packet was sent. This time is the longest round trip without queues, plus the queue
  /// at Kmin if marks are set at enqueue.
  virtual void follow_distance(DccParameters& /*parameters*/, PicoSeconds /*feedback*/) const {}

  // ---- Events of a slot ----------------------------------------------------------------------
  // Initialises a slot that was just bound; its rates and DSCP are set, all other fields are 0.
  virtual void begin(SlotParameters& slot, const ControllerParameters& parameters) const = 0;
  /// True if a notification with this number of marks binds a flow without a slot.
  virtual bool binds(std::uint8_t /*marks*/) const { return true; }
  virtual CnpOutcome notify(SlotParameters& slot, const CnpEvent& cnp, LawPort& port) const = 0;
  /// True if bytes over BYTE_THRESHOLD lead to a rate increase (byte_event).
  virtual bool increases_by_bytes() const { return false; }
  /// Handles packets that were sent without exceeding BYTE_THRESHOLD, which are only counted.
  virtual void sent(SlotParameters& slot, std::uint32_t length, std::uint32_t packets,
                    const ControllerParameters& parameters) const = 0;
  /// Handles sent packets of `length` bytes that exceed BYTE_THRESHOLD.
  virtual void byte_event(SlotParameters& /*slot*/, std::uint32_t /*length*/,
                          LawPort& /*port*/) const {}
  /// Handles the end of a slot's timer interval. `delta`: ticks since the last rate cut. Returns
  /// true if the rate is at its maximum, so that the slot is to be released.
  virtual bool timer(SlotParameters& slot, std::uint32_t delta, LawPort& port) const = 0;

  // ---- Arithmetic of the rate unit (docs/architecture.md, "Rate unit") -----------------------
  /// Returns the target rate after a cut, at least `lo` if the law lowers it.
  virtual RateBits cut_target(const DecreaseRequest& request, const RateCut& cut,
                              RateBits lo) const = 0;
  /// Returns the amount by which an increase raises the target rate. `step`: R_AI, R_HAI or 0.
  virtual std::uint64_t added(const IncreaseRequest& request, std::uint32_t step,
                              const RateTables& tables) const = 0;
  /// Returns the current rate after an increase that has raised the target rate to `target`.
  virtual std::uint64_t raised(RateBits rc, RateBits target) const = 0;

  /// True if a registered law has a number that the hardware does not implement.
  static bool beyond_hardware() {
    for (std::uint32_t i = 2; i < kNumbers; ++i) {
      if (table_[i] != nullptr) return true;
    }
    return false;
  }
  /// The law with a number. A number that no law has selects the law of the number's lowest bit, as
  /// in the hardware, which has only this bit.
  static const Law& of_number(std::uint32_t number) {
    const Law* const law = table_[number % kNumbers];
    return law != nullptr ? *law : *table_[number & 1];
  }

 protected:
  ~Law() = default;

 private:
  inline static std::array<const Law*, kNumbers> table_{};
  std::uint8_t number_;
};

/// The number of the law that a value of CTRL selects.
constexpr std::uint8_t law_number(std::uint32_t ctrl) {
  const std::uint32_t low = (ctrl & DCC_CTRL_LAW_MASK) >> DCC_CTRL_LAW_SHIFT;
  const std::uint32_t high = (ctrl & DCC_CTRL_LAW_HIGH_MASK) >> DCC_CTRL_LAW_HIGH_SHIFT;
  return static_cast<std::uint8_t>(high << 1 | low);
}

}  // namespace dcc
