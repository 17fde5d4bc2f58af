// Host memory as a DMA engine accesses it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dcc {

class HostMemory {
 public:
  /// Returns false, and moves nothing, if a byte lies outside memory.
  virtual bool read(std::uint64_t address, void* to, std::size_t bytes) = 0;
  virtual bool write(std::uint64_t address, const void* from, std::size_t bytes) = 0;

 protected:
  ~HostMemory() = default;
};

}  // namespace dcc
