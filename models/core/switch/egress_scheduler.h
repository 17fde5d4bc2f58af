// The choice among the eight priorities of an egress port.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "describe/enum_names.h"
#include "sim/state_digest.h"
#include "switch/credit_shaper.h"
#include "switch/vl_arbitration.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

class ParameterVisitor;

struct EgressSchedulerParameters {
  enum class Kind : std::uint8_t {
    kFifo,    // priorities that may send take turns, packet by packet
    kStrict,  // strict priority: the highest number is sent first
    kEts,     // 802.1Qaz: priorities with weight 0 are strict and first; the others share by weight
    // InfiniBand's virtual lane arbitration by two tables (switch/vl_arbitration.h)
    kVlArbitration,
  };
  static constexpr std::uint32_t kMaxWeight = 10'000;
  Kind kind = Kind::kFifo;
  // weight of each priority (kEts), 0 to kMaxWeight
  std::array<std::uint32_t, kPriorities> weights{1, 1, 1, 1, 1, 1, 1, 1};
  VlArbitrationParameters vl;
  /// A credit-based shaper limits one priority to a rate; the port serves this priority before
  /// weighted ones.
  struct Shaper {
    unsigned priority = 0;
    BitRate idle_slope{1'000'000'000};
  };
  std::vector<Shaper> shapers;  // shapers of priorities (kStrict, kEts)

  void describe(ParameterVisitor& v);
  /// Throws ParameterError if the scheduler's values contradict each other.
  void check() const;
};

DCC_ENUM_NAMES(EgressSchedulerParameters::Kind, {EgressSchedulerParameters::Kind::kFifo, "fifo"},
               {EgressSchedulerParameters::Kind::kStrict, "strict"},
               {EgressSchedulerParameters::Kind::kEts, "ets"},
               {EgressSchedulerParameters::Kind::kVlArbitration, "vl_arbitration"});

/// Work-conserving scheduler of an egress port, which picks among the priorities that have a packet
/// and may send. Weighted priorities share bytes by surplus round robin (a form of deficit round
/// robin): a priority sends while its balance is positive; the balance may become negative by part
/// of a packet, which reduces the next round.
class EgressScheduler {
 public:
  EgressScheduler() = default;
  /// Makes a scheduler; throws std::invalid_argument when a weight is above 10000 or kEts has no
  /// weight at all.
  explicit EgressScheduler(const EgressSchedulerParameters& parameters);

  /// Replaces the weights of priorities; their balances stay. Throws as the constructor does, and
  /// for another kind of scheduler.
  void change_weights(const EgressSchedulerParameters& parameters);
  /// Replaces the tables of virtual lane arbitration; service begins at the first entries. Throws
  /// std::invalid_argument for another kind of scheduler, ParameterError for tables without a
  /// weight.
  void set_tables(const VlArbitrationParameters& tables);

  /// True if some priority is shaped. pick() then takes only priorities that the shaper releases.
  bool shapes() const { return shapes_; }
  CreditShaper& shaper() { return shares_->shaper; }
  const CreditShaper& shaper() const { return shares_->shaper; }

  /// Returns the priority that sends next. Bit p of `eligible`: priority p has a packet and may
  /// send. Precondition: `eligible` is not 0.
  int pick(unsigned eligible) {
    if (kind_ == EgressSchedulerParameters::Kind::kFifo) return last_ = next_after(last_, eligible);
    const unsigned strict = eligible & unsigned{strict_};
    if (strict != 0) return 31 - __builtin_clz(strict);
    return pick_weighted(eligible);
  }
  /// Charges the picked priority for a packet of this many wire bytes.
  void charge(int priority, Bytes bytes) {
    if (shares_ == nullptr) return;
    if (shares_->arbiter) {
      shares_->arbiter->charge(bytes);
    } else {
      shares_->balance[static_cast<std::size_t>(priority)] -= bytes;
    }
  }
  /// The queue of a priority became empty: a positive balance is lost.
  void emptied(int priority) {
    if (shares_ == nullptr) return;
    Bytes& balance = shares_->balance[static_cast<std::size_t>(priority)];
    if (balance > 0) balance = 0;
  }
  void add_state(StateDigest& d) const {
    d(last_);
    if (shares_ != nullptr) d(shares_->balance, shares_->arbiter, shares_->shaper);
  }

 private:
  static std::uint8_t next_after(int last, unsigned eligible) {
    const unsigned above = eligible & ~((2u << last) - 1u);
    return static_cast<std::uint8_t>(__builtin_ctz(above != 0 ? above : eligible));
  }
  int pick_weighted(unsigned eligible);
  void set_weights(const std::array<std::uint32_t, kPriorities>& weights);

  struct Shares {
    std::array<Bytes, kPriorities> quantum{};
    std::array<Bytes, kPriorities> balance{};
    // arbiter that replaces quantum and balance under kVlArbitration
    std::optional<VlArbiter> arbiter;
    CreditShaper shaper;
  };
  // State of weights and shapers; null unless kEts, kVlArbitration or shapers are used, to keep
  // this class small within a port.
  std::unique_ptr<Shares> shares_;
  EgressSchedulerParameters::Kind kind_ = EgressSchedulerParameters::Kind::kFifo;
  std::uint8_t strict_ = 0;
  std::uint8_t last_ = kPriorities - 1;
  bool shapes_ = false;
};

}  // namespace dcc
