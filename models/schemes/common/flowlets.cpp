#include "schemes/common/flowlets.h"

#include "describe/visitor.h"

namespace dcc {

void FlowletParameters::describe(ParameterVisitor& v) {
  v.field("flowlet_gap", gap, {"10ns", "1s"},
          {"a flow that pauses so long may go on another way", "LetFlow, NSDI'17"});
  v.field("flowlet_entries", entries, {"1", "1048576"},
          {"flowlets a switch can tell apart; others share", "CONGA, SIGCOMM'14, 3.4"});
}

}  // namespace dcc
