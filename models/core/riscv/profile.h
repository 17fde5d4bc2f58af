// Profile of a program run: coverage of lines and branches, cost by function, depth of the stack.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "riscv/call_tracker.h"
#include "riscv/elf_file.h"
#include "riscv/hart.h"
#include "riscv/instruction_observer.h"
#include "riscv/line_table.h"

namespace dcc::riscv {

/// A profile that counts every instruction by its address, and calls by the calling convention
/// (CallTracker). Cost is measured in instructions. Code outside the program's own segments is not
/// counted.
class Profile final : public InstructionObserver, private CallSink {
 public:
  /// All three arguments must outlive the profile. With an empty line table, addresses stand for
  /// lines and coverage contains functions only. `number`: number of the hart in a host with
  /// several harts, empty with one hart. It selects the hart's stack: firmware's crt0.S places the
  /// stacks of all harts one below another.
  Profile(const ElfFile& program, const LineTable& lines, const Hart& hart,
          std::optional<unsigned> number = std::nullopt);

  void executed(const DecodedOp& op, std::uint32_t pc, std::uint32_t next, bool trapped) override;
  void interrupted(std::uint32_t from, std::uint32_t handler) override;
  /// Ends all open calls. Call finish() before writing results.
  void finish();

  /// Writes coverage of lines, functions and branches as an lcov tracefile (geninfo(1)).
  void write_coverage(std::ostream& out) const;
  /// Writes cost by instruction and by call in the format of callgrind, for callgrind_annotate and
  /// kcachegrind.
  void write_callgrind(std::ostream& out, const std::string& command) const;

  struct StackUse {
    // greatest depth of the stack in bytes: __stack_top minus the lowest sp
    std::uint32_t bytes = 0;
    std::uint32_t of = 0;  // size of the stack in bytes, from __stack_top down to __stack_limit
    std::uint32_t pc = 0;  // address of the instruction at which the stack was deepest
  };
  /// Maximum stack use; empty if the program does not define __stack_top and __stack_limit.
  std::optional<StackUse> stack_use() const;

 private:
  struct Count {
    std::uint64_t executed = 0;
    std::uint64_t taken = 0;  // number of times that a branch was taken
  };
  struct Edge {
    std::uint64_t calls = 0;
    std::uint64_t cost = 0;  // cost of a call, including all functions called within it
  };
  struct OpenCall {
    std::uint32_t site, target;
    std::uint64_t begin;
  };
  struct FileCoverage {
    std::map<std::uint32_t, std::uint64_t> lines;
    // branches of each line, by the branch's address
    std::map<std::uint32_t, std::vector<Count>> branches;
    std::vector<const SymbolTable::Symbol*> functions;
  };

  void enter(std::uint64_t cost, const std::string& function) override;
  void leave(std::uint64_t cost) override;
  /// Execution counts of contiguous code, one per halfword from `base` on.
  struct Span {
    std::uint32_t base = 0;
    std::vector<Count> counts;
    Count* at(std::uint32_t address) {
      const std::uint32_t index = (address - base) / 2;
      return index < counts.size() ? &counts[index] : nullptr;
    }
  };
  Count* at(std::uint32_t address) {
    for (Span& span : spans_) {
      if (Count* const count = span.at(address)) return count;
    }
    return nullptr;
  }
  const Count* at(std::uint32_t address) const { return const_cast<Profile*>(this)->at(address); }
  std::map<std::uint32_t, FileCoverage> by_file() const;
  void add_branches(const SymbolTable::Symbol& function,
                    std::map<std::uint32_t, FileCoverage>& files) const;
  std::uint32_t bits_at(std::uint32_t address) const;
  void write_calls(std::ostream& out, std::uint32_t site) const;
  std::string function_at(std::uint32_t address) const;

  const ElfFile& program_;
  const LineTable& lines_;
  const Hart& hart_;
  CallTracker tracker_;
  std::vector<Span> spans_;  // spans of code in ascending order of addresses
  std::uint32_t site_ = 0;   // address of the call instruction that tracker_ may report next
  std::uint32_t target_ = 0;
  std::vector<OpenCall> open_;
  // calls, indexed by (address of the call, target)
  std::map<std::pair<std::uint32_t, std::uint32_t>, Edge> edges_;
  std::uint32_t stack_top_ = 0;
  std::uint32_t stack_limit_ = 0;
  std::uint32_t lowest_sp_ = 0;
  std::uint32_t lowest_pc_ = 0;
};

}  // namespace dcc::riscv
