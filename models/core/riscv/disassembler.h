// Disassembles decoded instructions, for traces.
#pragma once

#include <cstdint>
#include <string>

#include "riscv/isa.h"

namespace dcc::riscv {

/// Text of a decoded instruction: "addi a0,sp,16", "lw a5,-8(s0)", "csrrw zero,mstatus,a0". Jumps
/// show their target address. Compressed instructions show the instruction that they stand for.
std::string disassemble(const DecodedOp& op, std::uint32_t pc);

/// Text of an address or of an immediate value: 4096 → "0x1000".
std::string hex(std::uint32_t value);

/// ABI name of a register: 2 → "sp".
const char* register_name(unsigned index);

}  // namespace dcc::riscv
