// The congestion controller behind its register map.
#pragma once

#include "controller/controller_engine.h"
#include "controller/timing_wheel.h"
#include "registers/register_block.h"

namespace dcc::regs {

/// The register block of a controller with registers, counters and windows. The block decodes each
/// access and passes it to the controller engine. A bus accesses block().
class ControllerRegisters final : public RegisterDevice, public CauseSink {
 public:
  /// The controller `device` must outlive this object, which becomes the receiver of the device's
  /// interrupt causes. The device's parameters become the registers' reset values. `split` is the
  /// split of the timing wheel, reported in CAPS.
  explicit ControllerRegisters(ControllerEngine& device, const WheelSplit& split = {});
  ~ControllerRegisters();
  ControllerRegisters(const ControllerRegisters&) = delete;
  ControllerRegisters& operator=(const ControllerRegisters&) = delete;

  RegisterBlock& block() { return block_; }
  const RegisterBlock& block() const { return block_; }
  ControllerEngine& device() { return device_; }

  /// Hardware reset: sets registers to their reset values and resets the controller. Rate tables
  /// stay.
  void reset();

  std::uint32_t read_register(std::uint16_t index) const override;
  std::uint64_t read_counter(std::uint16_t index) const override;
  std::uint32_t read_window(std::uint16_t window, std::uint32_t word) const override;
  void access(RegisterAccess& access) override { device_.access(access); }
  void causes_raised(std::uint32_t causes) override { block_.raise(causes); }

 private:
  ControllerEngine& device_;
  RegisterBlock block_;
};

}  // namespace dcc::regs
