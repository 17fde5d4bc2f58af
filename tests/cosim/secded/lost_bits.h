// Memories of a verilated block (ram_guarded, flattened) whose bits a test can flip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

#include "../turned_bits.h"

namespace dcc {

constexpr std::uint32_t kWrong = 1, kCorrected = 2;  // bits of a report

/// One memory of the block Top: `data` bits in a word, whose check bits follow.
template <class Top>
struct LostBits {
  const char* name;
  unsigned number;  // in reports
  unsigned data;
  std::size_t words;
  void (*flip)(Top& top, std::size_t word, unsigned bit);

  unsigned part() const { return data < 64 ? data : 64; }
  /// Number of check bits of a part, as ram_guarded has them with Secded.
  unsigned checks() const {
    return part() <= 4 ? 4 : part() <= 11 ? 5 : part() <= 26 ? 6 : part() <= 57 ? 7 : 8;
  }
  unsigned bits() const { return data + checks() * ((data + part() - 1) / part()); }
};
template <class Top>
void PrintTo(const LostBits<Top>& one, std::ostream* out) {
  *out << one.name;
}

/// What a block has reported since begin().
struct Reports {
  std::uint64_t wrong = 0, corrected = 0, other = 0;  // other: of another memory
  std::uint32_t last = 0;                             // last report of a wrong word
  void take(std::uint32_t report, unsigned number) {
    if (report == 0) return;
    if ((report >> 2 & 31) != number) ++other;
    if ((report & kWrong) != 0) {
      ++wrong;
      last = report;
    } else {
      ++corrected;
    }
  }
};

}  // namespace dcc

/// The memory at a place in Top, as an element of a table of LostBits<Top>.
#define DCC_LOST_BITS(Top, name, number, data, words, place)                   \
  LostBits<Top> {                                                              \
    name, number, data, words, [](Top& top, std::size_t word, unsigned bit) {  \
      turn(top.rootp->place##__DOT__u_ram__DOT__u_array__DOT__mem[word], bit); \
    }                                                                          \
  }
