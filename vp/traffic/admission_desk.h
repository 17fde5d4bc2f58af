// Interface that is asked before a flow begins, and may hold the flow back.
#pragma once

#include "traffic/flow_plan.h"

namespace dcc::vp {

class AdmissionDesk {
 public:
  /// Called when the sender's end of a flow is due to be created. Returns true if the flow waits:
  /// then the desk calls DirectTraffic::admit() later, or never.
  virtual bool asks(const PlannedFlow& flow) = 0;

 protected:
  ~AdmissionDesk() = default;
};

}  // namespace dcc::vp
