// Fuzzes the ELF loader: it refuses a file with one line, or loads it within RAM with sorted
// symbols.
#include <cstdint>
#include <string>
#include <vector>

#include "guided.h"
#include "riscv/elf_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dcc::riscv;
  static std::vector<std::uint8_t> ram(1u << 20);
  const MemoryRange range{0x8000'0000, static_cast<std::uint32_t>(ram.size())};
  try {
    const ElfFile file = ElfFile::parse(std::vector<std::uint8_t>(data, data + size), "fuzz.elf");
    file.check_fits(range);
    file.load(range, ram.data());
    for (const ElfFile::Segment& segment : file.segments()) {
      DCC_REQUIRE(segment.data.size() <= segment.memory_bytes);
      DCC_REQUIRE(segment.address >= range.base);
      DCC_REQUIRE(segment.address - range.base + std::uint64_t{segment.memory_bytes} <= range.size);
      file.symbols().with_address(segment.address);
    }
    file.symbols().with_address(file.entry());
    file.symbols().find(0xFFFF'FFFF);
    file.symbols().address_of("main");
  } catch (const ElfError& error) {
    const std::string what = error.what();
    DCC_REQUIRE(what.find("fuzz.elf") != std::string::npos);
    DCC_REQUIRE(what.find('\n') == std::string::npos);
  }
  return 0;
}
