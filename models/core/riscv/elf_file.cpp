#include "riscv/elf_file.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>

namespace dcc::riscv {
namespace {

constexpr std::uint32_t kHeaderBytes = 52, kProgramHeaderBytes = 32, kSectionHeaderBytes = 40,
                        kSymbolBytes = 16;
constexpr std::uint16_t kTypeExecutable = 2, kMachineRiscv = 243;
constexpr std::uint32_t kFlagFloatAbi = 6, kFlagRve = 8;
constexpr std::uint32_t kLoadable = 1, kSectionSymbols = 2;
// upper limit of an ELF file's size, and of its loaded size, in bytes
constexpr std::size_t kMaxFileBytes = 64u << 20;
constexpr std::ptrdiff_t kMaxNameBytes = 4096;

std::string address_text(std::uint32_t v) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", v);
  return text;
}

}  // namespace

/// Reads the headers of an ELF file. The parser checks every offset against the end of the file
/// before use.
class ElfParser {
 public:
  ElfParser(const std::vector<std::uint8_t>& bytes, const std::string& name)
      : bytes_(bytes), name_(name) {}

  ElfFile run() {
    check_identity();
    file_.name_ = name_;
    file_.entry_ = u32(24);
    read_segments();
    read_symbols();
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw ElfError(name_ + ": " + what); }
  bool holds(std::uint64_t offset, std::uint64_t size) const {
    return offset <= bytes_.size() && size <= bytes_.size() - offset;
  }
  void need(std::uint64_t offset, std::uint64_t size, const std::string& what) const {
    if (!holds(offset, size)) {
      fail("truncated: " + what + " reaches to byte " + std::to_string(offset + size) +
           " of a file of " + std::to_string(bytes_.size()));
    }
  }
  std::uint32_t u16(std::uint64_t at) const { return bytes_[at] | bytes_[at + 1] << 8; }
  std::uint32_t u32(std::uint64_t at) const { return u16(at) | u16(at + 2) << 16; }

  void check_identity() const {
    if (bytes_.size() < 4 || std::memcmp(bytes_.data(), "\177ELF", 4) != 0) {
      fail("not an ELF file");
    }
    need(0, kHeaderBytes, "the ELF header");
    if (bytes_[4] != 1) fail("64-bit ELF; the CPU is 32-bit (RV32IMC)");
    if (bytes_[5] != 1) fail("big-endian ELF; the CPU is little-endian");
    if (u16(18) != kMachineRiscv) {
      fail("built for machine " + std::to_string(u16(18)) + "; RISC-V is 243");
    }
    if (u16(16) != kTypeExecutable) {
      fail("ELF type " + std::to_string(u16(16)) + "; only statically linked executables (2) load");
    }
    const std::uint32_t flags = u32(36);
    if ((flags & kFlagFloatAbi) != 0) fail("built for a floating-point ABI; the CPU has no F or D");
    if ((flags & kFlagRve) != 0) fail("built for RV32E");
  }

  void read_segments() {
    const std::uint32_t table = u32(28);
    const std::uint32_t count = u16(44);
    if (count != 0 && u16(42) != kProgramHeaderBytes) {
      fail("program headers of " + std::to_string(u16(42)) + " bytes; ELF32 has 32");
    }
    need(table, std::uint64_t{count} * kProgramHeaderBytes, "the program header table");
    for (std::uint32_t i = 0; i < count; ++i) {
      read_segment(i, std::uint64_t{table} + std::uint64_t{i} * kProgramHeaderBytes);
    }
    if (file_.segments_.empty()) fail("nothing to load: no PT_LOAD segment with contents");
    check_overlaps();
    // The entry point may lie in any segment, whatever the flags of the segment are: the model
    // executes any memory, and linker scripts that put everything into one segment leave the
    // execute flag out.
    const auto holds_entry = [this](const ElfFile::Segment& s) {
      return file_.entry_ - s.address < s.memory_bytes;
    };
    if (std::none_of(file_.segments_.begin(), file_.segments_.end(), holds_entry)) {
      fail("entry point " + address_text(file_.entry_) + " lies in no segment");
    }
    if ((file_.entry_ & 1) != 0) fail("entry point " + address_text(file_.entry_) + " is odd");
  }

  void read_segment(std::uint32_t index, std::uint64_t at) {
    const std::uint32_t offset = u32(at + 4);
    const std::uint32_t file_bytes = u32(at + 16);
    std::uint32_t memory_bytes = u32(at + 20);
    if (u32(at) != kLoadable || memory_bytes == 0) return;
    const std::string what = "segment " + std::to_string(index);
    if (file_bytes > memory_bytes) {
      fail(what + " has " + std::to_string(file_bytes) + " bytes in the file but only " +
           std::to_string(memory_bytes) + " in memory");
    }
    need(offset, file_bytes, what);
    const bool is_copied = u32(at + 8) != u32(at + 12) && file_bytes != memory_bytes;
    if (is_copied) memory_bytes = file_bytes;
    if (memory_bytes == 0) return;
    loaded_bytes_ += file_bytes;
    if (loaded_bytes_ > kMaxFileBytes) fail("its segments hold more than 64 MiB");
    ElfFile::Segment segment;
    segment.address = u32(at + 12);
    segment.memory_bytes = memory_bytes;
    if (std::uint64_t{segment.address} + memory_bytes > (std::uint64_t{1} << 32)) {
      fail(what + " at " + address_text(segment.address) +
           " runs past the end of the address space");
    }
    segment.data.assign(bytes_.begin() + offset, bytes_.begin() + offset + file_bytes);
    file_.segments_.push_back(std::move(segment));
  }

  void check_overlaps() const {
    std::vector<const ElfFile::Segment*> rising;
    for (const ElfFile::Segment& segment : file_.segments_) rising.push_back(&segment);
    std::stable_sort(rising.begin(), rising.end(),
                     [](const auto* a, const auto* b) { return a->address < b->address; });
    for (std::size_t i = 1; i < rising.size(); ++i) {
      const ElfFile::Segment& a = *rising[i - 1];
      const ElfFile::Segment& b = *rising[i];
      if (b.address - a.address < a.memory_bytes) {
        fail("segments overlap: " + range(a) + " and " + range(b));
      }
    }
  }
  static std::string range(const ElfFile::Segment& s) {
    return address_text(s.address) + "-" + address_text(s.address + s.memory_bytes - 1);
  }

  // Reads the symbol table. A file without a symbol table is accepted, a damaged symbol table is
  // not.
  void read_symbols() {
    const std::uint32_t table = u32(32);
    const std::uint32_t count = u16(48);
    if (table == 0 || count == 0) return;
    if (u16(46) != kSectionHeaderBytes) fail("section headers of a wrong size");
    need(table, std::uint64_t{count} * kSectionHeaderBytes, "the section header table");
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t at = std::uint64_t{table} + std::uint64_t{i} * kSectionHeaderBytes;
      if (u32(at + 4) != kSectionSymbols) continue;
      const std::uint32_t strings = u32(at + 24);
      if (strings >= count) fail("the symbol table's string section does not exist");
      read_symbol_section(at, std::uint64_t{table} + std::uint64_t{strings} * kSectionHeaderBytes);
    }
    file_.symbols_.sort();
  }

  void read_symbol_section(std::uint64_t section, std::uint64_t string_section) {
    const std::uint32_t offset = u32(section + 16);
    const std::uint32_t size = u32(section + 20);
    const std::uint32_t strings = u32(string_section + 16);
    const std::uint32_t string_bytes = u32(string_section + 20);
    need(offset, size, "the symbol table");
    need(strings, string_bytes, "the string table");
    symbols_seen_ += size / kSymbolBytes;
    if (symbols_seen_ > bytes_.size() / kSymbolBytes) {
      fail("more symbols than a file of its size can have");
    }
    for (std::uint32_t i = 0; i + kSymbolBytes <= size; i += kSymbolBytes) {
      const std::uint64_t at = std::uint64_t{offset} + i;
      const std::uint32_t type = bytes_[at + 12] & 15;
      const bool absolute_or_defined = u16(at + 14) != 0;
      // symbols of the types none, object and function name an address
      const bool names_an_address = type <= 2;
      if (!absolute_or_defined || !names_an_address) continue;
      const std::uint32_t name = u32(at);
      if (name >= string_bytes) fail("a symbol's name lies outside the string table");
      const auto first = bytes_.begin() + strings + name;
      const std::ptrdiff_t room = std::ptrdiff_t{string_bytes} - name;
      const auto end = std::find(first, first + std::min(room, kMaxNameBytes + 1), 0);
      if (end - first > kMaxNameBytes) {
        fail("a symbol's name is longer than " + std::to_string(kMaxNameBytes) + " bytes");
      }
      std::string text(first, end);
      name_bytes_ += text.size();
      if (name_bytes_ > kMaxFileBytes) fail("its symbols' names hold more than 64 MiB");
      // mapping symbols and local labels are skipped
      if (text.empty() || text[0] == '$' || text.rfind(".L", 0) == 0) continue;
      file_.symbols_.add({std::move(text), u32(at + 4), u32(at + 8), type == 2});
    }
  }

  const std::vector<std::uint8_t>& bytes_;
  const std::string& name_;
  std::uint64_t loaded_bytes_ = 0;
  std::uint64_t symbols_seen_ = 0;
  std::uint64_t name_bytes_ = 0;
  ElfFile file_;
};

ElfFile ElfFile::parse(const std::vector<std::uint8_t>& bytes, const std::string& name) {
  return ElfParser(bytes, name).run();
}

ElfFile ElfFile::read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw ElfError(path + ": cannot be opened");
  std::vector<std::uint8_t> bytes;
  char block[65536];
  while (in.read(block, sizeof block), in.gcount() > 0) {
    bytes.insert(bytes.end(), block, block + in.gcount());
    if (bytes.size() > kMaxFileBytes) throw ElfError(path + ": larger than 64 MiB");
  }
  if (in.bad() || !in.eof()) throw ElfError(path + ": cannot be read");
  return parse(bytes, path);
}

void ElfFile::check_fits(MemoryRange ram, MemoryRange rom) const {
  const auto lies_in = [](const Segment& s, MemoryRange range) {
    const std::uint32_t offset = s.address - range.base;
    return offset < range.size && s.memory_bytes <= range.size - offset;
  };
  std::uint64_t total = 0;
  for (const Segment& s : segments_) {
    if (!lies_in(s, rom)) total += s.memory_bytes;
  }
  if (total > ram.size) {
    throw ElfError(name_ + ": needs " + std::to_string(total) + " bytes; RAM has " +
                   std::to_string(ram.size));
  }
  for (const Segment& s : segments_) {
    if (lies_in(s, ram) || lies_in(s, rom)) continue;
    std::string where =
        "RAM " + address_text(ram.base) + "-" + address_text(ram.base + ram.size - 1);
    if (rom.size != 0) {
      where += " and ROM " + address_text(rom.base) + "-" + address_text(rom.base + rom.size - 1);
    }
    throw ElfError(name_ + ": segment " + address_text(s.address) + "-" +
                   address_text(s.address + s.memory_bytes - 1) + " lies outside " + where);
  }
  const std::optional<std::uint32_t> top = symbols_.address_of("__stack_top");
  const std::uint32_t limit = symbols_.address_of("__stack_limit").value_or(0);
  if (top && limit != 0 && limit < *top && (limit < ram.base || *top - ram.base > ram.size)) {
    throw ElfError(name_ + ": its stack " + address_text(limit) + "-" + address_text(*top - 1) +
                   " lies outside RAM " + address_text(ram.base) + "-" +
                   address_text(ram.base + ram.size - 1) +
                   "; it needs more RAM, or __image_bytes when it is linked");
  }
}

void ElfFile::check_leaves_free(MemoryRange reserved, const std::string& what) const {
  const std::uint64_t end = std::uint64_t{reserved.base} + reserved.size;
  for (const Segment& s : segments_) {
    if (s.address >= end || std::uint64_t{s.address} + s.memory_bytes <= reserved.base) continue;
    throw ElfError(name_ + ": segment " + address_text(s.address) + "-" +
                   address_text(s.address + s.memory_bytes - 1) + " overlaps " + what + " " +
                   address_text(reserved.base) + "-" +
                   address_text(static_cast<std::uint32_t>(end - 1)));
  }
}

void ElfFile::load(MemoryRange range, std::uint8_t* memory) const {
  for (const Segment& s : segments_) {
    if (s.address - range.base >= range.size) continue;
    std::uint8_t* const to = memory + (s.address - range.base);
    std::copy(s.data.begin(), s.data.end(), to);
    std::fill(to + s.data.size(), to + s.memory_bytes, std::uint8_t{0});
  }
}

}  // namespace dcc::riscv
