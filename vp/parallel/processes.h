// Joins the processes that `mpirun` or `srun` started together.
#pragma once

#include <memory>

#include "parallel/process_group.h"

namespace dcc::vp {

/// Joins the other processes; returns null if this process was started alone. Throws
/// std::runtime_error if the program was built without MPI but was started as one of several. Call
/// at most once.
///
/// A process that destroys its group during exception handling ends all other processes, because
/// they wait for it.
std::unique_ptr<ProcessGroup> join_processes();

}  // namespace dcc::vp
