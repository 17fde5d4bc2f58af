#include "software/controller_programmer.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace dcc::vp {

ControllerProgrammer::ControllerProgrammer(Access access, std::uint64_t base)
    : access_(std::move(access)), base_(base), hal_{}, controller_{} {
  hal_.context = this;
  hal_.read32 = [](void* self, std::uint64_t address) {
    return static_cast<ControllerProgrammer*>(self)->access_(false, address, 0);
  };
  hal_.write32 = [](void* self, std::uint64_t address, std::uint32_t value) {
    static_cast<ControllerProgrammer*>(self)->access_(true, address, value);
  };
  hal_.memory = [](void*, std::uint64_t, std::uint64_t) -> void* { return nullptr; };
  hal_.barrier = [](void*) {};
  hal_.time_ns = [](void*) -> std::uint64_t { return 0; };
  hal_.wait_for_interrupt = [](void*, std::uint64_t) { return 0; };
}

void ControllerProgrammer::refuse(bool write, std::uint64_t address, std::uint32_t value) {
  throw std::runtime_error(fmt::format("controller refused {} of register 0x{:05x} (value 0x{:x})",
                                       write ? "a write" : "a read", address, value));
}

void ControllerProgrammer::check(dcc_error error, const char* doing) const {
  if (error == DCC_OK) return;
  throw std::runtime_error(std::string("controller ") + doing + ": " + dcc_error_text(error));
}

void ControllerProgrammer::bring_up(const dcc_config& program) {
  check(dcc_probe(&controller_, &hal_, base_), "bring-up");
  check(dcc_configure(&controller_, &program), "bring-up");
  dcc_enable(&controller_);
}

void ControllerProgrammer::reconfigure(const dcc_config& from, const dcc_config& to) {
  check(dcc_probe(&controller_, &hal_, base_), "change");
  check(dcc_retune(&controller_, &from, &to), "change");
}

void ControllerProgrammer::set_weight(std::uint32_t dscp, std::uint32_t weight_q8_8) {
  check(dcc_set_weight(&controller_, dscp, weight_q8_8), "change of a weight");
}

}  // namespace dcc::vp
