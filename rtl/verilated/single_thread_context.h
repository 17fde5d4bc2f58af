// What a verilated block lives in.
#pragma once

#include <verilated.h>

namespace dcc {

/// Without Verilator's pool of threads: the blocks are not verilated for it, and a copy of the
/// process (going back in a run) would wait for threads that it does not have.
class SingleThreadContext final : public VerilatedContext {
 public:
  SingleThreadContext() { threads(1); }
};

}  // namespace dcc
