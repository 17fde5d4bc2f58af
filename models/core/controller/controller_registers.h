// The congestion controller behind its register map.
#pragma once

#include "controller/controller_device.h"
#include "controller/timing_wheel.h"
#include "registers/register_block.h"

namespace dcc::regs {

/// Turns register and table writes into the device's parameters, and reads into its state. Owns the
/// register block; whoever has a bus in front of it talks to block().
class ControllerRegisters final : public RegisterDevice, public CauseSink {
 public:
  /// `device` must outlive this and is told who hears its causes. The device's parameters become
  /// the registers' reset values. `split` is the timing engine's, for CAPS.
  explicit ControllerRegisters(ControllerDevice& device, const WheelSplit& split = {});
  ~ControllerRegisters();
  ControllerRegisters(const ControllerRegisters&) = delete;
  ControllerRegisters& operator=(const ControllerRegisters&) = delete;

  RegisterBlock& block() { return block_; }
  const RegisterBlock& block() const { return block_; }
  ControllerDevice& device() { return device_; }

  /// Hardware reset: registers to their reset values, and the device with them. Tables stay.
  void reset();

  std::uint32_t read_register(std::uint16_t index) const override;
  void register_written(std::uint16_t index, std::uint32_t value) override;
  std::uint64_t read_counter(std::uint16_t index) const override;
  std::uint32_t read_window(std::uint16_t window, std::uint32_t word) const override;
  void write_window(std::uint16_t window, std::uint32_t word, std::uint32_t value) override;
  void reading_window(std::uint16_t) override {
    waited_ = true;
    device_.access_window();
  }
  void accessed(bool write, std::uint32_t address, std::uint32_t& value, std::uint8_t strobe,
                AccessResult result) override;
  void causes_raised(std::uint32_t causes) override { block_.raise(causes); }

 private:
  void apply_parameters();

  ControllerDevice& device_;
  RegisterBlock block_;
  bool waited_ = false;  // the access under way has waited for the pipeline
};

}  // namespace dcc::regs
