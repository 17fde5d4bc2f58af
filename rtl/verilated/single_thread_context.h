// Verilator context for a verilated block that runs in one thread.
#pragma once

#include <verilated.h>

namespace dcc {

/// A context without Verilator's thread pool: the blocks are verilated for one thread, and a forked
/// process (reverse execution) would wait for threads that it does not have.
class SingleThreadContext final : public VerilatedContext {
 public:
  SingleThreadContext() { threads(1); }
};

}  // namespace dcc
