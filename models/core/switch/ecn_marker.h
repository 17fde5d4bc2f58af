// Which packets a switch marks "congestion experienced": RED on the instantaneous queue (DCQCN,
// SIGCOMM'15, figure 5), and optionally a phantom queue (HULL, NSDI'12, section 3.1).
#pragma once

#include <cstdint>
#include <optional>

#include "describe/enum_names.h"
#include "describe/quantities.h"
#include "sim/random.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

class ParameterVisitor;

/// Thresholds lie below this: keeps the comparison with a random number in 64 bits.
constexpr Bytes kMaxThreshold = (Bytes{1} << 31) - 1;

struct EcnParameters {
  enum class MarkAt : std::uint8_t { kEnqueue, kDequeue };
  enum class Scope : std::uint8_t { kQueue, kPort };
  /// Who sets kmin, kmax, pmax, mark_at and reference_rate: the user, or a rule by rate and
  /// distance for the law of marks (docs/differentiation.md, "Thresholds, rate and distance").
  enum class Rule : std::uint8_t { kGiven, kLongFlows, kShortFlows };

  bool enabled = true;
  Rule rule = Rule::kGiven;
  Bytes kmin = 5_KB;
  Bytes kmax = 200_KB;
  Ratio pmax{1, 100};
  MarkAt mark_at = MarkAt::kEnqueue;
  Scope scope = Scope::kQueue;
  /// When set, kmin and kmax hold for a port of this rate and grow in proportion for faster ones.
  std::optional<BitRate> reference_rate;
  /// Phantom queue: a counter that fills with what the port sends and drains at this fraction of
  /// the port's rate; 0: off. Marks above phantom_threshold, besides RED.
  Ratio phantom_drain{0};
  Bytes phantom_threshold = 6_KB;
  /// Packets that are let pass after one that was marked, though they would be: InfiniBand's
  /// Marking_Rate (IBA annex A10), which its algorithm sets. 0: none.
  std::uint32_t unmarked_between = 0;

  void describe(ParameterVisitor& v);
  /// Does what `rule` says, for a network of that slowest link, longest base round trip and full
  /// packet; what is set then counts as given.
  void follow_rule(BitRate slowest, PicoSeconds longest_base_rtt, Bytes packet);
  /// Throws ParameterError when values do not go together, at the fastest port of the network.
  void check(BitRate fastest_port) const;
};

DCC_ENUM_NAMES(EcnParameters::MarkAt, {EcnParameters::MarkAt::kEnqueue, "enqueue"},
               {EcnParameters::MarkAt::kDequeue, "dequeue"});
DCC_ENUM_NAMES(EcnParameters::Rule, {EcnParameters::Rule::kGiven, "given"},
               {EcnParameters::Rule::kLongFlows, "long_flows"},
               {EcnParameters::Rule::kShortFlows, "short_flows"});
DCC_ENUM_NAMES(EcnParameters::Scope, {EcnParameters::Scope::kQueue, "queue"},
               {EcnParameters::Scope::kPort, "port"});

/// Decides for one egress port. Marks never below or at Kmin, with a probability that rises
/// linearly to Pmax at Kmax, always above Kmax. Only ECT packets are ever marked.
class EcnMarker {
 public:
  EcnMarker() = default;
  /// Throws std::invalid_argument when kmin < 0, kmax < kmin, kmax >= 2^31 (after scaling) or
  /// pmax > 1.
  EcnMarker(const EcnParameters& parameters, BitRate port_rate);

  /// Other parameters from now on; the phantom queue stands where it stood.
  void change(const EcnParameters& parameters, BitRate port_rate) {
    const PicoSeconds phantom_empty = phantom_empty_;
    *this = EcnMarker(parameters, port_rate);
    phantom_empty_ = phantom_empty;
  }

  bool marks_at(EcnParameters::MarkAt moment) const { return enabled_ && mark_at_ == moment; }
  bool per_port() const { return per_port_; }

  /// Is a packet that sees this queue to be marked? Draws a random number only in the ramp.
  bool congested(Bytes queue, RandomStream& random) {
    if (!above_line(queue, random)) return false;
    if (to_pass_ != 0) {
      --to_pass_;
      return false;
    }
    to_pass_ = unmarked_between_;
    return true;
  }

  /// Sets CE on an ECT packet. True when it was ECT(0) or ECT(1) before.
  static bool mark(Packet& packet) {
    if (packet.ecn != Ecn::kEct0 && packet.ecn != Ecn::kEct1) return false;
    packet.ecn = Ecn::kCe;
    return true;
  }

  bool has_phantom_queue() const { return phantom_ps_per_kib_ != 0; }
  /// Counts a departing packet into the phantom queue; true when that stands above its threshold.
  bool phantom_congested(Bytes bytes, PicoSeconds now) {
    if (phantom_empty_ < now) phantom_empty_ = now;
    phantom_empty_ += PicoSeconds((bytes * phantom_ps_per_kib_) >> 10);
    return phantom_empty_ - now > phantom_limit_;
  }
  template <class Digest>
  void add_state(Digest& d) const {
    d(to_pass_, phantom_empty_);
  }

 private:
  bool above_line(Bytes queue, RandomStream& random) const {
    if (queue <= kmin_) return false;
    if (queue > kmax_) return true;
    // r / 2^32 < pmax · (q − kmin) / (kmax − kmin), multiplied out: 32 + 31 bits at most.
    const std::uint64_t drawn = random.next_u32();
    return drawn * static_cast<std::uint64_t>(kmax_ - kmin_) <
           pmax_q32_ * static_cast<std::uint64_t>(queue - kmin_);
  }

  bool enabled_ = false;
  bool per_port_ = false;
  EcnParameters::MarkAt mark_at_ = EcnParameters::MarkAt::kEnqueue;
  Bytes kmin_ = 0;
  Bytes kmax_ = 0;
  std::uint64_t pmax_q32_ = 0;
  std::uint32_t unmarked_between_ = 0;
  std::uint32_t to_pass_ = 0;
  // The phantom queue as the moment it will have drained: no division a packet.
  std::int64_t phantom_ps_per_kib_ = 0;
  PicoSeconds phantom_limit_{};
  PicoSeconds phantom_empty_{};
};

}  // namespace dcc
