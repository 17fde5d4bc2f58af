// Which flows of a run nothing tells apart.
#pragma once

#include <vector>

#include "fabric/routing.h"
#include "fabric/topology.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

/// By flow, a number that those of one kind share, from 0 on in the order of their first. Flows of
/// one kind are alike in all that is known of them before they run: in what they are, in their one
/// and only way but for their sender's own link, and in what else their senders send. Whose sender
/// receives as well is like none but its sender's own others, for ACKs and data share that link,
/// and what it receives comes from somebody.
///
/// So senders of one kind's flows could change places, with all they send, and nothing would be
/// another than before but their names.
std::vector<unsigned> kinds_of(const std::vector<const PlannedFlow*>& flows,
                               const Topology& topology, const Routing& routing);

}  // namespace dcc::vp
