#include "word_target.h"

#include <cstring>

namespace dcc::model {

WordTarget::WordTarget(const sc_core::sc_module_name& name, const sc_core::sc_time& latency,
                       Registers registers)
    : sc_core::sc_module(name), latency_(latency), registers_(registers) {
  socket.register_b_transport(this, &WordTarget::b_transport);
  socket.register_transport_dbg(this, &WordTarget::transport_dbg);
}

bool WordTarget::has_valid_size(const tlm::tlm_generic_payload& payload) const {
  const unsigned bytes = payload.get_data_length();
  if (registers_ == Registers::kBytes) return bytes == 1 || bytes == 2 || bytes == 4;
  const bool fits = bytes == 4 || (bytes == 2 && registers_ == Registers::kHalves);
  return fits && payload.get_address() % bytes == 0;
}

void WordTarget::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) {
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
  }
  delay += latency_;
  payload.set_dmi_allowed(false);
  if (payload.get_address() > 0xFFFFFFFFu || !has_valid_size(payload)) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (payload.get_streaming_width() < payload.get_data_length()) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if (payload.get_byte_enable_ptr() != nullptr) {
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return;
  }
  const auto offset = static_cast<std::uint32_t>(payload.get_address());
  std::uint32_t value = 0;
  if (payload.is_read()) {
    payload.set_response_status(read(offset, value));
    std::memcpy(payload.get_data_ptr(), &value, payload.get_data_length());
  } else if (payload.is_write()) {
    std::memcpy(&value, payload.get_data_ptr(), payload.get_data_length());
    payload.set_response_status(write(offset, value));
  } else {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
}

tlm::tlm_response_status WordTarget::read(std::uint32_t offset, std::uint32_t& value) {
  const std::optional<std::uint32_t> present = peek(offset);
  value = present.value_or(0);
  return present ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

unsigned int WordTarget::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!payload.is_read()) return 0;
  unsigned int done = 0;
  while (done < payload.get_data_length()) {
    const auto address = static_cast<std::uint32_t>(payload.get_address() + done);
    const std::uint32_t in_word = registers_ == Registers::kBytes ? 0 : address % 4;
    const std::optional<std::uint32_t> word = peek(address - in_word);
    if (!word) break;
    payload.get_data_ptr()[done++] = static_cast<unsigned char>(*word >> (8 * in_word));
  }
  return done;
}

}  // namespace dcc::model
