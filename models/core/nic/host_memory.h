// The NIC's view of host RAM: what its DMA engine can do, and nothing about how.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dcc {

class HostMemory {
 public:
  /// False if any byte lies outside memory; then nothing was moved.
  virtual bool read(std::uint64_t address, void* to, std::size_t bytes) = 0;
  virtual bool write(std::uint64_t address, const void* from, std::size_t bytes) = 0;

 protected:
  ~HostMemory() = default;
};

}  // namespace dcc
