// Counts DMA accesses of a NIC whose address is not memory.
#pragma once

#include <cstdint>

#include "units.h"
#include "wire/packet.h"

namespace dcc {

struct DmaFault {
  const char* what = "";  // noun phrase: what was to be moved
  std::uint64_t address = 0;
  Qpn qpn = 0;                     // queue pair of this host; 0 for rings
  const char* numbered = "entry";  // what `number` counts: entry, work request, packet
  std::uint64_t number = 0;
  PicoSeconds at{};
};

/// The first DMA fault of a NIC, and the number of all its faults.
class DmaFaults {
 public:
  void add(const DmaFault& fault) {
    if (count_++ == 0) first_ = fault;
  }
  std::uint64_t count() const { return count_; }
  /// Precondition: count() is not zero.
  const DmaFault& first() const { return first_; }

 private:
  DmaFault first_;
  std::uint64_t count_ = 0;
};

}  // namespace dcc
