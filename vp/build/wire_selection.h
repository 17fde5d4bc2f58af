// Resolves names that users write: flows by number, wires such as "s0->h3", both directions of a
// cable "s0--h3", all wires at a node "h3".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fabric/topology.h"

namespace dcc::vp {

/// Returns the numbers of the named wires (two for each cable, in cable order, as in
/// Network::wires()), ascending and without duplicates; all wires if `names` is empty. Throws
/// SettingError for `path` if a name matches no wire.
std::vector<std::size_t> select_wires(const Topology& topology,
                                      const std::vector<std::string>& names,
                                      const std::string& path);

/// Checks the number of a flow. Throws SettingError for `path` unless `flow` is below `flows`.
void require_flow(unsigned flow, std::size_t flows, const std::string& path);

}  // namespace dcc::vp
