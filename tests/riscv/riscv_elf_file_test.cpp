// Tests ELF files with valid fields that request too much memory.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "riscv/elf_file.h"

namespace dcc::riscv {
namespace {

using Bytes = std::vector<std::uint8_t>;

void put16(Bytes& to, std::uint32_t value) {
  to.push_back(static_cast<std::uint8_t>(value));
  to.push_back(static_cast<std::uint8_t>(value >> 8));
}
void put32(Bytes& to, std::uint32_t value) {
  put16(to, value);
  put16(to, value >> 16);
}

struct Program {
  std::uint32_t address;
  std::uint32_t file_bytes;
  std::uint32_t flags = 5;    // segment flags: read and execute
  std::uint32_t runs_at = 0;  // virtual address of the segment; 0: equal to its load address
  std::uint32_t tail = 0;     // size of the segment in memory beyond its size in the file
};

/// Makes an executable. All its segments take their contents from offset 0. It has `tables` equal
/// symbol tables of `symbols` symbols each, whose names all begin at the start of one string table.
Bytes elf(const std::vector<Program>& programs, std::uint32_t tables = 0, std::uint32_t symbols = 0,
          std::uint32_t string_bytes = 0) {
  constexpr std::uint32_t kHeader = 52, kProgram = 32, kSection = 40, kSymbol = 16;
  const auto segments = static_cast<std::uint32_t>(programs.size());
  const std::uint32_t sections_at = kHeader + segments * kProgram;
  const std::uint32_t sections = tables == 0 ? 0 : tables + 1;
  const std::uint32_t symbols_at = sections_at + sections * kSection;
  const std::uint32_t strings_at = symbols_at + symbols * kSymbol;
  Bytes out = {0x7F, 'E', 'L', 'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  put16(out, 2);
  put16(out, 243);
  put32(out, 1);
  put32(out, programs.front().address);
  put32(out, kHeader);
  put32(out, sections == 0 ? 0 : sections_at);
  put32(out, 0);
  put16(out, kHeader);
  put16(out, kProgram);
  put16(out, segments);
  put16(out, kSection);
  put16(out, sections);
  put16(out, 0);
  for (const Program& program : programs) {
    const std::uint32_t runs_at = program.runs_at == 0 ? program.address : program.runs_at;
    for (const std::uint32_t word : {1u, 0u, runs_at, program.address, program.file_bytes,
                                     program.file_bytes + program.tail, program.flags, 4u}) {
      put32(out, word);
    }
  }
  for (std::uint32_t i = 0; i < sections; ++i) {
    const bool strings = i == 0;
    for (const std::uint32_t word :
         {0u, strings ? 3u : 2u, 0u, 0u, strings ? strings_at : symbols_at,
          strings ? string_bytes : symbols * kSymbol, 0u, 0u, 1u, kSymbol}) {
      put32(out, word);
    }
  }
  for (std::uint32_t i = 0; i < symbols; ++i) {
    put32(out, 0);  // offset of the symbol's name in the string table
    put32(out, programs.front().address + i);
    put32(out, 4);
    put16(out, 2);
    put16(out, 1);
  }
  out.insert(out.end(), string_bytes, 'x');
  return out;
}

std::string error_of(const Bytes& bytes) {
  try {
    ElfFile::parse(bytes, "t.elf");
  } catch (const ElfError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RiscvElfFile, DataThatStartUpCodeCopiesLiesInRom) {
  const ElfFile file = ElfFile::parse(elf({{0x20000000, 64},
                                           {0x20000040, 16, 6, 0x80000000, 100},
                                           {0x20000050, 0, 6, 0x80001000, 8}}),
                                      "t.elf");
  ASSERT_EQ(file.segments().size(), 2u) << "what is only cleared is not loaded";
  EXPECT_EQ(file.segments()[1].memory_bytes, 16u) << "the tail is RAM's";
  const MemoryRange ram{0x80000000, 0x1000}, rom{0x20000000, 0x50};
  EXPECT_NO_THROW(file.check_fits(ram, rom));
  EXPECT_THROW(file.check_fits(ram), ElfError);
  EXPECT_THROW(file.check_fits(ram, {0x20000000, 0x4F}), ElfError);
  std::vector<std::uint8_t> in_ram(ram.size, 0xEE), in_rom(rom.size, 0xEE);
  file.load(ram, in_ram.data());
  file.load(rom, in_rom.data());
  EXPECT_EQ(in_ram, std::vector<std::uint8_t>(ram.size, 0xEE)) << "untouched";
  EXPECT_EQ(in_rom[0x40], 0x7F);
}

TEST(RiscvElfFile, LeavesReservedMemoryFree) {
  const ElfFile file = ElfFile::parse(elf({{0x80000000, 100}, {0x80000200, 16}}), "t.elf");
  EXPECT_NO_THROW(file.check_leaves_free({}, "nothing"));
  EXPECT_NO_THROW(file.check_leaves_free({0x80000064, 0x19C}, "the gap"));
  for (const MemoryRange& range : {MemoryRange{0x80000063, 1}, MemoryRange{0x8000020F, 100},
                                   MemoryRange{0x70000000, 0x10000001}}) {
    EXPECT_THROW(file.check_leaves_free(range, "the block"), ElfError);
  }
  try {
    file.check_leaves_free({0x80000100, 0x1000}, "the block");
  } catch (const ElfError& error) {
    EXPECT_STREQ(error.what(),
                 "t.elf: segment 0x80000200-0x8000020f overlaps the block 0x80000100-0x800010ff");
  }
}

TEST(RiscvElfFile, TakesASoundFile) {
  const ElfFile file = ElfFile::parse(elf({{0x80000000, 100}}, 1, 3, 10), "t.elf");
  ASSERT_EQ(file.segments().size(), 1u);
  EXPECT_EQ(file.segments()[0].data.size(), 100u);
  ASSERT_EQ(file.symbols().all().size(), 3u);
  EXPECT_EQ(file.symbols().all()[0].name, "xxxxxxxxxx");
}

// Linker scripts with a single segment often omit its execute flag.
TEST(RiscvElfFile, AnEntryMayLieInASegmentWithoutTheExecuteFlag) {
  constexpr std::uint32_t kReadWrite = 6;
  EXPECT_EQ(error_of(elf({{0x80000000, 64, kReadWrite}})), "accepted");
  Bytes elsewhere = elf({{0x80000000, 64, kReadWrite}});
  elsewhere[24] = 64;  // entry point: the first byte after the segment
  EXPECT_EQ(error_of(elsewhere), "t.elf: entry point 0x80000040 lies in no segment");
}

// Without a limit a file of 64 MiB could request terabytes of memory.
TEST(RiscvElfFile, SegmentsHoldNoMoreThanAFileMay) {
  Bytes file = elf({{0x80000000, 40'000'000}, {0xA0000000, 40'000'000}});
  file.resize(40'000'000);
  EXPECT_EQ(error_of(file), "t.elf: its segments hold more than 64 MiB");
}

TEST(RiscvElfFile, ManySegmentsAreComparedWithTheirNeighboursOnly) {
  std::vector<Program> programs;
  for (std::uint32_t i = 0; i < 60'000; ++i) programs.push_back({0x80000000 + i * 16, 16});
  EXPECT_EQ(error_of(elf(programs)), "accepted");
  programs[31'000].file_bytes = 17;
  EXPECT_EQ(error_of(elf(programs)),
            "t.elf: segments overlap: 0x80079180-0x80079190 and 0x80079190-0x8007919f");
}

TEST(RiscvElfFile, NamesAndTablesAreBounded) {
  EXPECT_EQ(error_of(elf({{0x80000000, 100}}, 1, 1, 4096)), "accepted");
  EXPECT_EQ(error_of(elf({{0x80000000, 100}}, 1, 1, 4097)),
            "t.elf: a symbol's name is longer than 4096 bytes");
  EXPECT_EQ(error_of(elf({{0x80000000, 100}}, 1, 1000, 10)), "accepted");
  EXPECT_EQ(error_of(elf({{0x80000000, 100}}, 2, 1000, 10)),
            "t.elf: more symbols than a file of its size can have");
  EXPECT_EQ(error_of(elf({{0x80000000, 100}}, 1, 20'000, 4000)),
            "t.elf: its symbols' names hold more than 64 MiB");
}

}  // namespace
}  // namespace dcc::riscv
