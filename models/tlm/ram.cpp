#include "ram.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace dcc::model {

Ram::Ram(const sc_core::sc_module_name& name, std::uint64_t bytes, const sc_core::sc_time& latency,
         bool read_only)
    : sc_core::sc_module(name),
      bytes_(bytes),
      latency_(latency),
      read_only_(read_only),
      memory_(static_cast<std::uint8_t*>(std::calloc(bytes == 0 ? 1 : bytes, 1))) {
  if (memory_ == nullptr) throw std::bad_alloc();
  socket.register_b_transport(this, &Ram::b_transport);
  socket.register_transport_dbg(this, &Ram::transport_dbg);
  socket.register_get_direct_mem_ptr(this, &Ram::get_direct_mem_ptr);
}

void Ram::allow_dmi(bool allowed) {
  if (dmi_allowed_ && !allowed) socket->invalidate_direct_mem_ptr(0, bytes_ - 1);
  dmi_allowed_ = allowed;
}

void Ram::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  delay += latency_;
  payload.set_dmi_allowed(dmi_allowed_);
  const std::uint64_t address = payload.get_address();
  const unsigned int length = payload.get_data_length();
  const unsigned int span = std::min(length, payload.get_streaming_width());
  if (length == 0 || span == 0) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if (address >= bytes_ || span > bytes_ - address) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (read_only_ && payload.is_write()) {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return;
  }
  std::uint8_t* const memory = memory_.get() + address;
  if (payload.get_byte_enable_ptr() != nullptr || span != length) {
    transfer(payload);
  } else if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), memory, length);
  } else if (payload.is_write()) {
    std::memcpy(memory, payload.get_data_ptr(), length);
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void Ram::transfer(tlm::tlm_generic_payload& payload) {
  std::uint8_t* const memory = memory_.get() + payload.get_address();
  unsigned char* const data = payload.get_data_ptr();
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  const unsigned int period = payload.get_byte_enable_length();
  const unsigned int width = payload.get_streaming_width();
  for (unsigned int i = 0; i < payload.get_data_length(); ++i) {
    if (enables != nullptr && period != 0 && enables[i % period] != TLM_BYTE_ENABLED) continue;
    if (payload.is_read()) data[i] = memory[i % width];
    if (payload.is_write()) memory[i % width] = data[i];
  }
}

unsigned int Ram::transport_dbg(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  if (address >= bytes_) return 0;
  const auto length = static_cast<unsigned int>(
      std::min<std::uint64_t>(payload.get_data_length(), bytes_ - address));
  if (length == 0) return 0;  // returns early, because the pointer of an empty payload may be null
  if (payload.is_read()) std::memcpy(payload.get_data_ptr(), memory_.get() + address, length);
  if (payload.is_write()) std::memcpy(memory_.get() + address, payload.get_data_ptr(), length);
  return length;
}

bool Ram::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
  dmi.init();
  dmi.set_start_address(0);
  dmi.set_end_address(bytes_ - 1);
  if (!dmi_allowed_) return false;
  dmi.set_dmi_ptr(memory_.get());
  if (read_only_) {
    dmi.allow_read();
  } else {
    dmi.allow_read_write();
  }
  dmi.set_read_latency(latency_);
  dmi.set_write_latency(latency_);
  return true;
}

}  // namespace dcc::model
