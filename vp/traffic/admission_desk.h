// Interface of an object that decides when a flow may begin.
#pragma once

#include "traffic/flow_plan.h"

namespace dcc::vp {

class AdmissionDesk {
 public:
  /// Called when the sender's end of a flow is due to be created. Returns true to hold the flow
  /// back: then the desk calls DirectTraffic::admit() later, or never.
  virtual bool asks(const PlannedFlow& flow) = 0;

 protected:
  ~AdmissionDesk() = default;
};

}  // namespace dcc::vp
