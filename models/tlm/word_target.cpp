#include "word_target.h"

#include <cstring>

namespace dcc::model {

WordTarget::WordTarget(const sc_core::sc_module_name& name, const sc_core::sc_time& latency)
    : sc_core::sc_module(name), latency_(latency) {
  socket.register_b_transport(this, &WordTarget::b_transport);
  socket.register_transport_dbg(this, &WordTarget::transport_dbg);
}

void WordTarget::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) {
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
  }
  delay += latency_;
  payload.set_dmi_allowed(false);
  if (payload.get_data_length() != 4 || payload.get_address() % 4 != 0) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
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
    std::memcpy(payload.get_data_ptr(), &value, sizeof value);
  } else if (payload.is_write()) {
    std::memcpy(&value, payload.get_data_ptr(), sizeof value);
    payload.set_response_status(write(offset, value));
  } else {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
}

unsigned int WordTarget::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!payload.is_read()) return 0;
  unsigned int done = 0;
  while (done < payload.get_data_length()) {
    const auto address = static_cast<std::uint32_t>(payload.get_address() + done);
    std::uint32_t word = 0;
    if (!peek(address & ~3u, word)) break;
    payload.get_data_ptr()[done++] = static_cast<unsigned char>(word >> (8 * (address % 4)));
  }
  return done;
}

}  // namespace dcc::model
