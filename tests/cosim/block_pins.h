// A verilated block with the pins clk_i and rst_ni, which a test drives pin by pin.
#pragma once

#include <verilated.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "single_thread_context.h"

namespace dcc {

/// Owns a verilated block. Between two calls of edge() a test sets inputs, calls settle() and reads
/// outputs. Memories and flip-flops without a reset begin with random bits of `seed`.
template <class Verilated>
class BlockPins {
 public:
  explicit BlockPins(int seed) {
    context_.fatalOnError(false);  // a failed assertion throws instead of ending the process
    context_.randReset(2);
    context_.randSeed(seed);
    block_ = std::make_unique<Verilated>(&context_, "block");
  }
  ~BlockPins() { block_->final(); }
  Verilated* operator->() { return block_.get(); }

  void reset() {
    block_->rst_ni = 1;
    block_->clk_i = 0;
    block_->eval();
    block_->rst_ni = 0;
    for (int i = 0; i < 3; ++i) {
      settle();
      edge();
    }
    block_->rst_ni = 1;
  }
  void settle() { block_->eval(); }
  /// Executes one clock cycle. Throws std::runtime_error if an assertion failed.
  void edge() {
    block_->clk_i = 1;
    block_->eval();
    block_->clk_i = 0;
    block_->eval();
    if (context_.gotError())
      throw std::runtime_error("an assertion of the block failed; see above");
  }

 private:
  SingleThreadContext context_;
  std::unique_ptr<Verilated> block_;
};

}  // namespace dcc
