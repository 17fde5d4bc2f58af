// Settings of a switch's queues and classes that differ by priority, port or speed, and their
// resolution into what one port uses.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "switch/ecn_marker.h"
#include "switch/egress_scheduler.h"
#include "switch/pfc.h"
#include "switch/shared_buffer.h"
#include "units.h"

namespace dcc {

class ParameterVisitor;
struct SwitchParameters;

/// A part of the buffer for the priorities that name it.
struct PoolParameters {
  std::string name;
  Bytes size = 1'000'000;
};

/// A second account of the packets that wait in queues, beside that of the buffer: the queues that
/// name the pool share its bytes.
struct EgressPoolParameters {
  std::string name;
  Bytes size = 1'000'000;
};

/// Settings of one priority that replace those of the switch; an empty one: not replaced.
struct PriorityParameters {
  std::optional<bool> lossy;
  std::optional<unsigned> group;  // priority whose class counts the packets; empty: the priority
  std::optional<Ratio> alpha;
  std::optional<Bytes> limit;  // maximum number of bytes of the class; excludes alpha
  std::optional<Bytes> reserved;
  std::string pool = "auto";
  std::optional<Bytes> headroom;
  std::optional<Bytes> resume_below;
  std::optional<Bytes> resume_at;
  struct Queue {
    std::optional<Ratio> alpha;
    std::optional<Bytes> limit;  // maximum number of bytes of the queue; excludes alpha
    std::string pool = "auto";   // name of an egress pool; auto: none
    std::optional<Bytes> reserved;
  };
  Queue queue;
  MarkingParameters marking;
  std::optional<bool> wred_drops;

  void describe(ParameterVisitor& v);
  /// Throws ParameterError if values contradict each other.
  void check() const;
  /// Replaces the values that `other` sets.
  void override_with(const PriorityParameters& other);
};
// settings of a port's queues or classes, by priority
using PrioritySettings = std::map<unsigned, PriorityParameters>;

/// A port's own choice among its priorities, in place of switch.scheduler.
struct SchedulerException {
  enum class Kind : std::uint8_t { kAuto, kFifo, kStrict, kEts };
  Kind kind = Kind::kAuto;  // kAuto: as the switch
  // weight of each priority (kEts)
  std::array<std::uint32_t, kPriorities> weights{1, 1, 1, 1, 1, 1, 1, 1};

  void describe(ParameterVisitor& v);
  /// Replaces kind and weights unless `kind` is kAuto; shapers of the switch stay where the kind
  /// has shapers.
  void apply_to(EgressSchedulerParameters& scheduler) const;
};

DCC_ENUM_NAMES(SchedulerException::Kind, {SchedulerException::Kind::kAuto, "auto"},
               {SchedulerException::Kind::kFifo, "fifo"},
               {SchedulerException::Kind::kStrict, "strict"},
               {SchedulerException::Kind::kEts, "ets"});

/// The watchdog of a port's queues, where it differs from switch.pfc.watchdog.
struct WatchdogException {
  enum class Action : std::uint8_t { kAuto, kDrop, kForward };
  std::optional<bool> enabled;  // empty: true if the switch or this entry has `detect`
  std::optional<PicoSeconds> detect, restore;
  Action action = Action::kAuto;  // kAuto: as the switch

  void describe(ParameterVisitor& v);
  /// Replaces the values that are set; without a watchdog `detect` becomes empty.
  void apply_to(WatchdogParameters& watchdog) const;
};

DCC_ENUM_NAMES(WatchdogException::Action, {WatchdogException::Action::kAuto, "auto"},
               {WatchdogException::Action::kDrop, "drop"},
               {WatchdogException::Action::kForward, "forward"});

/// Ports whose settings differ from those of the switch.
struct PortException {
  // names of the ports, as in vp/build/port_exceptions.h; empty: all ports
  std::vector<std::string> ports;
  std::optional<BitRate> rate;  // rate of the ports that the entry applies to; empty: any rate
  MarkingParameters marking;
  SchedulerException scheduler;
  WatchdogException watchdog;
  PrioritySettings priorities;

  void describe(ParameterVisitor& v);
};

/// Settings of one port.
struct PortSettings {
  struct Queue {
    EcnParameters ecn;
    bool drops = false;  // true: WRED drops packets that are to be marked but are not ECT
    std::optional<std::uint32_t> alpha_q16;  // limit as a share of `pool`'s free bytes, 65536 = 1.0
    std::optional<Bytes> limit;
    int pool = 0;
    int egress_pool = 0;  // number of the egress pool, from 1; 0: none
    Bytes reserved = 0;   // bytes of the queue that its egress pool does not count
  };
  std::array<Queue, kPriorities> queues;
  // true if marking differs from SwitchParameters::ecn or a queue has a limit
  bool queues_differ = false;
  std::uint8_t lossless = 0;
  // rules by priority; empty: SharedBufferParameters apply
  std::array<std::optional<ClassRules>, kPriorities> rules;
  // headroom by priority; empty: the headroom of the port
  std::array<std::optional<Bytes>, kPriorities> headroom{};
  std::optional<EgressSchedulerParameters> scheduler;  // empty: as the switch
  WatchdogParameters watchdog;
};

/// Resolves the settings of a port of this rate. `exceptions` apply in this order, the last one
/// wins.
PortSettings port_settings(const SwitchParameters& parameters, BitRate rate,
                           const std::vector<const PortException*>& exceptions,
                           std::uint32_t port_alpha_q16);

void describe_pools(ParameterVisitor& v, std::vector<PoolParameters>& pools);
void describe_egress_pools(ParameterVisitor& v, std::vector<EgressPoolParameters>& pools);
void describe_priorities(ParameterVisitor& v, PrioritySettings& priorities);

}  // namespace dcc
