// Trace of every transaction on a host's bus, with names instead of addresses.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bus.h"
#include "registers/access_record.h"

namespace dcc::model {

/// Reports every access on a host's bus to a sink, with its time, path, register name, data and
/// response, in the order in which the accesses ended. Accesses by DMI or debug are not reported;
/// with DMI switched off, all accesses pass the bus.
class BusTrace {
 public:
  using Sink = std::function<void(const regs::AccessRecord& access)>;
  /// Returns the name of the device or register at a bus address; an empty text if there is none.
  using Namer = std::function<std::string(std::uint64_t address)>;

  /// `initiators`: names of the initiators bound to bus.in, in the order of binding. The trace must
  /// live as long as `bus`.
  BusTrace(Bus& bus, std::vector<std::string> initiators, Sink sink);
  /// Adds a function that names addresses, such as registers. The first function that knows the
  /// address applies; if none does, the trace uses the bus's description ("uart + 0x4").
  void add_namer(Namer namer) { namers_.push_back(std::move(namer)); }

 private:
  void tell(const Bus::Access& access) const;
  std::string name_of(std::uint64_t address) const;

  Bus& bus_;
  std::vector<std::string> initiators_;
  Sink sink_;
  std::vector<Namer> namers_;
};

}  // namespace dcc::model
