// Tests of every register of a map, generated from its table. They run on the model and on the RTL.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "registers/register_block.h"

namespace dcc::regs {

/// Register accesses over any bus. A result of `false` stands for PSLVERR.
class CsrPort {
 public:
  virtual ~CsrPort() = default;
  virtual bool read(std::uint32_t address, std::uint32_t& value) = 0;
  virtual bool write(std::uint32_t address, std::uint32_t value, std::uint8_t strobe) = 0;
  virtual void reset() = 0;
  virtual bool interrupt() const = 0;
};

/// Properties of the instance that the register table does not contain.
struct CsrInstance {
  std::vector<std::uint32_t> window_entries;  // number of entries of each window
  std::vector<std::uint32_t> parameters;      // values of registers of source `parameter`
};
/// The instance that the table's own numbers describe.
CsrInstance default_instance(const MapInfo& map);

struct CsrReport {
  std::vector<std::string> failures;  // failures, one sentence each, with the register's name
  std::uint64_t accesses = 0;
};

CsrReport check_reset_values(const MapInfo& map, CsrPort& port, const CsrInstance& instance);
/// Read-write fields keep written values and no other field changes. Read-only, write-only and W1C
/// fields behave as their kind demands. Windows keep written values at both ends.
CsrReport check_access_kinds(const MapInfo& map, CsrPort& port, const CsrInstance& instance);
/// Every reason for PSLVERR at every register: the access is refused, no register changes, and
/// ERROR_INFO is right.
CsrReport check_errors(const MapInfo& map, CsrPort& port, const CsrInstance& instance);
/// Clears each bit of the write-enable register: registers guarded by the bit refuse writes and
/// keep their values, all other registers accept writes, and only a reset sets the bit again.
CsrReport check_locks(const MapInfo& map, CsrPort& port, const CsrInstance& instance);
/// Checks interrupt causes and mask: the line follows them.
CsrReport check_interrupt(const MapInfo& map, CsrPort& port);

}  // namespace dcc::regs
