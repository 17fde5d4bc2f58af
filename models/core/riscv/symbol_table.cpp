#include "riscv/symbol_table.h"

#include <algorithm>
#include <cstdio>

namespace dcc::riscv {

void SymbolTable::sort() {
  // Of the symbols with equal addresses, functions are sorted last, because find() searches from
  // the end.
  std::stable_sort(symbols_.begin(), symbols_.end(), [](const Symbol& a, const Symbol& b) {
    return a.address != b.address ? a.address < b.address : a.is_function < b.is_function;
  });
}

std::optional<std::uint32_t> SymbolTable::address_of(const std::string& name) const {
  for (const Symbol& s : symbols_) {
    if (s.name == name) return s.address;
  }
  return std::nullopt;
}

const SymbolTable::Symbol* SymbolTable::find(std::uint32_t address) const {
  auto at = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                             [](std::uint32_t a, const Symbol& s) { return a < s.address; });
  // The search goes back a few symbols, because a label inside a sized function may end before the
  // address.
  if (at == symbols_.begin()) return nullptr;
  const std::uint32_t nearest = std::prev(at)->address;
  for (int tries = 0; tries < 16 && at != symbols_.begin(); ++tries) {
    --at;
    const std::uint32_t offset = address - at->address;
    if (at->bytes != 0 && offset >= at->bytes) continue;
    // A symbol without a size ends at the next symbol, and does not name addresses 4096 bytes or
    // more away.
    if (at->bytes == 0 && (offset >= 4096 || at->address != nearest)) continue;
    return &*at;
  }
  return nullptr;
}

std::string SymbolTable::describe(std::uint32_t address) const {
  const Symbol* const symbol = find(address);
  if (symbol == nullptr) return "";
  if (symbol->address == address) return symbol->name;
  char text[16];
  std::snprintf(text, sizeof text, "+0x%x", address - symbol->address);
  return symbol->name + text;
}

std::string SymbolTable::with_address(std::uint32_t address) const {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", address);
  const std::string name = describe(address);
  return name.empty() ? text : std::string(text) + " (" + name + ")";
}

}  // namespace dcc::riscv
