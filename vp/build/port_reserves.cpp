// Checks that a switch's pools can supply the bytes that its ports reserve.
#include "build/port_exceptions.h"
#include "build/translate.h"
#include "config/yaml_reader.h"
#include "describe/quantity_text.h"

namespace dcc::vp {

void check_ports(const PlatformConfig& config, const Topology& topology) {
  const auto exceptions = port_exceptions(config, topology);
  const SwitchParameters parameters = switch_parameters(config);
  if (parameters.priorities.empty() && exceptions.empty()) return;
  // Size of each buffer pool in bytes.
  std::vector<Bytes> sizes{parameters.buffer - parameters.pfc.shared_headroom.value_or(0)};
  for (const PoolParameters& pool : parameters.pools) {
    sizes[0] -= pool.size;
    sizes.push_back(pool.size);
  }
  for (NodeId node = 0; node < static_cast<NodeId>(topology.nodes().size()); ++node) {
    if (topology.node(node).is_host) continue;
    std::vector<Bytes> reserved(sizes.size());
    for (int port = 0; port < topology.node(node).ports; ++port) {
      const PortSettings settings = port_settings(parameters, topology.link(node, port).rate,
                                                  exceptions_of(exceptions, node, port), 0);
      for (const std::optional<ClassRules>& rules : settings.rules) {
        if (rules) reserved[static_cast<std::size_t>(rules->pool)] += rules->reserved;
      }
    }
    for (std::size_t pool = 0; pool < sizes.size(); ++pool) {
      if (reserved[pool] < sizes[pool] || reserved[pool] == 0) continue;
      throw SettingError(
          parameters.priorities.empty() ? "switches" : "switch.priorities",
          "the ports of switch " + topology.node(node).name + " reserve " +
              text_of(reserved[pool]) + " of " +
              (pool == 0 ? "the buffer's" : "pool " + in_quotes(parameters.pools[pool - 1].name)) +
              (pool == 0 ? " " : " with ") + text_of(sizes[pool]) +
              ": give less `reserved`, or a larger " +
              (pool == 0 ? "switch.buffer" : "pool in switch.pools"));
    }
  }
}

}  // namespace dcc::vp
