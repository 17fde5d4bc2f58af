// Programs a congestion controller with the C driver, whatever interface carries the register
// accesses.
#pragma once

#include <cstdint>
#include <functional>

#include "driver/dcc_driver.h"
#include "driver/hal.h"

namespace dcc::vp {

/// A HAL of the driver whose register accesses are calls of a function.
class ControllerProgrammer {
 public:
  /// Accesses a register; `value` is the data of a write. Returns the data of a read. Throws if the
  /// access is refused.
  using Access =
      std::function<std::uint32_t(bool write, std::uint64_t address, std::uint32_t value)>;

  /// Creates the programmer. `base`: bus address of the controller.
  explicit ControllerProgrammer(Access access, std::uint64_t base = 0);
  ControllerProgrammer(const ControllerProgrammer&) = delete;
  ControllerProgrammer& operator=(const ControllerProgrammer&) = delete;

  /// Probes, configures and enables a controller. Throws std::runtime_error with the driver's
  /// sentence.
  void bring_up(const dcc_config& program);
  /// Changes a running controller from one configuration to another. Throws like bring_up().
  void reconfigure(const dcc_config& from, const dcc_config& to);
  /// Sets the weight of a DSCP, 1.0 = 256. Precondition: bring_up() was called. Throws like
  /// bring_up().
  void set_weight(std::uint32_t dscp, std::uint32_t weight_q8_8);
  /// Throws std::runtime_error that says that the controller refused this access.
  [[noreturn]] static void refuse(bool write, std::uint64_t address, std::uint32_t value);

 private:
  void check(dcc_error error, const char* doing) const;

  Access access_;
  std::uint64_t base_;
  hal hal_;
  dcc_controller controller_;
};

}  // namespace dcc::vp
