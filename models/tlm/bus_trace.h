// One line for every transaction on a host's bus.
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <string>

#include "bus.h"

namespace dcc::model {

/// Writes time, bus, RD or WR, address, register name, data and response of every access, in the
/// order in which they ended:
///   "       1250 ns  host.bus  WR 0x40000010 dcc.CTRL = 0x00000001  ok"
/// Accesses that go by DMI or debug do not show; switch DMI off where they matter.
class BusTrace {
 public:
  /// Name of what lies at an address; empty for "not mine".
  using Namer = std::function<std::string(std::uint64_t address)>;

  /// Throws std::runtime_error if the file cannot be written. Stays with `bus` to the end.
  BusTrace(const std::string& file, Bus& bus);
  /// Registers' names; the first namer that knows the address has it. Without one the bus's own
  /// description shows ("uart + 0x4").
  void add_namer(Namer namer) { namers_.push_back(std::move(namer)); }

 private:
  void write(const tlm::tlm_generic_payload& payload);
  std::string name_of(std::uint64_t address) const;

  Bus& bus_;
  std::ofstream out_;
  std::vector<Namer> namers_;
};

}  // namespace dcc::model
