// Interface through which the NIC reads and writes host memory.
#pragma once

#include <cstdint>

#include "units.h"

namespace dcc {

class ParameterVisitor;

/// Receives the completion of its DMA requests.
class DmaClient {
 public:
  /// A DMA request ended. `tag` identifies the request. `ok` is false if a byte lies outside
  /// memory; then no data was moved.
  virtual void dma_done(std::uint32_t tag, bool ok) = 0;

 protected:
  ~DmaClient() = default;
};

/// DMA access to host memory. Reads and atomic operations end in the order of their requests, and
/// so do writes. A read or atomic operation sees every write requested before it. No request ends
/// within the call that makes it.
class Dma {
 public:
  /// True if all bytes lie in memory that may be read, and written if `writable`. The NIC's
  /// translation tables give the result; no data is moved and no simulated time passes.
  virtual bool reaches(std::uint64_t address, std::uint64_t bytes, bool writable) const = 0;
  /// Reads host memory into `to`, which the client keeps valid until the request ends or is
  /// cancelled.
  virtual void read(std::uint64_t address, void* to, std::uint32_t bytes, DmaClient& client,
                    std::uint32_t tag) = 0;
  /// Changes eight bytes atomically (PCI Express AtomicOp). `original` receives the former value of
  /// these bytes.
  virtual void fetch_add(std::uint64_t address, std::uint64_t addend, void* original,
                         DmaClient& client, std::uint32_t tag) = 0;
  virtual void compare_swap(std::uint64_t address, std::uint64_t compare, std::uint64_t swap,
                            void* original, DmaClient& client, std::uint32_t tag) = 0;
  /// Writes to host memory; the function copies the bytes at `from` before it returns.
  virtual void write(std::uint64_t address, const void* from, std::uint32_t bytes,
                     DmaClient& client, std::uint32_t tag) = 0;
  /// Cancels all requests of `client`: the requests move no data, and dma_done() is not called for
  /// them.
  virtual void cancel(const DmaClient& client) = 0;

 protected:
  ~Dma() = default;
};

/// Parameters of the link between NIC and host (PCI Express).
struct DmaParameters {
  PicoSeconds latency =
      kNanoSecond * 300;  // latency of an access, without the time that its bytes take on the link
  BitRate rate{256'000'000'000};   // rate of each direction of the link
  std::uint32_t outstanding = 64;  // greatest number of concurrent DMA reads, at least 1

  void describe(ParameterVisitor& v);
};

}  // namespace dcc
