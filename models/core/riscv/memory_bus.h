// What a hart asks of the world outside its own RAM.
#pragma once

#include <cstdint>

namespace dcc::riscv {

/// Loads and stores that do not hit directly mapped RAM. Addresses are aligned to `size`.
/// An access may take simulated time and change the hart's interrupt lines; registers and pc are
/// those before the instruction while it runs.
class MemoryBus {
 public:
  virtual ~MemoryBus() = default;
  /// `size` is 1, 2 or 4 bytes; the value is zero-extended. False: access fault.
  virtual bool load(std::uint32_t address, std::uint32_t size, std::uint32_t& value) = 0;
  virtual bool store(std::uint32_t address, std::uint32_t size, std::uint32_t value) = 0;
  /// Two bytes of an instruction where RAM is not directly mapped; takes no simulated time.
  virtual bool fetch(std::uint32_t address, std::uint32_t& halfword) = 0;
};

}  // namespace dcc::riscv
