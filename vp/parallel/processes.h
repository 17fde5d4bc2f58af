// The processes that `mpirun` or `srun` started this program in.
#pragma once

#include <memory>

#include "parallel/process_group.h"

namespace dcc::vp {

/// Joins the others, if this process was started as one of several; null if it was not. Throws
/// std::runtime_error if it was, and the program was built without MPI. At most once.
///
/// A process that ends its group while an exception is on its way ends all others, which wait for
/// it.
std::unique_ptr<ProcessGroup> join_processes();

}  // namespace dcc::vp
