#include "nic/nic_parameters.h"

#include "describe/visitor.h"

namespace dcc {

void CnpParameters::describe(ParameterVisitor& v) {
  v.field("interval", interval, {"0us", "1s"},
          {"at most one a flow in this time (adapter: 4us, proportional: 2us)", "SIGCOMM'15: N"});
  v.field("dscp", dscp, {"0", "63"}, {"DSCP of a CNP", ""});
  v.field("priority", priority, {"0", "7"}, {"802.1p priority of a CNP", ""});
  v.field("carry_marks", carry_marks, {},
          {"a CNP says how many CE marks it stands for (proportional: true)", ""});
}

}  // namespace dcc
