#include "machine/interrupt_controller.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include "driver/irq_regs.h"

namespace dcc::model {

InterruptController::InterruptController(const sc_core::sc_module_name& name,
                                         const sc_core::sc_time& latency)
    : sc_core::sc_module(name), latency_(latency) {
  socket.register_b_transport(this, &InterruptController::b_transport);
  socket.register_transport_dbg(this, &InterruptController::transport_dbg);
}

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

bool InterruptController::peek(std::uint64_t offset, std::uint32_t& value) const {
  switch (offset) {
    case IRQ_PENDING_OFFSET:
      value = pending();
      return true;
    case IRQ_ENABLE_OFFSET:
      value = enable_;
      return true;
    case IRQ_CLAIM_OFFSET:
      value = claimable();
      return true;
    case IRQ_COMPLETE_OFFSET:
      value = 0;
      return true;
    case IRQ_LEVEL_OFFSET:
      value = level_;
      return true;
    case IRQ_SERVICE_OFFSET:
      value = service_;
      return true;
    default:
      return false;
  }
}

tlm::tlm_response_status InterruptController::read(std::uint64_t offset, std::uint32_t& value) {
  if (!peek(offset, value)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (offset == IRQ_COMPLETE_OFFSET) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (offset == IRQ_CLAIM_OFFSET && value != IRQ_SOURCE_NONE) {
    service_ |= 1u << value;
    ++claims_;
    if (requests() != nullptr) requests()->claimed(0, value);
    update();
  }
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status InterruptController::write(std::uint64_t offset, std::uint32_t value) {
  std::uint32_t present = 0;
  if (!peek(offset, present)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
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

void InterruptController::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) {
    // Waits until the initiator's local time has come: the result of a claim depends on its time,
    // so a claim must not happen ahead of the interrupt lines.
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
  }
  if (synchronise_) synchronise_();
  delay += latency_;
  payload.set_dmi_allowed(false);
  if (payload.get_data_length() != 4 || payload.get_address() % 4 != 0) {
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
  std::uint32_t value = 0;
  if (payload.is_read()) {
    payload.set_response_status(read(payload.get_address(), value));
    std::memcpy(payload.get_data_ptr(), &value, sizeof value);
  } else if (payload.is_write()) {
    std::memcpy(&value, payload.get_data_ptr(), sizeof value);
    payload.set_response_status(write(payload.get_address(), value));
  } else {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
}

unsigned int InterruptController::transport_dbg(tlm::tlm_generic_payload& payload) {
  // A debug read claims no interrupt. Debug writes are refused, because they could only confuse the
  // software under test.
  if (!payload.is_read()) return 0;
  unsigned int done = 0;
  while (done < payload.get_data_length()) {
    const std::uint64_t address = payload.get_address() + done;
    std::uint32_t word = 0;
    if (!peek(address & ~std::uint64_t{3}, word)) break;
    payload.get_data_ptr()[done++] = static_cast<unsigned char>(word >> (8 * (address % 4)));
  }
  return done;
}

}  // namespace dcc::model
