// Interface of the rate unit, one clock cycle at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "controller/parameters.h"

namespace dcc {

/// Cycles from the handshake of a request to its response without back-pressure (rate_lut_pkg).
constexpr std::uint32_t kRateLatency = 16;

/// The unit's input pins during one cycle; names and meaning as in rate_unit.sv.
struct RateInputs {
  bool req_valid = false;
  bool req_increase = false;
  std::uint32_t req_rc = 0;
  std::uint32_t req_rt = 0;
  std::uint8_t req_dscp = 0;
  std::uint8_t req_stage = 0;
  std::uint32_t req_alpha = 0;
  std::uint32_t req_delta = 0;
  std::uint8_t req_marks = 0;
  bool req_first = false;
  bool rsp_ready = false;
  bool tbl_valid = false;
  bool tbl_write = false;
  std::uint8_t tbl_table = 0;
  std::uint16_t tbl_index = 0;
  std::uint32_t tbl_wdata = 0;
};

/// The rate unit's output pins in a cycle, before the clock edge that ends the cycle.
struct RateOutputs {
  bool init_done = false;
  bool req_ready = false;
  bool rsp_valid = false;
  bool rsp_increase = false;
  std::uint32_t rsp_rc = 0;
  std::uint32_t rsp_rt = 0;
  std::uint32_t rsp_alpha = 0;
  bool rsp_at_maximum = false;
  bool tbl_ready = false;
  std::uint32_t tbl_rdata = 0;
  bool busy = false;
  bool error = false;
};

/// Faults that the verilated unit's wrapper can inject at the pins, to show that lock-step finds
/// them. The RTL itself is unchanged.
enum class RateFault : std::uint8_t {
  kNone = 0,
  kRateBit = 1,    // bit 6 of the rate of every 64th response is inverted
  kLostWrite = 2,  // every 16th table write is lost
  kStage = 3,      // every 64th increase is requested as an increase of the recovery stage
};

class RateDut {
 public:
  virtual ~RateDut() = default;
  /// Sets the registers' values from the next cycle on.
  virtual void set_registers(const RateRegisters& registers) = 0;
  /// Runs one clock cycle.
  virtual RateOutputs cycle(const RateInputs& in) = 0;
  /// Runs `count` cycles, at least one, with the same inputs. Returns the outputs of the last one.
  virtual RateOutputs cycles(const RateInputs& in, std::uint32_t count) = 0;
  /// Asserts the reset for a few cycles; afterwards the unit sweeps its tables.
  virtual void reset() = 0;
  virtual std::string name() const = 0;
};

/// The unit for networks, without the RTL's assertions. `random_seed` other than 0 fills every
/// register and memory that has no reset with random bits.
std::unique_ptr<RateDut> make_rtl_rate_dut(RateFault fault = RateFault::kNone,
                                           std::uint32_t random_seed = 0);
/// A slower variant with assertions (library dcc_rate_checked): a failed assertion of the RTL
/// throws std::runtime_error from cycle().
std::unique_ptr<RateDut> make_checked_rate_dut(std::uint32_t random_seed);
/// The unit as synthesised gates (library dcc_rate_netlist, which a build without yosys lacks).
std::unique_ptr<RateDut> make_netlist_rate_dut(std::uint32_t random_seed = 0);

}  // namespace dcc
