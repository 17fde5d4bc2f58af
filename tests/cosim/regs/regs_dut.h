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

/// Environment of the register block: inputs from the hardware, and a memory at the window bus.
struct RegsEnvironment {
  std::vector<std::uint32_t> live;  // values of the fields that the hardware drives, by register
  std::vector<std::uint64_t> counters;  // value of each counter
  std::vector<std::vector<std::uint32_t>> windows;
  std::uint32_t causes = 0;  // interrupt causes to set, by bit
  int window_wait = 0;       // number of wait cycles before win_ready
};

/// Cycle-accurate access to a generated `<map>_regs_apb`. Each call runs one clock cycle. Inputs
/// change after the rising edge, and outputs are read before the next rising edge.
class RegsDut {
 public:
  virtual ~RegsDut() = default;

  RegsEnvironment environment;

  virtual void reset() = 0;
  /// Runs one APB transfer: the set-up phase, and the access phase with its wait states.
  virtual ApbOutcome transfer(bool write, std::uint32_t address, std::uint32_t data,
                              std::uint8_t strobe) = 0;
  /// Runs a cycle without a transfer.
  virtual void idle() = 0;
  virtual bool irq() = 0;
  /// Current value of a member of reg2hw: a register's field `field`, or its write strobe (-1).
  virtual std::uint32_t to_hardware(std::uint16_t index, int field) = 0;
  /// Returns the number of writes that reached the window bus since the last call.
  virtual int take_window_writes() = 0;
};

/// Makes the block "dcc" or "nic", or "dcc_gates" if its netlist was built. The seed fills bits
/// that reset does not define.
std::unique_ptr<RegsDut> make_regs_dut(const std::string& map, int seed);

/// Number of entries of each window in the verilated instance.
CsrInstance verilated_instance(const MapInfo& map);

}  // namespace dcc::regs
