// The host's interrupt controller: level sources, enable, claim and complete.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <functional>
#include <systemc>
#include <tlm>
#include <utility>

namespace dcc::model {

/// Register map and rules: driver/irq_regs.h, which software includes too. Word accesses only:
/// others, and offsets without a register, get TLM_ADDRESS_ERROR_RESPONSE; a write to a read-only
/// register or a read of COMPLETE gets TLM_COMMAND_ERROR_RESPONSE.
///
/// set_level() may be called from a device's event or from a SystemC process; the output callback
/// is called within it, and within the register access that changed the output.
class InterruptController final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<InterruptController> socket{"socket"};

  using Output = std::function<void(bool high)>;

  InterruptController(const sc_core::sc_module_name& name, const sc_core::sc_time& latency);

  /// Sets the level of a source's line, 1 … 31; other numbers throw std::out_of_range.
  void set_level(unsigned source, bool high);
  /// Sets the function that receives the level of the processor's interrupt line. Called on changes
  /// only, and at once if the line is already high.
  void connect_output(Output output);
  bool output() const { return output_; }

  /// Called before every register access, to bring the devices' clock to sc_time_stamp().
  void set_synchronise(std::function<void()> synchronise) { synchronise_ = std::move(synchronise); }

  std::uint64_t claims() const { return claims_; }
  template <class Digest>
  void add_state(Digest& d) const {
    d(level_, enable_, service_, output_, claims_);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned int transport_dbg(tlm::tlm_generic_payload& payload);
  /// Reads a register without side effects; false if there is no such register.
  bool peek(std::uint64_t offset, std::uint32_t& value) const;
  tlm::tlm_response_status read(std::uint64_t offset, std::uint32_t& value);
  tlm::tlm_response_status write(std::uint64_t offset, std::uint32_t value);
  std::uint32_t pending() const { return level_ & ~service_; }
  std::uint32_t claimable() const;
  void update();

  sc_core::sc_time latency_;
  std::uint32_t level_ = 0;
  std::uint32_t enable_ = 0;
  std::uint32_t service_ = 0;
  bool output_ = false;
  std::uint64_t claims_ = 0;
  Output on_output_;
  std::function<void()> synchronise_;
};

}  // namespace dcc::model
