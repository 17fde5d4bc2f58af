// Memories of the controller that have parity, and a way to make them lose a bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "page_bench.h"

namespace dcc::page {

using MemoryWords = std::vector<std::vector<std::uint32_t>>;  // 32 bits each, the lowest first

struct GuardedMemory {
  const char* name;
  std::uint32_t cause;                               // the memory's bit of MEMORY_ERROR
  unsigned bits;                                     // number of bits of a word and its check bits
  void (*flip)(ControllerDut& small, unsigned bit);  // inverts one bit of every word
  bool unused = false;                               // true if the contents are never used
  // inverts one bit of one word
  void (*flip_word)(ControllerDut& small, std::size_t word, unsigned bit) = nullptr;
  MemoryWords (*words)(ControllerDut& small) = nullptr;
};
inline void PrintTo(const GuardedMemory& memory, std::ostream* out) { *out << memory.name; }
inline void flip_bit(ControllerDut& small, const GuardedMemory& memory, unsigned bit) {
  memory.flip(small, bit);
}

/// Memories of the controller that make_small_controller() returns.
const std::vector<GuardedMemory>& guarded_memories();
/// Memories that make_sparse_controller() has instead.
const std::vector<GuardedMemory>& sparse_memories();

/// A memory of make_secded_controller() whose words correct one wrong bit of 64.
struct SecdedMemory {
  GuardedMemory memory;
  unsigned number;  // in MEMORY_WORD
  unsigned data;    // number of data bits of a word; its check bits follow
  unsigned checks;  // check bits for each 64 data bits
  /// The 64 bits of data to which a bit of the word belongs.
  unsigned part_of(unsigned bit) const { return bit < data ? bit / 64 : (bit - data) / checks; }
};
inline void PrintTo(const SecdedMemory& one, std::ostream* out) { *out << one.memory.name; }
/// The small controller with an error-correcting code (parameter Secded).
std::unique_ptr<ControllerDut> make_secded_controller(std::uint32_t random_seed);
const std::vector<SecdedMemory>& secded_memories();
/// The same with recovery (parameter Rebuild).
std::unique_ptr<ControllerDut> make_rebuild_controller(std::uint32_t random_seed);
const std::vector<SecdedMemory>& rebuild_memories();

}  // namespace dcc::page
