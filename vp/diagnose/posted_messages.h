// Finds flows whose software posts too little for their share of a link.
#pragma once

#include <string>
#include <vector>

#include "diagnose/diagnosis.h"

namespace dcc::vp {

/// Why a flow got less than its share by weight of what `flows` got together: its software has one
/// message under way and one posted behind it, and a message is sent within less than a round trip
/// at that share, so the flow waits for completions. Empty if there is no such flow.
/// Precondition: evidence.results() is not null.
std::string too_little_posted(const Evidence& evidence,
                              const std::vector<const FlowResult*>& flows);

}  // namespace dcc::vp
