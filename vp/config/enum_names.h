// The YAML names of the configuration's own enumerations.
#pragma once

#include "config/platform_config.h"
#include "describe/enum_names.h"

namespace dcc {

DCC_ENUM_NAMES(vp::TrafficKind, {vp::TrafficKind::kFlow, "flow"},
               {vp::TrafficKind::kIncast, "incast"}, {vp::TrafficKind::kOneToMany, "one_to_many"},
               {vp::TrafficKind::kPermutation, "permutation"},
               {vp::TrafficKind::kAllToAll, "all_to_all"},
               {vp::TrafficKind::kPartitionAggregate, "partition_aggregate"},
               {vp::TrafficKind::kPoisson, "poisson"}, {vp::TrafficKind::kTrace, "trace"},
               {vp::TrafficKind::kBackground, "background"});
DCC_ENUM_NAMES(vp::FaultKind, {vp::FaultKind::kLoss, "loss"}, {vp::FaultKind::kCnpLoss, "cnp_loss"},
               {vp::FaultKind::kLinkDown, "link_down"});
DCC_ENUM_NAMES(vp::TopologyKind, {vp::TopologyKind::kStar, "star"},
               {vp::TopologyKind::kParkingLot, "parking_lot"},
               {vp::TopologyKind::kFatTree, "fat_tree"},
               {vp::TopologyKind::kLeafSpine, "leaf_spine"}, {vp::TopologyKind::kRail, "rail"},
               {vp::TopologyKind::kTorus, "torus"}, {vp::TopologyKind::kDragonfly, "dragonfly"},
               {vp::TopologyKind::kCustom, "custom"});
DCC_ENUM_NAMES(vp::NodeKind, {vp::NodeKind::kHost, "host"}, {vp::NodeKind::kSwitch, "switch"});
DCC_ENUM_NAMES(vp::TelemetryKind, {vp::TelemetryKind::kAuto, "auto"},
               {vp::TelemetryKind::kOn, "on"}, {vp::TelemetryKind::kOff, "off"});
DCC_ENUM_NAMES(vp::Implementation, {vp::Implementation::kModel, "model"},
               {vp::Implementation::kRtl, "rtl"}, {vp::Implementation::kLockstep, "lockstep"});
DCC_ENUM_NAMES(vp::DriverKind, {vp::DriverKind::kNative, "native"},
               {vp::DriverKind::kFirmware, "firmware"}, {vp::DriverKind::kNone, "none"});
DCC_ENUM_NAMES(vp::FlowSeries, {vp::FlowSeries::kAll, "all"}, {vp::FlowSeries::kNone, "none"});
DCC_ENUM_NAMES(vp::QueueSeries, {vp::QueueSeries::kBusiest, "busiest"},
               {vp::QueueSeries::kAll, "all"}, {vp::QueueSeries::kNone, "none"});
DCC_ENUM_NAMES(vp::TransactionTrace, {vp::TransactionTrace::kNone, "none"},
               {vp::TransactionTrace::kText, "text"}, {vp::TransactionTrace::kJson, "json"});

}  // namespace dcc
