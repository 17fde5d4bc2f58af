// Parameters of a switch.
#pragma once

#include <cstdint>
#include <vector>

#include "describe/enum_names.h"
#include "fabric/balancers.h"
#include "switch/credits.h"
#include "switch/discipline.h"
#include "switch/ecn_marker.h"
#include "switch/egress_scheduler.h"
#include "switch/pfc.h"
#include "switch/port_settings.h"
#include "switch/qcn_point.h"
#include "units.h"
#include "wire/link.h"

namespace dcc {

class ParameterVisitor;

struct SwitchParameters {
  /// Order of packets from different inputs within one output queue.
  enum class Arbitration : std::uint8_t {
    kFifo,        // packets leave the switch in the order of arrival
    kRoundRobin,  // inputs take turns at an output, packet by packet
  };
  /// Order of packets that arrive at the same picosecond.
  enum class Ties : std::uint8_t {
    kWire,    // arrivals at one instant are ordered by link number
    kSeeded,  // arrivals at one instant are ordered at random, anew for each instant
  };
  /// Mechanism that keeps a neighbour from overrunning the switch's buffer.
  enum class FlowControl : std::uint8_t {
    kPfc,  // flow control by pause frames, if `pfc` enables them
    // flow control by credits: each input has a buffer per priority and advertises its free space
    kCredits,
  };
  Bytes buffer = 32_MiB;
  Bytes cell = 1;  // size of a buffer cell in bytes; a packet takes whole cells
  FlowControl flow_control = FlowControl::kPfc;
  Arbitration arbitration = Arbitration::kFifo;
  Ties ties = Ties::kWire;  // order of packets that arrive together; see Link::set_tie_order
  BalancerChoice routing;   // load balancer, which has a section of its own in configurations
  unsigned mtu = 1'000;     // payload bytes of a full packet from the network's NICs
  PicoSeconds jitter{};     // random delay that a link adds to each packet; see Link::set_jitter
  EcnParameters ecn;
  PfcParameters pfc;
  CreditParameters credits;
  EgressSchedulerParameters scheduler;
  QcnPointParameters qcn;
  std::vector<PoolParameters> pools;
  std::vector<EgressPoolParameters> egress_pools;
  PrioritySettings priorities;
  DisciplineChoice discipline;   // queueing discipline of all ports; auto: fifo
  Bytes largest_packet = 1'100;  // wire bytes of the largest packet; sets the automatic headroom
  /// True: the switch queues every packet, even one that could leave at once. For tests that
  /// compare both send paths.
  bool queue_all = false;

  bool pauses() const { return flow_control == FlowControl::kPfc && pfc.enabled; }
  /// Mask of the lossless priorities at ports without settings of their own; bit p is priority p.
  std::uint8_t lossless_priorities() const;
  /// Headroom that an input with this link needs, which is headroom_for() rounded to whole cells.
  Bytes headroom_needed(const LinkParameters& link) const;
  /// Headroom of each lossless class at an input with this link, unless the class has settings of
  /// its own.
  Bytes headroom_of(const LinkParameters& link) const {
    return pfc.headroom.value_or(headroom_needed(link));
  }
  bool has_credits() const { return flow_control == FlowControl::kCredits; }
  /// Credit buffer of one input and priority; both ends of the link use the same value.
  Bytes credit_buffer(const LinkParameters& link) const {
    return credits.buffer.value_or(credit_buffer_for(link, largest_packet));
  }

  /// Describes all switch parameters except `routing`.
  void describe(ParameterVisitor& v);
};

DCC_ENUM_NAMES(SwitchParameters::FlowControl, {SwitchParameters::FlowControl::kPfc, "pfc"},
               {SwitchParameters::FlowControl::kCredits, "credits"});

DCC_ENUM_NAMES(SwitchParameters::Arbitration, {SwitchParameters::Arbitration::kFifo, "fifo"},
               {SwitchParameters::Arbitration::kRoundRobin, "round_robin"});
DCC_ENUM_NAMES(SwitchParameters::Ties, {SwitchParameters::Ties::kWire, "wire"},
               {SwitchParameters::Ties::kSeeded, "seeded"});

}  // namespace dcc
