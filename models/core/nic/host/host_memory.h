// Host memory as a DMA engine accesses it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dcc {

class HostMemory {
 public:
  /// True if all bytes lie in memory, so that read() can move them, and write() too if `writable`.
  /// Device registers are not memory.
  virtual bool holds(std::uint64_t address, std::size_t bytes, bool writable) const = 0;
  /// Reads or writes memory; returns false, and moves nothing, if a byte lies outside memory.
  virtual bool read(std::uint64_t address, void* to, std::size_t bytes) = 0;
  virtual bool write(std::uint64_t address, const void* from, std::size_t bytes) = 0;

 protected:
  ~HostMemory() = default;
};

}  // namespace dcc
