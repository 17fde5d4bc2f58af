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
#include "units.h"
#include "wire/packet.h"

namespace dcc {

class ParameterVisitor;
struct NetworkScale;

/// Greatest threshold. The limit keeps the comparison with a random number within 64 bits.
constexpr Bytes kMaxThreshold = (Bytes{1} << 31) - 1;

struct EcnParameters;

/// Marking values that replace those of EcnParameters; an empty one: not replaced.
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
    kInputFull  // when an input has filled: all packets that wait where packets of this input wait
  };
  enum class Scope : std::uint8_t { kQueue, kPort };
  /// The number that a packet's probability of a mark is compared with.
  enum class Draw : std::uint8_t {
    kRandom,  // every switch draws a random number per packet, so probabilities along a path add up
    kPacket   // all switches use the same hash of the packet, so the greatest probability counts
  };
  /// Source of kmin, kmax, pmax and reference_rate: the user, or a rule by link rate and distance.
  /// Two rules are for `policy: proportional` (docs/differentiation.md, "Thresholds, rate and
  /// distance") and set mark_at as well.
  enum class Rule : std::uint8_t {
    kAuto,  // the algorithm chooses the rule (AlgorithmParameters::ask_marking), otherwise kGiven
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
  /// If set, kmin and kmax are for a port of this rate and scale with the rate of other ports.
  std::optional<BitRate> reference_rate;
  /// Phantom queue: a counter of sent bytes that drains at this fraction of the port's rate; 0:
  /// off. Packets are marked while the counter is above phantom_threshold, in addition to RED.
  Ratio phantom_drain{0};
  Bytes phantom_threshold = 6_KB;
  /// Number of packets left unmarked after a marked one: InfiniBand's Marking_Rate (IBA annex A10),
  /// set by its congestion control algorithm.
  std::uint32_t unmarked_between = 0;

  std::uint8_t priorities = 0xFF;                  // mask of priorities whose queues mark packets
  std::map<unsigned, MarkingParameters> by_speed;  // marking parameters by the port's rate in Mb/s
  /// Marking parameters by DSCP: classes that share a queue, each with its own thresholds.
  std::map<unsigned, MarkingParameters> by_dscp;

  void describe(ParameterVisitor& v);
  /// The parameters with the values of `by_speed` for this rate.
  EcnParameters at_rate(BitRate rate) const;
  /// Sets the thresholds by `rule` for a network. Afterwards `rule` is kGiven.
  void follow_rule(const NetworkScale& network);
  /// Throws ParameterError if values contradict each other, at the fastest port of the network.
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

/// The marking decision of one egress port. The probability is 0 up to Kmin, rises linearly to Pmax
/// at Kmax, and is 1 above Kmax. Only ECT packets are marked.
class EcnMarker {
 public:
  EcnMarker() = default;
  /// Throws std::invalid_argument when kmin < 0, kmax < kmin, kmax >= 2^31 (after scaling) or
  /// pmax > 1.
  EcnMarker(const EcnParameters& parameters, BitRate port_rate);

  /// Replaces the parameters; the phantom queue keeps its length. Throws like the constructor.
  void change(const EcnParameters& parameters, BitRate port_rate) {
    const PicoSeconds phantom_empty = phantom_empty_;
    *this = EcnMarker(parameters, port_rate);
    phantom_empty_ = phantom_empty;
  }

  bool marks_at(EcnParameters::MarkAt moment) const { return enabled_ && mark_at_ == moment; }
  /// True if packets of any class are marked at this moment.
  bool marks_any_at(EcnParameters::MarkAt moment) const {
    return marks_at(moment) ||
           std::any_of(classes_.begin(), classes_.end(),
                       [moment](const EcnMarker& one) { return one.marks_at(moment); });
  }
  /// True if packets are marked at this moment by congested(). If this is false and marks_at() is
  /// true, they are marked by congested_by_packet().
  bool draws_at(EcnParameters::MarkAt moment) const { return draws_ && mark_at_ == moment; }
  /// True if more than congested() decides: congested_by_packet() or the phantom queue. One flag
  /// for both, so that common marking pays for one test.
  bool has_rare_rules() const { return has_rare_rules_; }
  bool per_port() const { return per_port_; }
  /// The marker of packets with this DSCP: that of their class, or this one.
  EcnMarker& of_class(std::uint8_t dscp) {
    for (EcnMarker& one : classes_) {
      if (one.dscp_ == dscp) return one;
    }
    return *this;
  }

  /// True if a packet that sees this queue length must be marked. Draws a random number only
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
  /// As congested(), with a hash of the packet, which is the same in every switch, in place of a
  /// random number.
  [[gnu::cold, gnu::noinline]] bool congested_by_packet(Bytes queue, const Packet& packet);

  /// Changes an ECT packet to CE. False: the packet was not ECT and is unchanged.
  static bool mark(Packet& packet) {
    if (packet.ecn != Ecn::kEct0 && packet.ecn != Ecn::kEct1) return false;
    packet.ecn = Ecn::kCe;
    return true;
  }

  bool has_phantom_queue() const { return phantom_ps_per_kib_ != 0; }
  /// Adds a departing packet to the phantom queue. True if the queue is above its threshold then.
  bool phantom_congested(Bytes bytes, PicoSeconds now) {
    if (phantom_empty_ < now) phantom_empty_ = now;
    phantom_empty_ += PicoSeconds((bytes * phantom_ps_per_kib_) >> 10);
    return phantom_empty_ - now > phantom_limit_;
  }
  template <class Digest>
  void add_state(Digest& d) const {
    d(unmarked_left_, phantom_empty_);
    for (const EcnMarker& one : classes_) d(one);
  }

 private:
  bool exceeds_ramp(Bytes queue, RandomStream& random) const {
    if (queue <= kmin_) return false;
    if (queue > kmax_) return true;
    return is_below_ramp(random.next_u32(), queue);
  }
  // r / 2^32 < pmax · (q − kmin) / (kmax − kmin), multiplied out: 32 + 31 bits at most.
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
  // The length of the phantom queue is stored as the time at which it is empty, which needs no
  // division per packet.
  std::int64_t phantom_ps_per_kib_ = 0;
  PicoSeconds phantom_limit_{};
  PicoSeconds phantom_empty_{};
  std::uint8_t dscp_ = 0;           // class of this marker; used within `classes_` only
  std::vector<EcnMarker> classes_;  // markers of the classes that have thresholds of their own
};

}  // namespace dcc
