// Record of a NIC's DMA accesses to addresses that are not memory.
#pragma once

#include <cstdint>

#include "units.h"
#include "wire/packet.h"

namespace dcc {

struct DmaFault {
  const char* what = "";  // noun phrase for the data that was to be moved
  std::uint64_t address = 0;
  Qpn qpn = 0;  // queue pair of this host that the access served; 0 for rings
  // noun for the things that `number` counts: entry, work request, packet
  const char* numbered = "entry";
  std::uint64_t number = 0;
  PicoSeconds at{};
};

/// The first DMA fault of a NIC, and the number of all DMA faults of the NIC.
class DmaFaults {
 public:
  void add(const DmaFault& fault) {
    if (count_++ == 0) first_ = fault;
  }
  std::uint64_t count() const { return count_; }
  /// The first DMA fault. Precondition: count() is not zero.
  const DmaFault& first() const { return first_; }

 private:
  DmaFault first_;
  std::uint64_t count_ = 0;
};

}  // namespace dcc
