// Finds names of addresses, for messages, traces and the debugger.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dcc::riscv {

class SymbolTable {
 public:
  struct Symbol {
    std::string name;
    std::uint32_t address = 0;
    // size of the symbol in bytes; 0: unknown, the symbol ends at the next symbol
    std::uint32_t bytes = 0;
    bool is_function = false;
  };

  void add(Symbol symbol) { symbols_.push_back(std::move(symbol)); }
  /// Sorts the table's symbols. Call sort() once after the last add().
  void sort();

  std::optional<std::uint32_t> address_of(const std::string& name) const;
  /// The symbol that covers an address, preferably a function; null if there is none.
  const Symbol* find(std::uint32_t address) const;
  /// Name and offset of an address: "main+0x1c", or "" if no symbol covers the address.
  std::string describe(std::uint32_t address) const;
  /// Address with its name: "0x80000123 (main+0x1c)", or the bare address.
  std::string with_address(std::uint32_t address) const;
  const std::vector<Symbol>& all() const { return symbols_; }

 private:
  std::vector<Symbol> symbols_;
};

}  // namespace dcc::riscv
