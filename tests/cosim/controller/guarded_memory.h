// Parity-protected memories of the controller, and functions that flip bits in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "page_bench.h"

namespace dcc::page {

// words of 32-bit parts, lowest part first
using MemoryWords = std::vector<std::vector<std::uint32_t>>;

struct GuardedMemory {
  const char* name;
  std::uint32_t cause;  // bit of the register MEMORY_ERROR that reports this memory
  unsigned bits;        // number of data bits and check bits of a word
  void (*flip)(ControllerDut& small, unsigned bit);  // inverts one bit of every word
  // inverts one bit of one word
  void (*flip_word)(ControllerDut& small, std::size_t word, unsigned bit) = nullptr;
  MemoryWords (*words)(ControllerDut& small) = nullptr;
};
inline void PrintTo(const GuardedMemory& memory, std::ostream* out) { *out << memory.name; }
inline void flip_bit(ControllerDut& small, const GuardedMemory& memory, unsigned bit) {
  memory.flip(small, bit);
}

/// The parity-protected memories of the controller that make_small_controller() returns.
const std::vector<GuardedMemory>& guarded_memories();
/// The memories that only make_sparse_controller() has, in place of the direct flow table.
const std::vector<GuardedMemory>& sparse_memories();

/// A memory of make_secded_controller(), in which one wrong bit of each 64 data bits is corrected.
struct SecdedMemory {
  GuardedMemory memory;
  unsigned number;  // the memory's number in the register MEMORY_WORD
  unsigned data;    // number of data bits of a word, before its check bits
  unsigned checks;  // number of check bits for each 64 data bits
  bool parity =
      false;  // true if the memory only has parity, so that one lost bit makes a word wrong
  /// Index of the 64-bit part that a data bit or check bit belongs to.
  unsigned part_of(unsigned bit) const { return bit < data ? bit / 64 : (bit - data) / checks; }
};
inline void PrintTo(const SecdedMemory& one, std::ostream* out) { *out << one.memory.name; }
/// Makes the small controller with an error-correcting code in its memories (parameter Secded).
std::unique_ptr<ControllerDut> make_secded_controller(std::uint32_t random_seed);
const std::vector<SecdedMemory>& secded_memories();
GuardedMemory secded_byte_queue();
/// Makes the small controller with an error-correcting code and recovery from lost words (parameter
/// Rebuild).
std::unique_ptr<ControllerDut> make_rebuild_controller(std::uint32_t random_seed);
const std::vector<SecdedMemory>& rebuild_memories();

}  // namespace dcc::page
