// What users name in a platform: flows by number, wires as "s0->h3", both ways of a cable "s0--h3",
// all at a node "h3".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fabric/topology.h"

namespace dcc::vp {

/// Numbers of the wires (two a cable, in cable order, as in Network::wires()) that `names` stand
/// for, rising, none twice; all of them when there are no names. Throws SettingError for `path`
/// when a name stands for none.
std::vector<std::size_t> select_wires(const Topology& topology,
                                      const std::vector<std::string>& names,
                                      const std::string& path);

/// Throws SettingError for `path` unless `flow` is below `flows`.
void require_flow(unsigned flow, std::size_t flows, const std::string& path);

}  // namespace dcc::vp
