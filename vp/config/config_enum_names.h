// YAML names of the configuration's enumerations.
#pragma once

#include "config/platform_config.h"
#include "describe/enum_names.h"

namespace dcc {

DCC_ENUM_NAMES(vp::TelemetryKind, {vp::TelemetryKind::kAuto, "auto"},
               {vp::TelemetryKind::kOn, "on"}, {vp::TelemetryKind::kOff, "off"});
DCC_ENUM_NAMES(vp::Implementation, {vp::Implementation::kModel, "model"},
               {vp::Implementation::kRtl, "rtl"}, {vp::Implementation::kLockstep, "lockstep"});
DCC_ENUM_NAMES(vp::BlockImplementation, {vp::BlockImplementation::kNone, "none"},
               {vp::BlockImplementation::kModel, "model"}, {vp::BlockImplementation::kRtl, "rtl"},
               {vp::BlockImplementation::kLockstep, "lockstep"});
DCC_ENUM_NAMES(vp::DriverKind, {vp::DriverKind::kNative, "native"},
               {vp::DriverKind::kFirmware, "firmware"}, {vp::DriverKind::kNone, "none"});
DCC_ENUM_NAMES(MachineKind, {MachineKind::kDcc, "dcc"}, {MachineKind::kVirt, "virt"});
DCC_ENUM_NAMES(vp::FlowOutput, {vp::FlowOutput::kAll, "all"}, {vp::FlowOutput::kSketch, "sketch"},
               {vp::FlowOutput::kNone, "none"});
DCC_ENUM_NAMES(vp::FlowSeries, {vp::FlowSeries::kAll, "all"}, {vp::FlowSeries::kNone, "none"});
DCC_ENUM_NAMES(vp::QueueSeries, {vp::QueueSeries::kBusiest, "busiest"},
               {vp::QueueSeries::kAll, "all"}, {vp::QueueSeries::kNone, "none"});
DCC_ENUM_NAMES(vp::CounterReport, {vp::CounterReport::kAuto, "auto"},
               {vp::CounterReport::kAll, "all"}, {vp::CounterReport::kNone, "none"});
DCC_ENUM_NAMES(vp::TransactionTrace, {vp::TransactionTrace::kNone, "none"},
               {vp::TransactionTrace::kText, "text"}, {vp::TransactionTrace::kJson, "json"});

}  // namespace dcc
