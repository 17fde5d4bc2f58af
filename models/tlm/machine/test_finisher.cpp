#include "machine/test_finisher.h"

#include <utility>

#include "driver/memory_map_virt.h"

namespace dcc::model {
namespace {

constexpr std::uint32_t kPass = 0x5555;
constexpr std::uint32_t kFail = 0x3333;

}  // namespace

TestFinisher::TestFinisher(const sc_core::sc_module_name& name,
                           std::function<void(std::uint32_t code)> on_exit)
    : WordTarget(name, sc_core::SC_ZERO_TIME, Registers::kHalves), on_exit_(std::move(on_exit)) {}

std::optional<std::uint32_t> TestFinisher::peek(std::uint32_t) const { return 0; }

tlm::tlm_response_status TestFinisher::write(std::uint32_t offset, std::uint32_t value) {
  if (offset != VIRT_TEST_FINISH) return tlm::TLM_OK_RESPONSE;
  if ((value & 0xFFFF) == kPass) on_exit_(0);
  if ((value & 0xFFFF) == kFail) on_exit_(value >> 16);
  return tlm::TLM_OK_RESPONSE;
}

}  // namespace dcc::model
