#include "riscv/profile.h"

#include <algorithm>

#include "riscv/decoder.h"
#include "riscv/disassembler.h"

namespace dcc::riscv {
namespace {

constexpr unsigned kSp = 2;

bool is_branch(Op op) { return op >= Op::kBeq && op <= Op::kBgeuNear; }

}  // namespace

Profile::Profile(const ElfFile& program, const LineTable& lines, const Hart& hart,
                 std::optional<unsigned> number)
    : program_(program), lines_(lines), hart_(hart), tracker_(*this, &program.symbols()) {
  // Every segment with data counts as code, whatever its flags say. Segments may be far from one
  // another, as in ROM and RAM.
  std::map<std::uint64_t, std::uint64_t> ends;  // end of the segments' bytes, by their begin
  for (const ElfFile::Segment& s : program.segments()) {
    if (s.data.empty()) continue;
    std::uint64_t& end = ends[s.address & ~1u];
    end = std::max(end, std::uint64_t{s.address} + s.data.size());
  }
  for (const auto& [begin, end] : ends) {
    const bool apart = spans_.empty() ||
                       begin > spans_.back().base + 2 * std::uint64_t{spans_.back().counts.size()};
    if (apart) spans_.push_back({static_cast<std::uint32_t>(begin), {}});
    std::vector<Count>& counts = spans_.back().counts;
    counts.resize(std::max<std::size_t>(counts.size(), (end - spans_.back().base + 1) / 2));
  }
  const auto symbol = [&](const char* name) {
    return program.symbols().address_of(name).value_or(0);
  };
  stack_top_ = symbol("__stack_top");
  stack_limit_ = symbol("__stack_limit");
  if (number) {
    const std::uint32_t bytes = symbol("__hart_stack_bytes");
    stack_top_ -= *number * bytes;
    stack_limit_ = bytes != 0 && stack_limit_ != 0 ? stack_top_ - bytes : 0;
  }
  lowest_sp_ = stack_top_;
}

void Profile::executed(const DecodedOp& op, std::uint32_t pc, std::uint32_t next, bool trapped) {
  if (Count* const count = at(pc)) {
    ++count->executed;
    if (next != pc + 2u * op.halfwords && !trapped) ++count->taken;
  }
  const std::uint32_t sp = hart_.reg(kSp);
  if (sp < lowest_sp_ && sp >= stack_limit_) {
    lowest_sp_ = sp;
    lowest_pc_ = pc;
  }
  site_ = pc;
  target_ = next;
  tracker_.executed(op, pc, next, trapped, hart_.steps());
}

void Profile::interrupted(std::uint32_t from, std::uint32_t handler) {
  site_ = from;
  target_ = handler;
  tracker_.interrupted(from, handler, hart_.steps());
}

void Profile::finish() { tracker_.finish(hart_.steps()); }

void Profile::enter(std::uint64_t cost, const std::string&) {
  open_.push_back({site_, target_, cost});
}

void Profile::leave(std::uint64_t cost) {
  const OpenCall call = open_.back();
  open_.pop_back();
  if (open_.empty()) return;  // the program's first function has no caller
  Edge& edge = edges_[{call.site, call.target}];
  ++edge.calls;
  edge.cost += cost - call.begin;
}

std::optional<Profile::StackUse> Profile::stack_use() const {
  if (stack_top_ <= stack_limit_ || stack_limit_ == 0) return std::nullopt;
  return StackUse{stack_top_ - lowest_sp_, stack_top_ - stack_limit_, lowest_pc_};
}

std::string Profile::function_at(std::uint32_t address) const {
  const SymbolTable::Symbol* const symbol = program_.symbols().find(address);
  return symbol != nullptr ? symbol->name : hex(address);
}

std::uint32_t Profile::bits_at(std::uint32_t address) const {
  std::uint32_t bits = 0;
  for (const ElfFile::Segment& s : program_.segments()) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t offset = address + i - s.address;
      if (offset < s.data.size()) bits |= std::uint32_t{s.data[offset]} << (8 * i);
    }
  }
  return bits;
}

// The count of a line is the greatest count of the addresses at which the line's code begins.
std::map<std::uint32_t, Profile::FileCoverage> Profile::by_file() const {
  std::map<std::uint32_t, FileCoverage> files;
  for (const LineTable::Row& row : lines_.rows()) {
    const Count* const count = at(row.address);
    if (row.ends || row.line == 0 || count == nullptr) continue;
    std::uint64_t& line = files[row.file].lines[row.line];
    line = std::max(line, count->executed);
  }
  for (const SymbolTable::Symbol& symbol : program_.symbols().all()) {
    const LineTable::Row* const row = lines_.find(symbol.address);
    if (!symbol.is_function || row == nullptr || at(symbol.address) == nullptr) continue;
    files[row->file].functions.push_back(&symbol);
    add_branches(symbol, files);
  }
  return files;
}

void Profile::add_branches(const SymbolTable::Symbol& function,
                           std::map<std::uint32_t, FileCoverage>& files) const {
  const std::uint32_t end = function.address + function.bytes;
  for (std::uint32_t pc = function.address; pc < end;) {
    const DecodedOp op = decode(bits_at(pc), pc);
    const LineTable::Row* const row = lines_.find(pc);
    const Count* const count = at(pc);
    if (is_branch(op.op) && row != nullptr && row->line != 0 && count != nullptr) {
      files[row->file].branches[row->line].push_back(*count);
    }
    pc += 2u * op.halfwords;
  }
}

void Profile::write_coverage(std::ostream& out) const {
  for (const auto& [file, coverage] : by_file()) {
    out << "TN:\nSF:" << lines_.files()[file] << '\n';
    std::size_t hit = 0;
    for (const SymbolTable::Symbol* f : coverage.functions) {
      out << "FN:" << lines_.find(f->address)->line << ',' << f->name << '\n';
    }
    for (const SymbolTable::Symbol* f : coverage.functions) {
      const std::uint64_t calls = at(f->address)->executed;
      hit += calls != 0;
      out << "FNDA:" << calls << ',' << f->name << '\n';
    }
    out << "FNF:" << coverage.functions.size() << "\nFNH:" << hit << '\n';
    std::size_t found = 0;
    hit = 0;
    for (const auto& [line, branches] : coverage.branches) {
      for (std::size_t i = 0; i < branches.size(); ++i) {
        const Count& b = branches[i];
        const std::uint64_t ways[] = {b.taken, b.executed - b.taken};
        for (unsigned way = 0; way < 2; ++way) {
          out << "BRDA:" << line << ',' << i << ',' << way << ','
              << (b.executed != 0 ? std::to_string(ways[way]) : "-") << '\n';
          ++found;
          hit += ways[way] != 0;
        }
      }
    }
    out << "BRF:" << found << "\nBRH:" << hit << '\n';
    hit = 0;
    for (const auto& [line, count] : coverage.lines) {
      out << "DA:" << line << ',' << count << '\n';
      hit += count != 0;
    }
    out << "LF:" << coverage.lines.size() << "\nLH:" << hit << "\nend_of_record\n";
  }
}

void Profile::write_calls(std::ostream& out, std::uint32_t site) const {
  const auto line_of = [this](std::uint32_t address) {
    const LineTable::Row* const row = lines_.find(address);
    return row != nullptr ? row->line : 0;
  };
  for (auto edge = edges_.lower_bound({site, 0}); edge != edges_.end() && edge->first.first == site;
       ++edge) {
    const std::uint32_t target = edge->first.second;
    const LineTable::Row* const row = lines_.find(target);
    out << "cfi=" << (row != nullptr ? lines_.files()[row->file] : "???")
        << "\ncfn=" << function_at(target) << "\ncalls=" << edge->second.calls << ' ' << hex(target)
        << ' ' << line_of(target) << '\n'
        << hex(site) << ' ' << line_of(site) << ' ' << edge->second.cost << '\n';
  }
}

void Profile::write_callgrind(std::ostream& out, const std::string& command) const {
  std::uint64_t total = 0;
  for (const Span& span : spans_) {
    for (const Count& c : span.counts) total += c.executed;
  }
  out << "# callgrind format\nversion: 1\ncreator: dccvp\ncmd: " << command
      << "\npositions: instr line\nevents: Ir\nsummary: " << total << "\n";
  std::string function;
  std::string file;
  const auto write_cost = [&](std::uint32_t pc, std::uint64_t executed) {
    const LineTable::Row* const row = lines_.find(pc);
    const std::string here = row != nullptr ? lines_.files()[row->file] : "???";
    const std::string name = function_at(pc);
    if (name != function) {
      out << "\nfl=" << here << "\nfn=" << name << '\n';
    } else if (here != file) {
      out << "fi=" << here << '\n';  // the code was inlined from another file
    }
    function = name;
    file = here;
    out << hex(pc) << ' ' << (row != nullptr ? row->line : 0) << ' ' << executed << '\n';
    write_calls(out, pc);
  };
  for (const Span& span : spans_) {
    for (std::size_t i = 0; i < span.counts.size(); ++i) {
      const std::uint64_t executed = span.counts[i].executed;
      if (executed != 0) write_cost(span.base + 2 * static_cast<std::uint32_t>(i), executed);
    }
  }
}

}  // namespace dcc::riscv
