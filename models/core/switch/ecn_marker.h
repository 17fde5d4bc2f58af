// ECN marking by a switch: RED on the instantaneous queue length (DCQCN, SIGCOMM'15, figure 5), and
// optionally a phantom queue (HULL, NSDI'12, section 3.1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "describe/enum_names.h"
#include "describe/quantities.h"
#include "sim/random.h"
#include "sim/state_digest.h"
#include "units.h"
#include "wire/packet.h"

namespace dcc {

class ParameterVisitor;
struct NetworkScale;

/// Greatest ECN threshold in bytes. The limit keeps the comparison with a random number within 64
/// bits.
constexpr Bytes kMaxThreshold = (Bytes{1} << 31) - 1;

struct EcnParameters;

/// Marking thresholds that replace those of EcnParameters; an empty member replaces nothing.
struct MarkingParameters {
  std::optional<bool> enabled;
  std::optional<Bytes> kmin;
  std::optional<Bytes> kmax;
  std::optional<Ratio> pmax;

  void describe(ParameterVisitor& v);
  void apply_to(EcnParameters& ecn) const;
};

struct EcnParameters {
  enum class MarkAt : std::uint8_t {
    kEnqueue,
    kDequeue,
    // moment of marking: when an input has filled; marks all packets in the queues where packets of
    // this input wait
    kInputFull
  };
  enum class Scope : std::uint8_t { kQueue, kPort };
  /// Source of the number that a packet's marking probability is compared with.
  enum class Draw : std::uint8_t {
    // every switch draws a random number per packet, so marking probabilities along a path add up
    kRandom,
    // all switches use the same hash of the packet, so only the greatest marking probability along
    // a path counts
    kPacket
  };
  /// Source of the ECN values kmin, kmax, pmax and reference_rate: the user, or a rule by link rate
  /// and distance. Two rules are for `policy: proportional` (docs/differentiation.md, "Thresholds,
  /// rate and distance") and set mark_at as well.
  enum class Rule : std::uint8_t {
    // the congestion-control algorithm chooses the rule (AlgorithmParameters::ask_marking),
    // otherwise kGiven
    kAuto,
    kGiven,
    kDcqcn,
    kDctcp,
    kLongFlows,
    kShortFlows
  };

  bool enabled = true;
  Rule rule = Rule::kAuto;
  Bytes kmin = 5_KB;
  Bytes kmax = 200_KB;
  Ratio pmax{1, 100};
  MarkAt mark_at = MarkAt::kEnqueue;
  Scope scope = Scope::kQueue;
  Draw draw = Draw::kRandom;
  /// Rate of the port that kmin and kmax are given for; thresholds of other ports scale with their
  /// rate. Empty: the thresholds do not scale.
  std::optional<BitRate> reference_rate;
  /// Fraction of the port's rate at which the phantom queue drains, a counter of sent bytes; 0: no
  /// phantom queue. Packets are marked while the counter is above phantom_threshold, in addition to
  /// RED.
  Ratio phantom_drain{0};
  Bytes phantom_threshold = 6_KB;
  /// Number of packets left unmarked after a marked one; InfiniBand's Marking_Rate (IBA annex A10),
  /// set by InfiniBand's congestion control algorithm.
  std::uint32_t unmarked_between = 0;

  std::uint8_t priorities = 0xFF;                  // mask of priorities whose queues mark packets
  std::map<unsigned, MarkingParameters> by_speed;  // marking parameters by the port's rate in Mb/s
  /// Marking parameters by DSCP, for classes that share a queue but have thresholds of their own.
  std::map<unsigned, MarkingParameters> by_dscp;

  void describe(ParameterVisitor& v);
  /// The ECN parameters with the values of `by_speed` for a port of this rate.
  EcnParameters at_rate(BitRate rate) const;
  /// Sets the ECN thresholds by `rule` for a network. Afterwards `rule` is kGiven.
  void follow_rule(const NetworkScale& network);
  /// Throws ParameterError if ECN values contradict each other at the fastest port of the network.
  void check(BitRate fastest_port) const;
};

DCC_ENUM_NAMES(EcnParameters::MarkAt, {EcnParameters::MarkAt::kEnqueue, "enqueue"},
               {EcnParameters::MarkAt::kDequeue, "dequeue"},
               {EcnParameters::MarkAt::kInputFull, "input_full"});
DCC_ENUM_NAMES(EcnParameters::Rule, {EcnParameters::Rule::kAuto, "auto"},
               {EcnParameters::Rule::kGiven, "given"}, {EcnParameters::Rule::kDcqcn, "dcqcn"},
               {EcnParameters::Rule::kDctcp, "dctcp"},
               {EcnParameters::Rule::kLongFlows, "long_flows"},
               {EcnParameters::Rule::kShortFlows, "short_flows"});
DCC_ENUM_NAMES(EcnParameters::Draw, {EcnParameters::Draw::kRandom, "random"},
               {EcnParameters::Draw::kPacket, "packet"});
DCC_ENUM_NAMES(EcnParameters::Scope, {EcnParameters::Scope::kQueue, "queue"},
               {EcnParameters::Scope::kPort, "port"});

/// The ECN marking decision of one egress port. The marking probability is 0 up to Kmin, rises
/// linearly to Pmax at Kmax, and is 1 above Kmax. Only ECT packets are marked.
class EcnMarker {
 public:
  EcnMarker() = default;
  /// Makes the marker of a port; throws std::invalid_argument when kmin < 0, kmax < kmin, kmax >=
  /// 2^31 (after scaling) or pmax > 1.
  EcnMarker(const EcnParameters& parameters, BitRate port_rate);

  /// Replaces the ECN parameters; the phantom queue keeps its length. Throws like the constructor.
  void change(const EcnParameters& parameters, BitRate port_rate) {
    const PicoSeconds phantom_empty = phantom_empty_;
    *this = EcnMarker(parameters, port_rate);
    phantom_empty_ = phantom_empty;
  }

  bool marks_at(EcnParameters::MarkAt moment) const { return enabled_ && mark_at_ == moment; }
  /// True if packets of any class are marked at the moment `moment`, such as enqueue or departure.
  bool marks_any_at(EcnParameters::MarkAt moment) const {
    return marks_at(moment) ||
           std::any_of(classes_.begin(), classes_.end(),
                       [moment](const EcnMarker& one) { return one.marks_at(moment); });
  }
  /// True if congested() decides on the marks at the moment `moment`. If this is false and
  /// marks_at() is true, congested_by_packet() decides.
  bool draws_at(EcnParameters::MarkAt moment) const { return draws_ && mark_at_ == moment; }
  /// True if congested_by_packet() or the phantom queue decides on marks as well. One flag stands
  /// for both, so that common marking pays for one test.
  bool has_rare_rules() const { return has_rare_rules_; }
  bool per_port() const { return per_port_; }
  /// The marker for packets with this DSCP: the marker of their class, or this one.
  EcnMarker& of_class(std::uint8_t dscp) {
    for (EcnMarker& one : classes_) {
      if (one.dscp_ == dscp) return one;
    }
    return *this;
  }

  /// True if a packet that finds this queue length must be marked. Draws a random number only
  /// between Kmin and Kmax.
  bool congested(Bytes queue, RandomStream& random) {
    if (!exceeds_ramp(queue, random)) return false;
    if (unmarked_left_ != 0) {
      --unmarked_left_;
      return false;
    }
    unmarked_left_ = unmarked_between_;
    return true;
  }
  /// True if a packet that finds this queue length must be marked, as in congested(), but with a
  /// hash of the packet in place of a random number. The hash is the same in every switch.
  [[gnu::cold, gnu::noinline]] bool congested_by_packet(Bytes queue, const Packet& packet);

  /// Changes an ECT packet to CE. Returns false if the packet was not ECT, and leaves it unchanged.
  static bool mark(Packet& packet) {
    if (packet.ecn != Ecn::kEct0 && packet.ecn != Ecn::kEct1) return false;
    packet.ecn = Ecn::kCe;
    return true;
  }

  bool has_phantom_queue() const { return phantom_ps_per_kib_ != 0; }
  /// Adds a departing packet to the phantom queue. Returns true if the phantom queue is then above
  /// its threshold.
  bool phantom_congested(Bytes bytes, PicoSeconds now) {
    if (phantom_empty_ < now) phantom_empty_ = now;
    phantom_empty_ += PicoSeconds((bytes * phantom_ps_per_kib_) >> 10);
    return phantom_empty_ - now > phantom_limit_;
  }
  void add_state(StateDigest& d) const {
    d(unmarked_left_, phantom_empty_);
    for (const EcnMarker& one : classes_) d(one);
  }

 private:
  bool exceeds_ramp(Bytes queue, RandomStream& random) const {
    if (queue <= kmin_) return false;
    if (queue > kmax_) return true;
    return is_below_ramp(random.next_u32(), queue);
  }
  // True if r / 2^32 < pmax · (q − kmin) / (kmax − kmin), the marking probability. The inequality
  // is multiplied out and needs at most 32 + 31 bits.
  bool is_below_ramp(std::uint64_t number, Bytes queue) const {
    return number * static_cast<std::uint64_t>(kmax_ - kmin_) <
           pmax_q32_ * static_cast<std::uint64_t>(queue - kmin_);
  }

  bool enabled_ = false;
  bool draws_ = false;
  bool has_rare_rules_ = false;
  bool per_port_ = false;
  EcnParameters::MarkAt mark_at_ = EcnParameters::MarkAt::kEnqueue;
  Bytes kmin_ = 0;
  Bytes kmax_ = 0;
  std::uint64_t pmax_q32_ = 0;
  std::uint32_t unmarked_between_ = 0;
  std::uint32_t unmarked_left_ = 0;
  // Time per KiB in which the phantom queue drains. The queue's length is stored as the time at
  // which the queue is empty, which needs no division per packet.
  std::int64_t phantom_ps_per_kib_ = 0;
  PicoSeconds phantom_limit_{};
  PicoSeconds phantom_empty_{};
  std::uint8_t dscp_ = 0;  // DSCP of the class that this marker serves; used within `classes_` only
  std::vector<EcnMarker> classes_;  // ECN markers of the classes that have thresholds of their own
};

}  // namespace dcc
