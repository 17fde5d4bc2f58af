#include "machine/interrupt_controller.h"

#include <stdexcept>
#include <string>

#include "driver/irq_regs.h"

namespace dcc::model {

void InterruptController::set_level(unsigned source, bool high) {
  if (source == IRQ_SOURCE_NONE || source >= IRQ_SOURCES) {
    throw std::out_of_range("interrupt source " + std::to_string(source) +
                            " does not exist: there are 1 to 31");
  }
  const std::uint32_t bit = 1u << source;
  const std::uint32_t before = pending();
  level_ = high ? level_ | bit : level_ & ~bit;
  report_changes(before);
  update();
}

void InterruptController::report_changes(std::uint32_t before) const {
  if (requests() == nullptr) return;
  const std::uint32_t now = pending();
  for (std::uint32_t changed = now ^ before, source = 0; changed != 0; changed >>= 1, ++source) {
    if ((changed & 1u) == 0) continue;
    if ((now >> source & 1u) != 0) {
      requests()->requested(source);
    } else {
      requests()->withdrawn(source);
    }
  }
}

void InterruptController::connect_output(Output output) {
  on_output_ = std::move(output);
  if (output_) on_output_(true);
}

void InterruptController::update() {
  const bool high = (pending() & enable_) != 0;
  if (high == output_) return;
  output_ = high;
  if (on_output_) on_output_(high);
}

std::uint32_t InterruptController::claimable() const {
  const std::uint32_t candidates = pending() & enable_;
  for (std::uint32_t source = 1; source < IRQ_SOURCES; ++source) {
    if ((candidates >> source & 1u) != 0) return source;
  }
  return IRQ_SOURCE_NONE;
}

std::optional<std::uint32_t> InterruptController::peek(std::uint32_t offset) const {
  switch (offset) {
    case IRQ_PENDING_OFFSET:
      return pending();
    case IRQ_ENABLE_OFFSET:
      return enable_;
    case IRQ_CLAIM_OFFSET:
      return claimable();
    case IRQ_COMPLETE_OFFSET:
      return 0;
    case IRQ_LEVEL_OFFSET:
      return level_;
    case IRQ_SERVICE_OFFSET:
      return service_;
    default:
      return std::nullopt;
  }
}

tlm::tlm_response_status InterruptController::read(std::uint32_t offset, std::uint32_t& value) {
  if (synchronise_) synchronise_();
  if (WordTarget::read(offset, value) != tlm::TLM_OK_RESPONSE)
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (offset == IRQ_COMPLETE_OFFSET) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (offset == IRQ_CLAIM_OFFSET && value != IRQ_SOURCE_NONE) {
    service_ |= 1u << value;
    ++claims_;
    if (requests() != nullptr) requests()->claimed(0, value);
    update();
  }
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status InterruptController::write(std::uint32_t offset, std::uint32_t value) {
  if (synchronise_) synchronise_();
  if (!peek(offset)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (offset == IRQ_ENABLE_OFFSET) {
    enable_ = value & ~1u;
  } else if (offset == IRQ_COMPLETE_OFFSET) {
    const std::uint32_t before = pending();
    if (value < IRQ_SOURCES) service_ &= ~(1u << value);
    report_changes(before);
  } else {
    return tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  update();
  return tlm::TLM_OK_RESPONSE;
}

}  // namespace dcc::model
