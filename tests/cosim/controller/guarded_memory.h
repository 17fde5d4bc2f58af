// Memories of the controller that have parity, and a way to make them lose a bit.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "page_bench.h"

namespace dcc::page {

struct GuardedMemory {
  const char* name;
  std::uint32_t cause;                               // the memory's bit of MEMORY_ERROR
  unsigned bits;                                     // number of bits of a word and its check bits
  void (*flip)(ControllerDut& small, unsigned bit);  // inverts one bit of every word
  bool unused = false;                               // true if the contents are never used
};
inline void PrintTo(const GuardedMemory& memory, std::ostream* out) { *out << memory.name; }
inline void flip_bit(ControllerDut& small, const GuardedMemory& memory, unsigned bit) {
  memory.flip(small, bit);
}

/// Memories of the controller that make_small_controller() returns.
const std::vector<GuardedMemory>& guarded_memories();
/// Memories that make_sparse_controller() has instead.
const std::vector<GuardedMemory>& sparse_memories();

}  // namespace dcc::page
