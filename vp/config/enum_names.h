// The YAML names of every enumeration, in the order in which help lists them.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "config/platform_config.h"

namespace dcc::vp {

template <class E, std::size_t N>
using EnumNames = std::array<std::pair<E, const char*>, N>;

template <class E>
struct EnumTable;

#define DCC_ENUM(E, N, ...)                                    \
  template <>                                                  \
  struct EnumTable<E> {                                        \
    static constexpr EnumNames<E, N> kNames = {{__VA_ARGS__}}; \
  }

DCC_ENUM(AlgorithmKind, 8, {AlgorithmKind::kDcc, "dcc"}, {AlgorithmKind::kDcqcn, "dcqcn"},
         {AlgorithmKind::kQcn, "qcn"}, {AlgorithmKind::kTimely, "timely"},
         {AlgorithmKind::kDctcp, "dctcp"}, {AlgorithmKind::kHpcc, "hpcc"},
         {AlgorithmKind::kIbcc, "ibcc"}, {AlgorithmKind::kNone, "none"});
DCC_ENUM(Preset, 3, {Preset::kSig15, "sig15"}, {Preset::kAdapter, "adapter"},
         {Preset::kReference, "reference"});
DCC_ENUM(Policy, 2, {Policy::kDcqcn, "dcqcn"}, {Policy::kProportional, "proportional"});
DCC_ENUM(DcqcnVariant, 2, {DcqcnVariant::kStandard, "standard"},
         {DcqcnVariant::kSlotted, "slotted"});
DCC_ENUM(TimelyVariant, 2, {TimelyVariant::kOriginal, "original"},
         {TimelyVariant::kPatched, "patched"});
DCC_ENUM(TimelyUpdate, 2, {TimelyUpdate::kSegment, "segment"},
         {TimelyUpdate::kRoundTrip, "round_trip"});
DCC_ENUM(IbccGate, 2, {IbccGate::kArithmetic, "arithmetic"}, {IbccGate::kLiteral, "literal"});
DCC_ENUM(DctcpForm, 2, {DctcpForm::kWindow, "window"}, {DctcpForm::kRate, "rate"});
DCC_ENUM(TrafficKind, 9, {TrafficKind::kFlow, "flow"}, {TrafficKind::kIncast, "incast"},
         {TrafficKind::kOneToMany, "one_to_many"}, {TrafficKind::kPermutation, "permutation"},
         {TrafficKind::kAllToAll, "all_to_all"},
         {TrafficKind::kPartitionAggregate, "partition_aggregate"},
         {TrafficKind::kPoisson, "poisson"}, {TrafficKind::kTrace, "trace"},
         {TrafficKind::kBackground, "background"});
DCC_ENUM(FaultKind, 3, {FaultKind::kLoss, "loss"}, {FaultKind::kCnpLoss, "cnp_loss"},
         {FaultKind::kLinkDown, "link_down"});
DCC_ENUM(TopologyKind, 4, {TopologyKind::kStar, "star"}, {TopologyKind::kParkingLot, "parking_lot"},
         {TopologyKind::kFatTree, "fat_tree"}, {TopologyKind::kCustom, "custom"});
DCC_ENUM(NodeKind, 2, {NodeKind::kHost, "host"}, {NodeKind::kSwitch, "switch"});
DCC_ENUM(RoutingKind, 3, {RoutingKind::kEcmp, "ecmp"}, {RoutingKind::kSpray, "spray"},
         {RoutingKind::kLmc, "lmc"});
DCC_ENUM(MarkAt, 2, {MarkAt::kEnqueue, "enqueue"}, {MarkAt::kDequeue, "dequeue"});
DCC_ENUM(MarkPer, 2, {MarkPer::kQueue, "queue"}, {MarkPer::kPort, "port"});
DCC_ENUM(EgressSchedulerKind, 3, {EgressSchedulerKind::kFifo, "fifo"},
         {EgressSchedulerKind::kStrict, "strict"}, {EgressSchedulerKind::kEts, "ets"});
DCC_ENUM(Arbitration, 2, {Arbitration::kFifo, "fifo"}, {Arbitration::kRoundRobin, "round_robin"});
DCC_ENUM(PayloadKind, 2, {PayloadKind::kVirtual, "virtual"}, {PayloadKind::kReal, "real"});
DCC_ENUM(AckKind, 3, {AckKind::kNone, "none"}, {AckKind::kPerPacket, "per_packet"},
         {AckKind::kPerMessage, "per_message"});
DCC_ENUM(RecoveryKind, 2, {RecoveryKind::kNone, "none"}, {RecoveryKind::kGoBackN, "go_back_n"});
DCC_ENUM(TelemetryKind, 3, {TelemetryKind::kAuto, "auto"}, {TelemetryKind::kOn, "on"},
         {TelemetryKind::kOff, "off"});
DCC_ENUM(Implementation, 3, {Implementation::kModel, "model"}, {Implementation::kRtl, "rtl"},
         {Implementation::kLockstep, "lockstep"});
DCC_ENUM(DriverKind, 3, {DriverKind::kNative, "native"}, {DriverKind::kFirmware, "firmware"},
         {DriverKind::kNone, "none"});
DCC_ENUM(FlowSeries, 2, {FlowSeries::kAll, "all"}, {FlowSeries::kNone, "none"});
DCC_ENUM(QueueSeries, 3, {QueueSeries::kBusiest, "busiest"}, {QueueSeries::kAll, "all"},
         {QueueSeries::kNone, "none"});
DCC_ENUM(TransactionTrace, 3, {TransactionTrace::kNone, "none"}, {TransactionTrace::kText, "text"},
         {TransactionTrace::kJson, "json"});
#undef DCC_ENUM

/// The name of an enumerator as the YAML writes it.
template <class E>
const char* name_of(E value) {
  for (const auto& [enumerator, name] : EnumTable<E>::kNames) {
    if (enumerator == value) return name;
  }
  return "?";
}

/// "dcc | dcqcn | …": what a user may write.
template <class E>
std::string names_of_all() {
  std::string out;
  for (const auto& [enumerator, name] : EnumTable<E>::kNames) {
    out += (out.empty() ? "" : " | ") + std::string(name);
  }
  return out;
}

}  // namespace dcc::vp
