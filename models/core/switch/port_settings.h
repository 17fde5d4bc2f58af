// Settings of a switch's queues and classes that differ by priority, port or speed, and their
// resolution into the settings that one port uses.
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

/// A buffer pool, reserved for the priorities that name the pool.
struct PoolParameters {
  std::string name;
  Bytes size = 1'000'000;
};

/// An egress pool: the queues that name the pool share its bytes. It counts queued packets in
/// addition to the account of the buffer.
struct EgressPoolParameters {
  std::string name;
  Bytes size = 1'000'000;
};

/// Settings of one priority that replace the switch's settings; an empty member replaces nothing.
struct PriorityParameters {
  std::optional<bool> lossy;
  // priority whose class counts the packets; empty: this priority itself
  std::optional<unsigned> group;
  std::optional<Ratio> alpha;
  // maximum number of bytes of the class; cannot be combined with alpha
  std::optional<Bytes> limit;
  std::optional<Bytes> reserved;
  std::string pool = "auto";
  std::optional<Bytes> headroom;
  std::optional<Bytes> resume_below;
  std::optional<Bytes> resume_at;
  struct Queue {
    std::optional<Ratio> alpha;
    // maximum number of bytes of the queue; cannot be combined with alpha
    std::optional<Bytes> limit;
    std::string pool = "auto";  // name of the queue's egress pool; auto: none
    std::optional<Bytes> reserved;
  };
  Queue queue;
  MarkingParameters marking;
  std::optional<bool> wred_drops;

  void describe(ParameterVisitor& v);
  /// Throws ParameterError if values of the priority's settings contradict each other.
  void check() const;
  /// Replaces those settings of the priority that `other` sets.
  void override_with(const PriorityParameters& other);
};
// settings of a port's queues or classes, by priority
using PrioritySettings = std::map<unsigned, PriorityParameters>;

/// A port's own scheduler among its priorities, in place of switch.scheduler.
struct SchedulerException {
  enum class Kind : std::uint8_t { kAuto, kFifo, kStrict, kEts };
  Kind kind = Kind::kAuto;  // kind of scheduler; kAuto: as the switch
  // weight of each priority under kEts
  std::array<std::uint32_t, kPriorities> weights{1, 1, 1, 1, 1, 1, 1, 1};

  void describe(ParameterVisitor& v);
  /// Replaces kind and weights of `scheduler` unless `kind` is kAuto. Shapers of the switch stay if
  /// the new kind supports shapers.
  void apply_to(EgressSchedulerParameters& scheduler) const;
};

DCC_ENUM_NAMES(SchedulerException::Kind, {SchedulerException::Kind::kAuto, "auto"},
               {SchedulerException::Kind::kFifo, "fifo"},
               {SchedulerException::Kind::kStrict, "strict"},
               {SchedulerException::Kind::kEts, "ets"});

/// Settings of a port's PFC watchdog that differ from switch.pfc.watchdog.
struct WatchdogException {
  enum class Action : std::uint8_t { kAuto, kDrop, kForward };
  // whether the watchdog is on; empty: on if the switch or this entry has `detect`
  std::optional<bool> enabled;
  std::optional<PicoSeconds> detect, restore;
  Action action = Action::kAuto;  // action of the watchdog; kAuto: as the switch

  void describe(ParameterVisitor& v);
  /// Replaces those values of `watchdog` that this entry sets; without a watchdog `detect` becomes
  /// empty.
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
    bool drops = false;  // WRED drops packets that are to be marked but are not ECT
    // limit of the queue as a share of the free bytes of `pool`, 65536 = 1.0
    std::optional<std::uint32_t> alpha_q16;
    std::optional<Bytes> limit;
    int pool = 0;
    int egress_pool = 0;  // number of the queue's egress pool, from 1; 0: none
    Bytes reserved = 0;   // bytes of the queue that its egress pool does not count
  };
  std::array<Queue, kPriorities> queues;
  // true if ECN marking differs from SwitchParameters::ecn or a queue has a limit
  bool queues_differ = false;
  std::uint8_t lossless = 0;
  // rules of each priority's class; empty: SharedBufferParameters apply
  std::array<std::optional<ClassRules>, kPriorities> rules;
  // headroom by priority; empty: the headroom of the port
  std::array<std::optional<Bytes>, kPriorities> headroom{};
  // scheduler of the port; empty: as the switch
  std::optional<EgressSchedulerParameters> scheduler;
  WatchdogParameters watchdog;
};

/// Resolves the settings of a port with this rate. The entries of `exceptions` apply in order, so
/// the last one wins.
PortSettings port_settings(const SwitchParameters& parameters, BitRate rate,
                           const std::vector<const PortException*>& exceptions,
                           std::uint32_t port_alpha_q16);

void describe_pools(ParameterVisitor& v, std::vector<PoolParameters>& pools);
void describe_egress_pools(ParameterVisitor& v, std::vector<EgressPoolParameters>& pools);
void describe_priorities(ParameterVisitor& v, PrioritySettings& priorities);

}  // namespace dcc
