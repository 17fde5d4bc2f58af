#include "dma_engine.h"

#include <cstring>

namespace dcc::model {

DmaEngine::DmaEngine(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
  socket.register_invalidate_direct_mem_ptr(this, &DmaEngine::invalidate);
}

void DmaEngine::invalidate(sc_dt::uint64, sc_dt::uint64) { dmi_valid_ = false; }

unsigned char* DmaEngine::direct(std::uint64_t address, std::size_t bytes) {
  if (!dmi_allowed_) return nullptr;
  if (!dmi_valid_) {
    tlm::tlm_generic_payload request;
    request.set_address(address);
    request.set_command(tlm::TLM_READ_COMMAND);
    dmi_.init();
    dmi_valid_ = socket->get_direct_mem_ptr(request, dmi_) && dmi_.is_read_write_allowed();
    if (!dmi_valid_) return nullptr;
  }
  const std::uint64_t start = dmi_.get_start_address();
  const std::uint64_t end = dmi_.get_end_address();
  if (address < start || address > end || bytes > end - address + 1) return nullptr;
  return dmi_.get_dmi_ptr() + (address - start);
}

bool DmaEngine::access(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                       std::size_t bytes) {
  tlm::tlm_generic_payload transaction;
  transaction.set_command(command);
  transaction.set_address(address);
  transaction.set_data_ptr(data);
  transaction.set_data_length(static_cast<unsigned>(bytes));
  transaction.set_streaming_width(static_cast<unsigned>(bytes));
  transaction.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay;
  socket->b_transport(transaction, delay);
  return transaction.is_response_ok();
}

void DmaEngine::add_memory(std::uint64_t base, std::uint64_t bytes, bool writable) {
  memories_.push_back({base, bytes, writable});
}

bool DmaEngine::holds(std::uint64_t address, std::size_t bytes, bool writable) const {
  if (memories_.empty()) return true;
  for (const Memory& memory : memories_) {
    if (address < memory.base || address - memory.base > memory.bytes) continue;
    if (bytes > memory.bytes - (address - memory.base)) continue;
    return memory.writable || !writable;
  }
  return false;
}

bool DmaEngine::read(std::uint64_t address, void* to, std::size_t bytes) {
  if (!read_bytes(address, to, bytes)) return false;
  if (on_read_) on_read_(address, bytes);
  return true;
}

bool DmaEngine::read_bytes(std::uint64_t address, void* to, std::size_t bytes) {
  if (unsigned char* const from = direct(address, bytes)) {
    std::memcpy(to, from, bytes);
    return true;
  }
  if (!holds(address, bytes, false)) return false;
  return access(tlm::TLM_READ_COMMAND, address, static_cast<unsigned char*>(to), bytes);
}

bool DmaEngine::write(std::uint64_t address, const void* from, std::size_t bytes) {
  if (!write_bytes(address, from, bytes)) return false;
  if (on_write_) on_write_(address, bytes);
  return true;
}

bool DmaEngine::write_bytes(std::uint64_t address, const void* from, std::size_t bytes) {
  if (unsigned char* const to = direct(address, bytes)) {
    std::memcpy(to, from, bytes);
    return true;
  }
  if (!holds(address, bytes, true)) return false;
  // Removes const from the data pointer, because the generic payload has no const data pointer; a
  // write does not change the data.
  auto* data = static_cast<unsigned char*>(const_cast<void*>(from));
  return access(tlm::TLM_WRITE_COMMAND, address, data, bytes);
}

}  // namespace dcc::model
