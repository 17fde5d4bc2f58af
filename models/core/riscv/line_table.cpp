#include "riscv/line_table.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "riscv/elf_file.h"

namespace dcc::riscv {
namespace {

struct Damaged {};

/// Reads little-endian values from a range of bytes and never beyond it.
class Cursor {
 public:
  Cursor() = default;
  Cursor(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  const std::uint8_t* at() const { return at_; }
  void skip(std::uint64_t bytes) {
    if (bytes > left()) throw Damaged{};
    at_ += bytes;
  }
  /// Returns a cursor over the next `bytes` bytes, and moves this cursor behind them.
  Cursor take(std::uint64_t bytes) {
    const std::uint8_t* const begin = at_;
    skip(bytes);
    return {begin, static_cast<std::size_t>(bytes)};
  }
  Cursor from(std::uint64_t offset) const {
    Cursor c = *this;
    c.skip(offset);
    return c;
  }
  std::uint32_t number(unsigned bytes) {
    Cursor c = take(bytes);
    std::uint32_t value = 0;
    for (unsigned i = 0; i < std::min(bytes, 4u); ++i) {
      value |= static_cast<std::uint32_t>(c.at_[i]) << (8 * i);
    }
    return value;
  }
  std::uint32_t u8() { return number(1); }
  std::uint32_t u16() { return number(2); }
  std::uint32_t u32() { return number(4); }
  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint32_t byte = u8();
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }
  std::int64_t sleb() {
    std::int64_t value = 0;
    unsigned shift = 0;
    for (;;) {
      const std::uint32_t byte = u8();
      if (shift < 57) value |= static_cast<std::int64_t>(byte & 0x7F) << shift;
      shift += 7;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0 && shift < 64) value -= std::int64_t{1} << shift;
      return value;
    }
  }
  std::string text() {
    const std::uint8_t* const end = std::find(at_, end_, std::uint8_t{0});
    if (end == end_) throw Damaged{};
    std::string s(at_, end);
    at_ = end + 1;
    return s;
  }

 private:
  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
};

/// The sections of an ELF file that contain its line table.
struct Sections {
  Cursor lines;         // section .debug_line
  Cursor line_strings;  // section .debug_line_str
  Cursor strings;       // section .debug_str
};

Sections find_sections(const std::vector<std::uint8_t>& bytes) {
  const Cursor file(bytes.data(), bytes.size());
  const std::uint32_t table = file.from(32).u32();
  const std::uint32_t count = file.from(48).u16();
  const std::uint32_t name_section = file.from(50).u16();
  Sections found;
  if (table == 0 || name_section >= count) return found;
  const auto header = [&](std::uint32_t i) { return file.from(table + std::uint64_t{i} * 40); };
  const std::uint32_t names = header(name_section).from(16).u32();
  for (std::uint32_t i = 0; i < count; ++i) {
    Cursor h = header(i);
    const std::string name = file.from(std::uint64_t{names} + h.u32()).text();
    Cursor* const wanted = name == ".debug_line"       ? &found.lines
                           : name == ".debug_line_str" ? &found.line_strings
                           : name == ".debug_str"      ? &found.strings
                                                       : nullptr;
    if (wanted == nullptr) continue;
    h.skip(12);
    const std::uint32_t offset = h.u32();
    const std::uint32_t size = h.u32();
    *wanted = file.from(offset).take(size);
  }
  return found;
}

}  // namespace

/// The line number program of one compilation unit: header, file names, and the state machine that
/// produces the rows.
class LineProgram {
 public:
  LineProgram(const Sections& sections, std::map<std::string, std::uint32_t>& known,
              LineTable& table)
      : sections_(sections), known_(known), table_(table) {}

  void run(Cursor unit) {
    version_ = unit.u16();
    if (version_ < 2 || version_ > 5)
      return;                         // a line number program of unknown version is skipped
    if (version_ == 5) unit.skip(2);  // skips sizes of addresses and of segment selectors
    const std::uint32_t header_bytes = unit.u32();
    Cursor header = unit.take(header_bytes);
    least_ = header.u8();
    if (version_ >= 4) header.skip(1);  // skips the number of operations per instruction word
    header.skip(1);                     // skips the flag whether rows begin as statements
    line_base_ = static_cast<std::int8_t>(header.u8());
    line_range_ = header.u8();
    opcode_base_ = header.u8();
    if (line_range_ == 0 || opcode_base_ == 0) throw Damaged{};
    for (std::uint32_t i = 1; i < opcode_base_; ++i) operands_[i] = header.u8();
    version_ == 5 ? read_names(header) : read_old_names(header);
    while (unit.left() != 0) step(unit);
  }

 private:
  void read_names(Cursor& header) {
    std::vector<std::string> directories;
    for (const auto& [path, directory] : read_entries(header)) directories.push_back(path);
    for (const auto& [path, directory] : read_entries(header)) {
      add_file(path, directory < directories.size() ? directories[directory] : "",
               directories.empty() ? "" : directories[0]);
    }
  }

  std::vector<std::pair<std::string, std::size_t>> read_entries(Cursor& header) {
    struct Field {
      std::uint64_t content, form;
    };
    std::vector<Field> fields(header.u8());
    for (Field& f : fields) {
      f.content = header.uleb();
      f.form = header.uleb();
    }
    const std::uint64_t count = header.uleb();
    if (count != 0 && (fields.empty() || count > header.left())) throw Damaged{};
    std::vector<std::pair<std::string, std::size_t>> entries(count);
    for (auto& [path, directory] : entries) {
      for (const Field& f : fields) {
        std::string text;
        const std::uint64_t number = read_form(header, f.form, text);
        if (f.content == 1) path = text;
        if (f.content == 2) directory = static_cast<std::size_t>(number);
      }
    }
    return entries;
  }

  std::uint64_t read_form(Cursor& c, std::uint64_t form, std::string& text) const {
    switch (form) {
      case 0x05:  // form data2
        return c.u16();
      case 0x06:  // form data4
        return c.u32();
      case 0x07:  // form data8
        return c.number(8);
      case 0x08:  // form string
        text = c.text();
        return 0;
      case 0x09:  // form block
        c.skip(c.uleb());
        return 0;
      case 0x0B:  // form data1
        return c.u8();
      case 0x0E:  // form strp
        text = sections_.strings.from(c.u32()).text();
        return 0;
      case 0x0F:  // form udata
        return c.uleb();
      case 0x1E:  // form data16: a checksum
        c.skip(16);
        return 0;
      case 0x1F:  // form line_strp
        text = sections_.line_strings.from(c.u32()).text();
        return 0;
      default:
        throw Damaged{};
    }
  }

  void read_old_names(Cursor& header) {
    std::vector<std::string> directories{""};
    for (std::string d = header.text(); !d.empty(); d = header.text()) directories.push_back(d);
    files_.push_back(0);  // file numbers begin with 1 before version 5, so entry 0 is unused
    for (std::string name = header.text(); !name.empty(); name = header.text()) {
      const std::uint64_t directory = header.uleb();
      header.uleb();  // skips the file's modification time
      header.uleb();  // skips the file's size
      add_file(name, directory < directories.size() ? directories[directory] : "", "");
    }
    if (files_.size() == 1) throw Damaged{};
    files_[0] = files_[1];
  }

  void add_file(const std::string& name, const std::string& directory, const std::string& base) {
    const auto absolute = [](const std::string& s) { return !s.empty() && s[0] == '/'; };
    std::string path = name;
    if (!absolute(path) && !directory.empty()) path = directory + "/" + path;
    if (!absolute(path) && !base.empty()) path = base + "/" + path;
    const auto [at, fresh] = known_.emplace(path, static_cast<std::uint32_t>(table_.files_.size()));
    if (fresh) table_.files_.push_back(path);
    files_.push_back(at->second);
  }

  void step(Cursor& unit) {
    const std::uint32_t opcode = unit.u8();
    if (opcode >= opcode_base_) {
      const std::uint32_t both = opcode - opcode_base_;
      advance(both / line_range_);
      line_ += static_cast<std::uint32_t>(line_base_) + both % line_range_;
      add_row(false);
      return;
    }
    switch (opcode) {
      case 0:
        extended(unit);
        break;
      case 1:
        add_row(false);
        break;
      case 2:
        advance(unit.uleb());
        break;
      case 3:
        line_ += static_cast<std::uint32_t>(unit.sleb());
        break;
      case 4:
        file_ = unit.uleb();
        break;
      case 8:
        advance((255 - opcode_base_) / line_range_);
        break;
      case 9:
        address_ += unit.u16();
        break;
      default:  // skips an opcode without effect on lines; the header has its number of operands
        for (std::uint32_t i = 0; i < operands_[opcode]; ++i) unit.uleb();
    }
  }

  void extended(Cursor& unit) {
    Cursor operation = unit.take(unit.uleb());
    switch (operation.u8()) {
      case 1:
        add_row(true);
        address_ = 0;
        file_ = line_ = 1;
        break;
      case 2:
        address_ = operation.u32();
        break;
      default:
        break;
    }
  }

  void advance(std::uint64_t operations) {
    address_ += static_cast<std::uint32_t>(operations * least_);
  }
  void add_row(bool ends) {
    if (file_ >= files_.size()) throw Damaged{};
    table_.rows_.push_back({address_, files_[static_cast<std::size_t>(file_)], line_, ends});
  }

  const Sections& sections_;
  std::map<std::string, std::uint32_t>& known_;
  LineTable& table_;
  std::uint32_t version_ = 0;
  std::uint32_t least_ = 1;
  std::int32_t line_base_ = 0;
  std::uint32_t line_range_ = 1;
  std::uint32_t opcode_base_ = 1;
  std::uint32_t operands_[256] = {};
  std::vector<std::uint32_t> files_;  // files of this unit, as indices into all files
  std::uint32_t address_ = 0;
  std::uint64_t file_ = 1;
  std::uint32_t line_ = 1;
};

LineTable LineTable::parse(const std::vector<std::uint8_t>& bytes, const std::string& name) {
  LineTable table;
  try {
    const Sections sections = find_sections(bytes);
    std::map<std::string, std::uint32_t> known;
    Cursor units = sections.lines;
    while (units.left() != 0) {
      LineProgram(sections, known, table).run(units.take(units.u32()));
    }
  } catch (const Damaged&) {
    throw ElfError(name + ": its line table (.debug_line) is damaged");
  }
  std::stable_sort(table.rows_.begin(), table.rows_.end(), [](const Row& a, const Row& b) {
    return a.address != b.address ? a.address < b.address : a.ends && !b.ends;
  });
  return table;
}

LineTable LineTable::read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw ElfError(path + ": cannot be opened");
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
  return parse(bytes, path);
}

const LineTable::Row* LineTable::find(std::uint32_t address) const {
  const auto behind =
      std::upper_bound(rows_.begin(), rows_.end(), address,
                       [](std::uint32_t a, const Row& row) { return a < row.address; });
  if (behind == rows_.begin() || std::prev(behind)->ends) return nullptr;
  return &*std::prev(behind);
}

}  // namespace dcc::riscv
