// Decodes instruction words into DecodedOp.
#pragma once

#include <cstdint>

#include "riscv/isa.h"

namespace dcc::riscv {

/// True if the halfword starts a 32-bit instruction (volume I, section 1.5).
constexpr bool is_long(std::uint32_t first_halfword) { return (first_halfword & 3) == 3; }

/// Decodes the instruction at `pc`: the whole word if is_long(bits), else its lower half.
/// Reserved and unimplemented encodings give Op::kIllegal. Branches and jumps keep their byte
/// offset in imm; the decode cache turns them into the near forms.
DecodedOp decode(std::uint32_t bits, std::uint32_t pc);

/// The 32-bit instruction that a compressed instruction stands for (volume I, chapter 16); 0 if the
/// encoding is reserved.
std::uint32_t expand_compressed(std::uint32_t halfword);

}  // namespace dcc::riscv
