// Interface of an object that is called when a flow begins and may replace the flow's simulation.
#pragma once

#include "traffic/flow_plan.h"

namespace dcc::vp {

class FlowMemory {
 public:
  /// Called when a flow begins: at the opening of its gate if `gated`, else at its own start.
  /// Returns true if the flow must not be posted, because its course is known from memory.
  /// Otherwise the flow's queue pairs exist afterwards; those of a gated flow are created only
  /// then.
  virtual bool begins(const PlannedFlow& flow, bool gated) = 0;

 protected:
  ~FlowMemory() = default;
};

}  // namespace dcc::vp
