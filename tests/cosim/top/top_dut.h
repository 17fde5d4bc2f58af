// The verilated top behind a plain interface: APB transfers, timer commands, rate requests.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "controller/rate_engine.h"

namespace dcc {

struct TopApbOutcome {
  bool slverr = false;
  std::uint32_t rdata = 0;
};

struct TopTimerAnswer {
  bool hit = false;
  std::uint32_t due = 0;  // of a read that hit
};

struct TopExpiry {
  std::uint32_t slot = 0;
  std::uint32_t due = 0;  // tick
};

/// One clock; every call runs it until what was asked is done and throws std::runtime_error if that
/// takes too long or an assertion of the RTL fails.
class TopDut {
 public:
  virtual ~TopDut() = default;
  /// Asserts the reset; afterwards runs until ready_o.
  virtual void reset() = 0;
  virtual void idle(std::uint32_t cycles) = 0;

  virtual TopApbOutcome write(std::uint32_t address, std::uint32_t data) = 0;
  virtual TopApbOutcome read(std::uint32_t address) = 0;
  /// What the slot window answers: this word plus the word address asked for.
  virtual void set_slot_window(std::uint32_t word) = 0;

  /// 0 start, 1 cancel, 2 read, as in timing_wheel_pkg.
  virtual TopTimerAnswer timer(std::uint32_t op, std::uint32_t slot, std::uint32_t delay) = 0;
  /// Takes expiries from now on, or leaves them on offer.
  virtual void take_expiries(bool take) = 0;
  /// The oldest expiry taken and not yet asked for.
  virtual std::optional<TopExpiry> next_expiry() = 0;
  /// tick_o pulses since the reset.
  virtual std::uint64_t ticks() const = 0;

  virtual DecreaseResult decrease(const DecreaseRequest& request) = 0;
  virtual IncreaseResult increase(const IncreaseRequest& request) = 0;

  virtual bool irq() = 0;
};

std::unique_ptr<TopDut> make_top_dut(std::uint32_t random_seed);

}  // namespace dcc
