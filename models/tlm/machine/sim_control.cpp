#include "machine/sim_control.h"

#include "driver/memory_map.h"

namespace dcc::model {

SimControl::SimControl(const sc_core::sc_module_name& name,
                       std::function<void(std::uint32_t code)> on_exit,
                       std::function<void(char c)> console)
    : WordTarget(name), on_exit_(std::move(on_exit)), console_(std::move(console)) {}

std::optional<std::uint32_t> SimControl::peek(std::uint32_t offset) const {
  if (offset == DCC_SIM_CONTROL_EXIT || offset == DCC_SIM_CONTROL_PUTCHAR) return 0;
  return std::nullopt;
}

tlm::tlm_response_status SimControl::read(std::uint32_t offset, std::uint32_t&) {
  return peek(offset) ? tlm::TLM_COMMAND_ERROR_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

tlm::tlm_response_status SimControl::write(std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case DCC_SIM_CONTROL_EXIT:
      if (on_exit_) on_exit_(value);
      return tlm::TLM_OK_RESPONSE;
    case DCC_SIM_CONTROL_PUTCHAR:
      if (console_) console_(static_cast<char>(value));
      return tlm::TLM_OK_RESPONSE;
    default:
      return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
}

}  // namespace dcc::model
