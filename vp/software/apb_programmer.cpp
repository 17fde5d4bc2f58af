#include "software/apb_programmer.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace dcc::vp {

ApbProgrammer::ApbProgrammer(const sc_core::sc_module_name& name, std::uint64_t base,
                             bool takes_time)
    : sc_module(name), apb("apb"), base_(base), takes_time_(takes_time), hal_{}, controller_{} {
  hal_.context = this;
  hal_.read32 = [](void* self, std::uint64_t address) {
    return static_cast<ApbProgrammer*>(self)->access(false, address, 0);
  };
  hal_.write32 = [](void* self, std::uint64_t address, std::uint32_t value) {
    static_cast<ApbProgrammer*>(self)->access(true, address, value);
  };
  hal_.memory = [](void*, std::uint64_t, std::uint64_t) -> void* { return nullptr; };
  hal_.barrier = [](void*) {};
  hal_.time_ns = [](void*) -> std::uint64_t { return 0; };
  hal_.wait_for_interrupt = [](void*, std::uint64_t) { return 0; };
}

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
  if (!transaction.is_response_ok()) {
    throw std::runtime_error(
        fmt::format("controller refused {} of register 0x{:05x} (value 0x{:x})",
                    write ? "a write" : "a read", address, value));
  }
  return value;
}

void ApbProgrammer::check(dcc_error error, const char* doing) const {
  if (error == DCC_OK) return;
  throw std::runtime_error(std::string("controller ") + doing + ": " + dcc_error_text(error));
}

void ApbProgrammer::bring_up(const dcc_config& program) {
  check(dcc_probe(&controller_, &hal_, base_), "bring-up");
  check(dcc_configure(&controller_, &program), "bring-up");
  dcc_enable(&controller_);
}

void ApbProgrammer::reconfigure(const dcc_config& from, const dcc_config& to) {
  check(dcc_probe(&controller_, &hal_, base_), "change");
  check(dcc_retune(&controller_, &from, &to), "change");
}

}  // namespace dcc::vp
