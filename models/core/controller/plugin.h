// The description of a plug-in, which the loader reads before the plug-in's code runs: the version
// of the interface and the layout of the structs with which the plug-in was compiled.
#pragma once

#include <cstddef>
#include <cstdint>

#include "controller/controller_setup.h"
#include "controller/own_rate_unit.h"
#include "describe/visitor.h"
#include "nic/algorithm/registry.h"
#include "nic/nic_parameters.h"
#include "switch/switch_device.h"

namespace dcc {

/// Version number of the plug-in interface. Raise the number whenever one of the headers changes
/// that plug-ins include: nic/algorithm/algorithm.h, nic/algorithm/registry.h, describe/visitor.h
/// and controller/own_rate_unit.h.
constexpr std::uint32_t kPluginInterface = 8;

constexpr const char* kPluginSection = ".dccvp_plugin";

/// A hash of the sizes of the plug-in interface's structs. The hash detects a changed struct even
/// if the version was not raised.
constexpr std::uint32_t plugin_layout() {
  constexpr std::size_t kSizes[] = {sizeof(FlowStart),
                                    sizeof(SentInfo),
                                    sizeof(AckInfo),
                                    sizeof(CnpInfo),
                                    sizeof(AlgorithmNeeds),
                                    sizeof(AlgorithmCounters),
                                    sizeof(Algorithm::View),
                                    sizeof(AlgorithmContext),
                                    sizeof(Algorithms::Entry),
                                    sizeof(ControllerSetup),
                                    sizeof(AlgorithmParameters),
                                    sizeof(CnpParameters),
                                    sizeof(SwitchParameters),
                                    sizeof(ControllerConfig),
                                    sizeof(OwnRateUnit),
                                    sizeof(RateRegisters),
                                    sizeof(DecreaseRequest),
                                    sizeof(DecreaseResult),
                                    sizeof(IncreaseRequest),
                                    sizeof(IncreaseResult),
                                    sizeof(Leaf),
                                    sizeof(Doc),
                                    sizeof(ValueNode)};
  std::uint32_t layout = 2166136261u;
  for (const std::size_t size : kSizes) {
    layout = (layout ^ static_cast<std::uint32_t>(size)) * 16777619u;
  }
  return layout;
}

/// Description of a plug-in as plain data, which the loader reads from the plug-in's file.
struct PluginDescription {
  char magic[16];
  std::uint32_t interface;
  std::uint32_t layout;
};
constexpr PluginDescription kPluginDescription{
    {'d', 'c', 'c', 'v', 'p', ' ', 'p', 'l', 'u', 'g', '-', 'i', 'n', 0, 0, 0},
    kPluginInterface,
    plugin_layout()};

}  // namespace dcc
