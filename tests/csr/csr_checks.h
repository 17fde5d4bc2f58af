// Tests of every register of a map, generated from its table. They run on the model and on the RTL.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "registers/register_block.h"

namespace dcc::regs {

/// Register accesses over any bus. The result `false` stands for PSLVERR.
class CsrPort {
 public:
  virtual ~CsrPort() = default;
  virtual bool read(std::uint32_t address, std::uint32_t& value) = 0;
  virtual bool write(std::uint32_t address, std::uint32_t value, std::uint8_t strobe) = 0;
  virtual void reset() = 0;
  virtual bool interrupt() const = 0;
};

/// Properties of a register block instance that the register table does not contain.
struct CsrInstance {
  std::vector<std::uint32_t> window_entries;  // number of entries of each window
  std::vector<std::uint32_t> parameters;      // values of registers of source `parameter`
};
/// The instance with the sizes and parameters of the register table.
CsrInstance default_instance(const MapInfo& map);

struct CsrReport {
  std::vector<std::string> failures;  // failures, one sentence each, with the register's name
  std::uint64_t accesses = 0;
};

CsrReport check_reset_values(const MapInfo& map, CsrPort& port, const CsrInstance& instance);
/// Checks every field: read-write fields keep written values, and a write changes no other field.
/// Read-only, write-only and write-1-to-clear fields behave as specified. Windows keep written
/// values in their first and last entries.
CsrReport check_access_kinds(const MapInfo& map, CsrPort& port, const CsrInstance& instance);
/// Checks every reason for PSLVERR at every register: the block refuses the access, changes no
/// register, and sets ERROR_INFO.
CsrReport check_errors(const MapInfo& map, CsrPort& port, const CsrInstance& instance);
/// Clears each bit of the write-enable register. Registers guarded by that bit then refuse writes
/// and keep their values. All other registers accept writes. Only a reset sets the bit again.
CsrReport check_locks(const MapInfo& map, CsrPort& port, const CsrInstance& instance);
/// Checks that the interrupt line follows the interrupt causes and the mask.
CsrReport check_interrupt(const MapInfo& map, CsrPort& port);

}  // namespace dcc::regs
