// Which of a port's eight priorities sends next.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "describe/enum_names.h"
#include "switch/credit_shaper.h"
#include "switch/vl_arbitration.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

class ParameterVisitor;

struct EgressSchedulerParameters {
  enum class Kind : std::uint8_t {
    kFifo,           // no preference: the priorities that may send take turns, packet by packet
    kStrict,         // the highest number first
    kEts,            // 802.1Qaz: weight 0 = strict, above the others; the others share by weight
    kVlArbitration,  // InfiniBand: switch/vl_arbitration.h
  };
  Kind kind = Kind::kFifo;
  std::array<std::uint32_t, kPriorities> weights{1, 1, 1, 1, 1, 1, 1, 1};  // kEts: in proportion
  VlArbitrationParameters vl;
  /// A priority that is shaped by credit: before those that share by weight, at most at this rate.
  struct Shaper {
    unsigned priority = 0;
    BitRate idle_slope{1'000'000'000};
  };
  std::vector<Shaper> shapers;  // kStrict, kEts

  void describe(ParameterVisitor& v);
  /// Throws ParameterError when values do not go together.
  void check() const;
};

DCC_ENUM_NAMES(EgressSchedulerParameters::Kind, {EgressSchedulerParameters::Kind::kFifo, "fifo"},
               {EgressSchedulerParameters::Kind::kStrict, "strict"},
               {EgressSchedulerParameters::Kind::kEts, "ets"},
               {EgressSchedulerParameters::Kind::kVlArbitration, "vl_arbitration"});

/// Picks among the priorities that have a packet and are not paused. Work-conserving. The weighted
/// ones share bytes by deficit round robin in its surplus form: a priority sends while its balance
/// is positive and may go into debt by part of a packet, which the next round pays back.
class EgressScheduler {
 public:
  EgressScheduler() = default;
  /// Throws std::invalid_argument when a weight is above 10000 or kEts has no weight at all.
  explicit EgressScheduler(const EgressSchedulerParameters& parameters);

  /// Other weights from now on; balances stay. Errors as above, the kind must be the same.
  void change_weights(const EgressSchedulerParameters& parameters);

  /// Some priority is shaped: pick() wants those that are released, and there may be none.
  bool shapes() const { return shapes_; }
  CreditShaper& shaper() { return shares_->shaper; }
  const CreditShaper& shaper() const { return shares_->shaper; }

  /// Bit p of `eligible` set: priority p has a packet and may send. Precondition: not 0.
  int pick(unsigned eligible) {
    if (kind_ == EgressSchedulerParameters::Kind::kFifo) return last_ = next_after(last_, eligible);
    const unsigned strict = eligible & unsigned{strict_};
    if (strict != 0) return 31 - __builtin_clz(strict);
    return pick_weighted(eligible);
  }
  /// The packet that was picked had this many wire bytes.
  void charge(int priority, Bytes bytes) {
    if (shares_ == nullptr) return;
    if (shares_->arbiter) {
      shares_->arbiter->charge(bytes);
    } else {
      shares_->balance[static_cast<std::size_t>(priority)] -= bytes;
    }
  }
  /// The queue of a priority ran empty: it saves nothing up.
  void emptied(int priority) {
    if (shares_ == nullptr) return;
    Bytes& balance = shares_->balance[static_cast<std::size_t>(priority)];
    if (balance > 0) balance = 0;
  }
  template <class Digest>
  void add_state(Digest& d) const {
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
    std::optional<VlArbiter> arbiter;  // kVlArbitration: instead of those
    CreditShaper shaper;
  };
  // kEts, kVlArbitration and shapers only; apart, so that the rest stays small in a port.
  std::unique_ptr<Shares> shares_;
  EgressSchedulerParameters::Kind kind_ = EgressSchedulerParameters::Kind::kFifo;
  std::uint8_t strict_ = 0;
  std::uint8_t last_ = kPriorities - 1;
  bool shapes_ = false;
};

}  // namespace dcc
