// How the NIC reaches host RAM: requests that end when the link to the host has done them.
#pragma once

#include <cstdint>

#include "units.h"

namespace dcc {

class ParameterVisitor;

/// Hears of the ends of the requests it made.
class DmaClient {
 public:
  /// `tag` is the request's. Not ok: some byte lies outside memory, and nothing was moved.
  virtual void dma_done(std::uint32_t tag, bool ok) = 0;

 protected:
  ~DmaClient() = default;
};

/// Reads and atomic operations end in the order in which they were asked for, and so do writes; a
/// read or atomic operation sees every write that was asked for before it. Nothing ends from within
/// the call that asks for it.
class Dma {
 public:
  /// `to` stays the client's, and valid, until the end or cancel().
  virtual void read(std::uint64_t address, void* to, std::uint32_t bytes, DmaClient& client,
                    std::uint32_t tag) = 0;
  /// Changes eight bytes in one (PCI Express's AtomicOp requests); `original` gets what they were.
  virtual void fetch_add(std::uint64_t address, std::uint64_t addend, void* original,
                         DmaClient& client, std::uint32_t tag) = 0;
  virtual void compare_swap(std::uint64_t address, std::uint64_t compare, std::uint64_t swap,
                            void* original, DmaClient& client, std::uint32_t tag) = 0;
  /// Takes a copy of the bytes.
  virtual void write(std::uint64_t address, const void* from, std::uint32_t bytes,
                     DmaClient& client, std::uint32_t tag) = 0;
  /// Requests of `client` move nothing any more and nobody hears of their ends.
  virtual void cancel(const DmaClient& client) = 0;

 protected:
  ~Dma() = default;
};

/// The link between NIC and host, as PCI Express is one.
struct DmaParameters {
  PicoSeconds latency = kNanoSecond * 300;  // of an access, beside its bytes' time on the link
  BitRate rate{256'000'000'000};            // of either direction, for what is moved
  std::uint32_t outstanding = 64;           // reads under way at a time, at least 1

  void describe(ParameterVisitor& v);
};

}  // namespace dcc
