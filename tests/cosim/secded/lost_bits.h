// Memories of a verilated block (ram_guarded, flattened) in which a test can flip bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

#include "../turned_bits.h"

namespace dcc {

constexpr std::uint32_t kWrong = 1, kCorrected = 2;  // bits of an error report

/// A memory of the block Top. A word has `data` data bits, followed by its check bits.
template <class Top>
struct LostBits {
  const char* name;
  unsigned number;  // the memory's number in error reports
  unsigned data;
  std::size_t words;
  void (*flip)(Top& top, std::size_t word, unsigned bit);

  unsigned part() const { return data < 64 ? data : 64; }
  /// Number of check bits per part of a word, as ram_guarded has them with the parameter Secded.
  unsigned checks() const {
    return part() <= 4 ? 4 : part() <= 11 ? 5 : part() <= 26 ? 6 : part() <= 57 ? 7 : 8;
  }
  unsigned bits() const { return data + checks() * ((data + part() - 1) / part()); }
};
template <class Top>
void PrintTo(const LostBits<Top>& one, std::ostream* out) {
  *out << one.name;
}

/// The error reports of a block since begin().
struct Reports {
  std::uint64_t wrong = 0, corrected = 0, other = 0;  // counts; other: reports of other memories
  std::uint32_t last = 0;                             // last report of an uncorrectable word
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

/// An element of a table of LostBits<Top>: the memory at the path `place` in Top.
#define DCC_LOST_BITS(Top, name, number, data, words, place)                   \
  LostBits<Top> {                                                              \
    name, number, data, words, [](Top& top, std::size_t word, unsigned bit) {  \
      turn(top.rootp->place##__DOT__u_ram__DOT__u_array__DOT__mem[word], bit); \
    }                                                                          \
  }
