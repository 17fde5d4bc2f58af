// Inverts bits of words in the state of a verilated block.
#pragma once

#include <verilated.h>

#include <cstddef>
#include <cstdint>

namespace dcc {

template <class Word>
void turn(Word& word, unsigned bit) {
  word = static_cast<Word>(word ^ static_cast<Word>(Word{1} << bit));
}
template <std::size_t N>
void turn(VlWide<N>& word, unsigned bit) {
  word.m_storage[bit / 32] ^= std::uint32_t{1} << bit % 32;
}

}  // namespace dcc
