#include "build/port_exceptions.h"

#include <algorithm>
#include <set>
#include <string>

#include "config/yaml_reader.h"
#include "describe/quantity_text.h"

namespace dcc::vp {

namespace {

/// Returns all names of one port of a switch.
std::vector<std::string> names_of_port(const Topology& topology, NodeId node, int port) {
  const CableEnd peer = topology.peer(node, port);
  const std::string forth = topology.wire_name(node, port);
  const std::string back = topology.wire_name(peer.node, peer.port);
  const auto as_cable = [](std::string wire) { return wire.replace(wire.find("->"), 2, "--"); };
  std::vector<std::string> names{topology.node(node).name, forth, as_cable(forth), as_cable(back)};
  if (topology.node(peer.node).is_host) {
    const std::string& host = topology.node(peer.node).name;
    names.push_back(host);
    // The name of a host with several ports stands for all ports of the host.
    const std::size_t dot = host.find('.');
    if (dot != std::string::npos) names.push_back(host.substr(0, dot));
  }
  return names;
}

bool matches(const std::string& written, const std::string& name) {
  if (written.empty() || written.back() != '*') return written == name;
  const std::string beginning = written.substr(0, written.size() - 1);
  return name.compare(0, beginning.size(), beginning) == 0;
}

[[noreturn]] void refuse_name(const std::string& path, const std::string& name,
                              const std::set<std::string>& known) {
  const std::string near = nearest(name, known);
  throw SettingError(path, "no port of a switch is named " + in_quotes(name) +
                               (near.empty() ? "; ports are named as '" + *known.begin() + "'"
                                             : "; did you mean '" + near + "'?"));
}

}  // namespace

ExceptionsByPort port_exceptions(const PlatformConfig& config, const Topology& topology) {
  ExceptionsByPort found;
  if (config.switches.empty()) return found;
  found.resize(topology.nodes().size());
  for (std::size_t i = 0; i < config.switches.size(); ++i) {
    const PortException& one = config.switches[i];
    const std::string path = "switches." + std::to_string(i);
    std::set<std::string> unused(one.ports.begin(), one.ports.end());
    std::set<std::string> known;
    bool any_rate = false;
    for (NodeId node = 0; node < static_cast<NodeId>(topology.nodes().size()); ++node) {
      const TopologyNode& of = topology.node(node);
      if (of.is_host) continue;
      auto& ports = found[static_cast<std::size_t>(node)];
      ports.resize(static_cast<std::size_t>(of.ports));
      for (int port = 0; port < of.ports; ++port) {
        bool wanted = one.ports.empty();
        const std::vector<std::string> names = names_of_port(topology, node, port);
        for (const std::string& written : one.ports) {
          const bool any = std::any_of(names.begin(), names.begin() + 1,
                                       [&](const auto& name) { return matches(written, name); }) ||
                           std::find(names.begin(), names.end(), written) != names.end();
          if (!any) continue;
          wanted = true;
          unused.erase(written);
        }
        known.insert(names.begin(), names.end());
        const BitRate rate = topology.link(node, port).rate;
        if (!wanted || (one.rate && rate.bits_per_second != one.rate->bits_per_second)) continue;
        any_rate = true;
        ports[static_cast<std::size_t>(port)].push_back(&one);
      }
    }
    if (!unused.empty()) refuse_name(path + ".ports", *unused.begin(), known);
    if (!any_rate) {
      throw SettingError(path + ".rate", "none of these ports has a rate of " + text_of(*one.rate));
    }
  }
  return found;
}

const std::vector<const PortException*>& exceptions_of(const ExceptionsByPort& all, NodeId node,
                                                       int port) {
  static const std::vector<const PortException*> kNone;
  return all.empty() ? kNone : all[static_cast<std::size_t>(node)][static_cast<std::size_t>(port)];
}

}  // namespace dcc::vp
