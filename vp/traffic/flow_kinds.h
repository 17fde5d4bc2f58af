// Groups flows that can exchange places without an effect on the run.
#pragma once

#include <vector>

#include "fabric/routing.h"
#include "fabric/topology.h"
#include "traffic/flow_plan.h"

namespace dcc::vp {

/// Returns a number for each flow; flows of one kind share the number, counted from 0 in the order
/// of first occurrence. Flows of one kind are equal in everything known before the run: their own
/// properties, their single path apart from the sender's own link, and everything else that their
/// senders send. If a sender also receives, its flows are equal only among themselves, because ACKs
/// and data share the sender's link.
///
/// Senders of one kind could exchange places, with all their flows, and only names would change.
std::vector<unsigned> kinds_of(const std::vector<const PlannedFlow*>& flows,
                               const Topology& topology, const Routing& routing);

}  // namespace dcc::vp
