#include "software/apb_programmer.h"

namespace dcc::vp {

ApbProgrammer::ApbProgrammer(const sc_core::sc_module_name& name, std::uint64_t base,
                             bool takes_time)
    : sc_module(name),
      apb("apb"),
      takes_time_(takes_time),
      programmer_([this](bool write, std::uint64_t address,
                         std::uint32_t value) { return access(write, address, value); },
                  base) {}

std::uint32_t ApbProgrammer::access(bool write, std::uint64_t address, std::uint32_t value) {
  tlm::tlm_generic_payload transaction;
  transaction.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  transaction.set_address(address);
  transaction.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  transaction.set_data_length(sizeof value);
  transaction.set_streaming_width(sizeof value);
  transaction.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay;
  apb->b_transport(transaction, delay);
  if (takes_time_) sc_core::wait(delay);
  if (!transaction.is_response_ok()) ControllerProgrammer::refuse(write, address, value);
  return value;
}

}  // namespace dcc::vp
