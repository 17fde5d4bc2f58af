// Ranges of parameters that name a traffic class.
#pragma once

#include "describe/visitor.h"
#include "units.h"

namespace dcc {

inline Range any_dscp() { return {"0", kDscps - 1}; }
inline Range any_priority() { return {"0", static_cast<unsigned>(kPriorities) - 1}; }

}  // namespace dcc
