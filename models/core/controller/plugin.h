// What a plug-in says of itself, to be read before a line of it runs: by
// which interface, and with which layout of its structs, it was compiled.
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

/// Grows with every change of what a plug-in uses: nic/algorithm/algorithm.h,
/// nic/algorithm/registry.h, the visitor, controller/own_rate_unit.h.
constexpr std::uint32_t kPluginInterface = 6;

constexpr const char* kPluginSection = ".dccvp_plugin";

/// A number of the compiler's own layout of the interface: whoever changes a struct and forgets the
/// version is found out all the same.
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

/// Plain data: read out of the file, not out of memory.
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
