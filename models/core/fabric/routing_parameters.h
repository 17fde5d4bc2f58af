// How one of several equally good ports is chosen: the kinds there are, and their parameters.
#pragma once

#include <cstdint>
#include <optional>

#include "describe/enum_names.h"
#include "describe/quantities.h"
#include "units.h"

namespace dcc {

class ParameterVisitor;

/// Packets of a flow that follow each other closely: a flowlet. A longer pause lets the next one
/// take another way, and what is ahead arrive first.
struct FlowletParameters {
  PicoSeconds gap = kMicroSecond * 100;
  unsigned entries = 16'384;  // flows that hash to one share it, as in hardware

  void describe(ParameterVisitor& v);
};

/// DRILL: `samples` ports drawn for each packet, and the `memory` best of the last time.
struct DrillParameters {
  unsigned samples = 2;
  unsigned memory = 1;

  void describe(ParameterVisitor& v);
};

/// DeTail: drain bytes of a port below which it is favoured, or at least not avoided.
struct DetailParameters {
  Bytes favoured_below = 16_KB;
  Bytes avoided_from = 64_KB;

  void describe(ParameterVisitor& v);
};

/// CONGA: how links' use is estimated and how long news of it counts.
struct CongaParameters {
  PicoSeconds dre_period = kMicroSecond * 16;
  Ratio dre_alpha{1, 10};
  unsigned bits = 3;  // of the metric that packets carry
  PicoSeconds age = kMilliSecond * 10;

  void describe(ParameterVisitor& v);
};

/// Presto: bytes of a flow that go one way before the next cell goes another.
struct PrestoParameters {
  Bytes cell = 64_KiB;
  unsigned mtu = 1000;  // the NICs'; not a parameter of its own

  void describe(ParameterVisitor& v);
};

/// Hedera: a central scheduler that looks at the edge switches' counters every `period`, estimates
/// what large flows would send if nothing but hosts' links held them, and gives them their ways.
struct HederaParameters {
  enum class Placement : std::uint8_t {
    kAnnealing,  // a way for each destination host, exchanged at random as it cools down
    kFirstFit,   // a flow takes the first way that has room
  };
  Placement placement = Placement::kAnnealing;
  PicoSeconds period = kMilliSecond;
  Ratio elephant{1, 10};
  unsigned iterations = 1000;
  Ratio annealing{1, 2};

  void describe(ParameterVisitor& v);
};

/// REPS: numbers that packets carry for the switches to hash, and how many of those that came back
/// a flow keeps.
struct RepsParameters {
  static constexpr unsigned kMaxKept = 64;
  unsigned entropies = 255;
  unsigned kept = 8;
  unsigned warm_up = 32;

  void describe(ParameterVisitor& v);
};

/// Hermes: which ways are good or bad, and when a flow may change from one to another.
struct HermesParameters {
  PicoSeconds rtt_low = kMicroSecond * 60;
  PicoSeconds rtt_high = kMicroSecond * 180;
  PicoSeconds rtt_gain = kMicroSecond * 100;
  Ratio ecn_share{2, 5};
  Ratio ecn_gain{1, 10};
  Bytes sent = 600'000;
  Ratio rate{3, 10};
  PicoSeconds interval = kMicroSecond * 100;
  PicoSeconds age = kMicroSecond * 320;
  PicoSeconds failed_for = kMilliSecond * 10;

  void describe(ParameterVisitor& v);
};

/// ConWeave: when a way counts as congested, and how long the far edge waits for packets of the
/// way before.
struct ConweaveParameters {
  PicoSeconds reply = kMicroSecond * 8;
  PicoSeconds path_busy = kMicroSecond * 16;
  PicoSeconds inactive = kMicroSecond * 300;
  PicoSeconds wait_more = kMicroSecond * 16;
  PicoSeconds wait_unknown = kMicroSecond * 200;
  unsigned message_priority = 6;

  void describe(ParameterVisitor& v);
};

/// LMC under a manager that reads the switches' counters every `period` and gives a flow on a wire
/// that is used beyond `above` another of its destination's addresses, if its way has room.
struct LidManagerParameters {
  std::optional<PicoSeconds> period;  // empty: flows stay where their number puts them
  Ratio above{9, 10};

  bool on() const { return period.has_value(); }
  void describe(ParameterVisitor& v);
};

DCC_ENUM_NAMES(HederaParameters::Placement, {HederaParameters::Placement::kAnnealing, "annealing"},
               {HederaParameters::Placement::kFirstFit, "first_fit"});

struct RoutingParameters {
  enum class Kind : std::uint8_t {
    kEcmp,         // by hash of (source, destination, flow): one path a flow and direction
    kWcmp,         // the same, ports by the capacity behind them
    kPerFlow,      // flows take turns, one path each
    kSpray,        // packets take turns
    kRps,          // packets at random
    kPermutation,  // packets of a flow by all ways in turn, each round in another order
    kLmc,          // by destination and path, the flow's number modulo 2^lmc (InfiniBand's LID mask
                   // control: a port has so many addresses, each with one way through the fabric)
    kLetflow,      // flowlets at random
    kDrill,        // packets by the queues of a few ports
    kDetail,       // packets by what of the ports' queues goes before them
    kConga,        // flowlets by the use of the ways to the far edge
    kPresto,       // cells of a flow in turn
    kHedera,       // flows by hash, large ones as a central scheduler has it
    kReps,         // packets by numbers that ACKs bring back
    kConweave,     // flows by how fast answers come, put in order again at the far edge
    kHermes,       // flows by what their ACKs tell of ways, moved with care
    kSymmetric,    // by hash, the same way in both directions
    kSource,       // packets as their sender's transport says; by hash where it does not
  };
  Kind kind = Kind::kEcmp;
  unsigned lmc = 1;
  LidManagerParameters lid_manager;
  FlowletParameters flowlet;
  DrillParameters drill;
  DetailParameters detail;
  CongaParameters conga;
  PrestoParameters presto;
  HederaParameters hedera;
  RepsParameters reps;
  HermesParameters hermes;
  ConweaveParameters conweave;

  void describe(ParameterVisitor& v);
  /// Packets of one flow go several ways at a time, or one after the other.
  bool one_way_a_flow() const {
    return kind == Kind::kEcmp || kind == Kind::kWcmp || kind == Kind::kPerFlow ||
           (kind == Kind::kLmc && !lid_manager.on()) || kind == Kind::kSymmetric;
  }
  /// One place reads all switches and sets their entries.
  bool is_central() const {
    return kind == Kind::kHedera || (kind == Kind::kLmc && lid_manager.on());
  }
};

DCC_ENUM_NAMES(
    RoutingParameters::Kind, {RoutingParameters::Kind::kEcmp, "ecmp"},
    {RoutingParameters::Kind::kWcmp, "wcmp"}, {RoutingParameters::Kind::kPerFlow, "per_flow"},
    {RoutingParameters::Kind::kSpray, "spray"}, {RoutingParameters::Kind::kRps, "rps"},
    {RoutingParameters::Kind::kPermutation, "permutation"}, {RoutingParameters::Kind::kLmc, "lmc"},
    {RoutingParameters::Kind::kLetflow, "letflow"}, {RoutingParameters::Kind::kDrill, "drill"},
    {RoutingParameters::Kind::kDetail, "detail"}, {RoutingParameters::Kind::kConga, "conga"},
    {RoutingParameters::Kind::kPresto, "presto"}, {RoutingParameters::Kind::kHedera, "hedera"},
    {RoutingParameters::Kind::kReps, "reps"}, {RoutingParameters::Kind::kHermes, "hermes"},
    {RoutingParameters::Kind::kConweave, "conweave"},
    {RoutingParameters::Kind::kSymmetric, "symmetric"},
    {RoutingParameters::Kind::kSource, "source"});

}  // namespace dcc
