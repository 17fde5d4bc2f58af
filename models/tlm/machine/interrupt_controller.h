// The host's interrupt controller: level sources, enable, claim and complete.
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "machine/interrupt_inputs.h"
#include "word_target.h"

namespace dcc::model {

/// driver/irq_regs.h, which software includes too, defines the registers and their rules. Only word
/// accesses are allowed: other accesses, and offsets without a register, get
/// TLM_ADDRESS_ERROR_RESPONSE; a write to a read-only register or a read of COMPLETE gets
/// TLM_COMMAND_ERROR_RESPONSE. A debug read claims no interrupt.
class InterruptController final : public WordTarget, public InterruptInputs {
 public:
  InterruptController(const sc_core::sc_module_name& name, const sc_core::sc_time& latency)
      : WordTarget(name, latency) {}

  /// Sets the level of an interrupt source, 1 … 31.
  void set_level(unsigned source, bool high) override;
  void connect_output(Output output) override;
  bool output() const override { return output_; }
  void set_synchronise(std::function<void()> synchronise) override {
    synchronise_ = std::move(synchronise);
  }
  std::vector<std::uint64_t> state() const override {
    return {level_, enable_, service_, output_ ? 1u : 0u, claims_};
  }

  std::uint64_t claims() const { return claims_; }

 private:
  tlm::tlm_response_status read(std::uint32_t offset, std::uint32_t& value) override;
  tlm::tlm_response_status write(std::uint32_t offset, std::uint32_t value) override;
  std::optional<std::uint32_t> peek(std::uint32_t offset) const override;
  std::uint32_t pending() const { return level_ & ~service_; }
  std::uint32_t claimable() const;
  /// Reports the sources that are pending now and were not in `before`, and those that are no
  /// longer pending.
  void report_changes(std::uint32_t before) const;
  void update();

  std::uint32_t level_ = 0;
  std::uint32_t enable_ = 0;
  std::uint32_t service_ = 0;
  bool output_ = false;
  std::uint64_t claims_ = 0;
  Output on_output_;
  std::function<void()> synchronise_;
};

}  // namespace dcc::model
