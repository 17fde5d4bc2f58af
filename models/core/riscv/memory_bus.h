// Interface through which a hart accesses memory and devices outside its own RAM.
#pragma once

#include <cstdint>

namespace dcc::riscv {

/// The bus for loads and stores that do not hit directly mapped RAM. Addresses are aligned to
/// `size`. An access may take simulated time and change the hart's interrupt lines; during an
/// access the registers and pc are those before the instruction.
class MemoryBus {
 public:
  virtual ~MemoryBus() = default;
  /// Loads `size` bytes (1, 2 or 4), zero-extended. Returns false on an access fault.
  virtual bool load(std::uint32_t address, std::uint32_t size, std::uint32_t& value) = 0;
  virtual bool store(std::uint32_t address, std::uint32_t size, std::uint32_t value) = 0;
  /// Fetches two bytes of an instruction from memory that is not directly mapped. The fetch takes
  /// no simulated time.
  virtual bool fetch(std::uint32_t address, std::uint32_t& halfword) = 0;
  /// Announces that the next store completes an atomic operation, whose load was the last access.
  /// No other access may come between the load and the store.
  virtual void complete_atomic() {}
  /// Reports a store of the hart while Hart::guard() names addresses, at least each store to the
  /// pages of these addresses.
  virtual void stored(std::uint32_t /*address*/, std::uint32_t /*size*/) {}
};

}  // namespace dcc::riscv
