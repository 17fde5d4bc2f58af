// Interrupt controller by the RISC-V Platform-Level Interrupt Controller specification,
// version 1.0.0.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <systemc>
#include <utility>
#include <vector>

#include "interrupt_inputs.h"
#include "word_target.h"

namespace dcc::model {

/// Registers: memory_map_virt.h. Sources 1 to kSources with priorities 0 (never) to kMaxPriority,
/// one context (machine mode of the hart). All sources are levels. A gateway forwards one request a
/// source: the source is pending from the rise of its line until a claim takes it, also if the line
/// falls before; the next request is forwarded after completion, if the line is high then.
///
/// A claim takes the pending, enabled source of the highest priority, of several the lowest number,
/// whatever the threshold; only the output heeds the threshold. A completion of a source that is
/// not enabled is ignored. Words without a register read zero and ignore writes.
class Plic final : public WordTarget, public InterruptInputs {
 public:
  static constexpr unsigned kSources = 96;
  static constexpr std::uint32_t kMaxPriority = 7;

  Plic(const sc_core::sc_module_name& name, const sc_core::sc_time& latency);

  void set_level(unsigned source, bool high) override;
  void connect_output(Output output) override;
  bool output() const override { return output_; }
  void set_synchronise(std::function<void()> synchronise) override {
    synchronise_ = std::move(synchronise);
  }
  std::vector<std::uint64_t> state() const override;

 private:
  static constexpr unsigned kWords = kSources / 32 + 1;
  using Bits = std::array<std::uint32_t, kWords>;  // a set of sources, one bit for each

  tlm::tlm_response_status read(std::uint32_t offset, std::uint32_t& value) override;
  tlm::tlm_response_status write(std::uint32_t offset, std::uint32_t value) override;
  bool peek(std::uint32_t offset, std::uint32_t& value) const override;
  void complete(std::uint32_t source);
  void forward(unsigned source);
  /// The pending, enabled source of the highest priority above `floor`; 0: none.
  unsigned best_above(std::uint32_t floor) const;
  void update();

  std::array<std::uint32_t, kSources + 1> priority_{};
  Bits level_{};
  Bits pending_{};
  Bits enable_{};
  Bits in_service_{};  // sources that were claimed and not completed
  std::uint32_t threshold_ = 0;
  bool output_ = false;
  Output on_output_;
  std::function<void()> synchronise_;
};

}  // namespace dcc::model
