// Finds flows whose software posts too little for their share of a link.
#pragma once

#include <string>
#include <vector>

#include "diagnose/diagnosis.h"

namespace dcc::vp {

/// The reason why a flow got less than its weighted share of the goodput of `flows`: the flow's
/// software has only one message in flight and one message posted behind it. At the weighted share
/// a message takes less than a round trip, so the flow waits for completions. Empty if there is no
/// such flow. Precondition: evidence.results() is not null.
std::string too_little_posted(const Evidence& evidence,
                              const std::vector<const FlowResult*>& flows);

}  // namespace dcc::vp
