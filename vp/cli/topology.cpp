// dccvp topology: shows the network of a configuration as a table or a drawing.
#include "fabric/topology.h"

#include <cstdio>

#include "build/translate.h"
#include "cli/command.h"
#include "cli/text_table.h"
#include "config/yaml_reader.h"
#include "report/run_files.h"
#include "report/topology_svg.h"

namespace dcc::vp {
namespace {

struct TopologyArguments {
  ConfigArguments config;
  std::string svg;  // output path of the drawing; empty: standard output
};

std::string title_of(const Topology& topology, const char* kind) {
  const std::size_t switches = topology.nodes().size() - static_cast<std::size_t>(topology.hosts());
  const auto many = [](std::size_t n, const std::string& one, const std::string& more) {
    return std::to_string(n) + " " + (n == 1 ? one : more);
  };
  return std::string(kind) + ": " +
         many(static_cast<std::size_t>(topology.user_hosts()), "host", "hosts") +
         (topology.host_ports().several() ? " with " + std::to_string(topology.hosts()) + " ports"
                                          : "") +
         ", " + many(switches, "switch", "switches") + ", " +
         many(topology.cables().size(), "cable", "cables");
}

/// Returns a switch's oversubscription, the rate of its cables to lower layers over the rate of
/// those to higher layers, as "2 : 1"; "-" for a switch of the highest layer. Cables within a layer
/// do not count.
std::string oversubscription(const Topology& topology, const std::vector<int>& layers, NodeId n) {
  double down = 0;
  double up = 0;
  const int own = layers[static_cast<std::size_t>(n)];
  for (int port = 0; port < topology.node(n).ports; ++port) {
    const NodeId peer = topology.peer(n, port).node;
    const auto rate = static_cast<double>(topology.link(n, port).rate.bits_per_second);
    const int other = topology.node(peer).is_host ? -1 : layers[static_cast<std::size_t>(peer)];
    if (other < own) down += rate;
    if (other > own) up += rate;
  }
  if (up == 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.3g : 1", down / up);
  return text;
}

void print_table(const Topology& topology, const std::string& title) {
  std::printf("%s\n", title.c_str());
  for (const std::string& line : wrapped(cable_kinds(topology, " x "), 76)) {
    std::printf("  %s\n", line.c_str());
  }
  const std::vector<int> layers = topology_layers(topology);
  TextTable table({"switch", "layer", "ports", "to switches", "hosts", "down : up"});
  for (NodeId n = 0; n < static_cast<NodeId>(topology.nodes().size()); ++n) {
    if (topology.node(n).is_host) continue;
    std::vector<HostId> hosts;
    int attached = 0;  // number of ports that lead to hosts
    for (int port = 0; port < topology.node(n).ports; ++port) {
      const TopologyNode& peer = topology.node(topology.peer(n, port).node);
      if (!peer.is_host) continue;
      const HostId host = topology.host_ports().host_of(peer.host);
      if (hosts.empty() || hosts.back() != host) hosts.push_back(host);
      ++attached;
    }
    const int ports = topology.node(n).ports;
    table.add({topology.node(n).name, std::to_string(layers[static_cast<std::size_t>(n)]),
               std::to_string(ports), std::to_string(ports - attached),
               hosts.empty() ? "-" : host_range(hosts), oversubscription(topology, layers, n)});
  }
  if (!table.empty()) std::printf("\n%s", table.text().c_str());
}

void topology(const TopologyArguments& arguments, bool svg) {
  const LoadedConfig loaded = load_config(arguments.config.file, arguments.config.overrides);
  const Topology topology = [&] {
    try {
      return Topology::of(loaded.config.topology);
    } catch (const std::invalid_argument& error) {
      throw ConfigError(Place{loaded.file}, error.what());
    }
  }();
  const std::string title = title_of(topology, dcc::name_of(loaded.config.topology.kind));
  if (!svg) {
    print_table(topology, title);
    return;
  }
  const std::string drawing = topology_svg(topology, title);
  if (arguments.svg.empty()) {
    std::fputs(drawing.c_str(), stdout);
    return;
  }
  write_file(arguments.svg, drawing);
}

}  // namespace

void add_topology_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("topology", "the network of a configuration, as a table or a drawing");
  const auto arguments = std::make_shared<TopologyArguments>();
  arguments->config.add_to(*command, true);
  CLI::Option* const svg =
      command->add_option("--svg", arguments->svg, "draw it: to FILE, or to standard output")
          ->type_name("FILE")
          ->expected(0, 1);
  command->footer(
      "Examples:\n"
      "  dccvp topology configs/reproduce/fbhadoop_dcqcn.yaml\n"
      "  dccvp topology configs/demo.yaml --svg demo.svg");
  command->callback([arguments, svg, &status] {
    topology(*arguments, svg->count() > 0);
    status = kExitOk;
  });
}

}  // namespace dcc::vp
