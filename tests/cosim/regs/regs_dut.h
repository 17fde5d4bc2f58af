// A verilated register block behind a plain interface, one APB transfer or one cycle at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "csr_checks.h"

namespace dcc::regs {

struct ApbOutcome {
  bool slverr = false;
  std::uint32_t rdata = 0;
  int wait_states = 0;
};

/// Surroundings of the register block: live inputs, and a memory at the window bus.
struct RegsEnvironment {
  std::vector<std::uint32_t> live;      // fields read from the hardware, by register
  std::vector<std::uint64_t> counters;  // by counter
  std::vector<std::vector<std::uint32_t>> windows;
  std::uint32_t causes = 0;  // set-inputs of the interrupt status
  int window_wait = 0;       // cycles before win_ready
};

/// Cycle-level access to a generated `<map>_regs_apb`. Clocks once a cycle; inputs change after the
/// rising edge, outputs are looked at before the next.
class RegsDut {
 public:
  virtual ~RegsDut() = default;

  RegsEnvironment environment;

  virtual void reset() = 0;
  /// Set-up phase, access phase with its wait states.
  virtual ApbOutcome transfer(bool write, std::uint32_t address, std::uint32_t data,
                              std::uint8_t strobe) = 0;
  /// A cycle without a transfer.
  virtual void idle() = 0;
  virtual bool irq() = 0;
  /// Current value of a member of reg2hw: a register's field `field`, or its write strobe (-1).
  virtual std::uint32_t to_hardware(std::uint16_t index, int field) = 0;
  /// Writes that reached the window bus since the last call.
  virtual int take_window_writes() = 0;
};

/// The block "dcc" or "nic", or "dcc_gates" where its netlist has been built. The seed fills what
/// reset does not define.
std::unique_ptr<RegsDut> make_regs_dut(const std::string& map, int seed);

/// Entries of each window the verilated instance was built with.
CsrInstance verilated_instance(const MapInfo& map);

}  // namespace dcc::regs
