// Programs of a few instructions for tests that run a program on a whole host: building blocks, and
// the ELF file.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "driver/memory_map.h"
#include "encode.h"

namespace dcc::riscv::test {

constexpr Word kT0 = 5, kT1 = 6, kT2 = 7, kT3 = 28;

using Program = std::vector<Word>;

/// Instructions that load a value into rd.
inline Program li(Word rd, std::uint32_t value) {
  return {lui(rd, (value + 0x800) >> 12),
          addi(rd, rd, static_cast<std::int32_t>(value << 20) >> 20)};
}
/// Instructions that store a value in the word at address + offset.
inline Program store(std::uint32_t address, std::uint32_t offset, std::uint32_t value) {
  Program out = li(kT0, address);
  const Program number = li(kT1, value);
  out.insert(out.end(), number.begin(), number.end());
  out.push_back(sw(kT1, kT0, static_cast<std::int32_t>(offset)));
  return out;
}
inline Program exit_with(Word rs) {
  Program out = li(kT0, DCC_SIM_CONTROL_BASE);
  out.push_back(sw(rs, kT0, DCC_SIM_CONTROL_EXIT));
  return out;
}
inline Program sequence(const std::vector<Program>& parts) {
  Program out;
  for (const Program& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

/// Writes `program` to a file, as an ELF executable with one segment at the start of RAM. Returns
/// false if the file could not be written.
inline bool write_elf(const std::string& path, const Program& program) {
  constexpr std::uint32_t kHeader = 52, kSegment = 32, kContents = kHeader + kSegment;
  const auto bytes = static_cast<std::uint32_t>(program.size() * 4);
  const std::vector<Word> words = {0x464C457F,
                                   0x00010101,
                                   0,
                                   0,
                                   2 | 243 << 16,
                                   1,
                                   DCC_RAM_BASE,
                                   kHeader,
                                   0,
                                   0,
                                   kHeader | kSegment << 16,
                                   1,
                                   0,  // one segment, no sections
                                   1,
                                   kContents,
                                   DCC_RAM_BASE,
                                   DCC_RAM_BASE,
                                   bytes,
                                   bytes,
                                   5,
                                   4};
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(words.data()), kContents);
  file.write(reinterpret_cast<const char*>(program.data()), bytes);
  return file.good();
}

}  // namespace dcc::riscv::test
