#include "build/wire_selection.h"

#include <fmt/format.h>

#include <set>

#include "config/yaml_reader.h"
#include "describe/quantity_text.h"

namespace dcc::vp {

namespace {
/// Returns all names of a wire: the wire, its cable from either side, and its ends.
std::vector<std::string> names_of_wire(const Topology& topology, const Cable& cable, int side) {
  const CableEnd from = cable.end[side];
  const CableEnd to = cable.end[1 - side];
  const std::string forth = topology.wire_name(from.node, from.port);
  const std::string back = topology.wire_name(to.node, to.port);
  const auto as_cable = [](std::string wire) { return wire.replace(wire.find("->"), 2, "--"); };
  std::vector<std::string> names{forth, as_cable(forth), as_cable(back)};
  for (const CableEnd& end : cable.end) {
    const std::string& name = topology.node(end.node).name;
    names.push_back(name);
    // The name of a host with several ports stands for all ports of the host.
    const std::size_t dot = name.find('.');
    if (dot != std::string::npos) names.push_back(name.substr(0, dot));
  }
  return names;
}
}  // namespace

std::vector<std::size_t> select_wires(const Topology& topology,
                                      const std::vector<std::string>& names,
                                      const std::string& path) {
  std::set<std::string> unused(names.begin(), names.end());
  std::set<std::string> known;
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < 2 * topology.cables().size(); ++i) {
    bool wanted = names.empty();
    for (const std::string& name :
         names_of_wire(topology, topology.cables()[i / 2], static_cast<int>(i % 2))) {
      known.insert(name);
      unused.erase(name);
      for (const std::string& listed : names) wanted = wanted || listed == name;
    }
    if (wanted) chosen.push_back(i);
  }
  if (!unused.empty()) {
    const std::string& name = *unused.begin();
    const std::string near = nearest(name, known);
    throw SettingError(path, "there is no port " + in_quotes(name) +
                                 (near.empty() ? "; they are named as '" + *known.begin() + "'"
                                               : "; did you mean '" + near + "'?"));
  }
  return chosen;
}

void require_flow(unsigned flow, std::size_t flows, const std::string& path) {
  if (flow < flows) return;
  throw SettingError(
      path, flows == 0 ? "there are no flows"
                       : fmt::format("there is no flow {}: there are 0 to {}", flow, flows - 1));
}

}  // namespace dcc::vp
