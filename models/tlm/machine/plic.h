// Interrupt controller by the RISC-V Platform-Level Interrupt Controller specification,
// version 1.0.0.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <systemc>
#include <utility>
#include <vector>

#include "machine/interrupt_inputs.h"
#include "word_target.h"

namespace dcc::model {

/// A PLIC with the registers of memory_map_virt.h. Its sources 1 to kSources have priorities from 0
/// (never) to kMaxPriority. Context n is machine mode of hart n, as on QEMU's machine virt with
/// harts that have no supervisor mode. All sources are level-sensitive. A gateway forwards one
/// request per source at a time. A source is pending from the rise of its line until a claim takes
/// the source, even if the line falls before. The next request of the source is forwarded after
/// completion, if the line is high then.
///
/// A claim takes the pending and enabled source with the highest priority, and among equal
/// priorities the one with the lowest number. The threshold has no effect on claims, only on the
/// output line. The PLIC ignores a completion for a source that is not enabled. Addresses of the
/// PLIC without a register read zero and ignore writes.
class Plic final : public WordTarget, public InterruptInputs {
 public:
  static constexpr unsigned kSources = 96;
  static constexpr std::uint32_t kMaxPriority = 7;

  Plic(const sc_core::sc_module_name& name, const sc_core::sc_time& latency, unsigned harts = 1);

  void set_level(unsigned source, bool high) override;
  void connect_output(Output output) override { connect_hart(0, std::move(output)); }
  void connect_hart(unsigned hart, Output output) override;
  bool output() const override { return contexts_[0].output; }
  void set_synchronise(std::function<void()> synchronise) override {
    synchronise_ = std::move(synchronise);
  }
  std::vector<std::uint64_t> state() const override;

 private:
  static constexpr unsigned kWords = kSources / 32 + 1;
  using Bits = std::array<std::uint32_t, kWords>;  // set of interrupt sources, one bit per source

  tlm::tlm_response_status read(std::uint32_t offset, std::uint32_t& value) override;
  tlm::tlm_response_status write(std::uint32_t offset, std::uint32_t value) override;
  std::optional<std::uint32_t> peek(std::uint32_t offset) const override;
  /// Registers of one context of the PLIC.
  struct Context {
    Bits enable{};
    std::uint32_t threshold = 0;
    bool output = false;
    Output on_output;
  };
  /// Context and register of the PLIC that an offset selects.
  struct Place {
    std::size_t context;
    std::uint32_t offset;  // offset of the selected register within context 0
  };
  std::optional<Place> place_of(std::uint32_t offset) const;
  void complete(const Context& context, std::uint32_t source);
  void forward(unsigned source);
  /// The pending source that is enabled in `context` and has the highest priority above `floor`; 0:
  /// there is none.
  unsigned best_above(const Context& context, std::uint32_t floor) const;
  void update();

  std::array<std::uint32_t, kSources + 1> priority_{};
  Bits level_{};
  Bits pending_{};
  Bits in_service_{};              // interrupt sources that software has claimed and not completed
  std::vector<Context> contexts_;  // contexts of the PLIC, indexed by hart
  std::function<void()> synchronise_;
};

}  // namespace dcc::model
