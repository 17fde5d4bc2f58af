#include "schemes/common/flowlets.h"

#include "describe/visitor.h"

namespace dcc {

void FlowletParameters::describe(ParameterVisitor& v) {
  v.field("flowlet_gap", gap, {"10ns", "1s"},
          {"least pause of a flow after which it may take another path", "LetFlow, NSDI'17"});
  v.field("flowlet_entries", entries, {"1", "1048576"},
          {"flowlets that a switch can distinguish; more share entries", "CONGA, SIGCOMM'14, 3.4"});
}

}  // namespace dcc
