#include "machine/uart.h"

#include "driver/memory_map.h"

namespace dcc::model {

Uart::Uart(const sc_core::sc_module_name& name, Sink sink, const sc_core::sc_time& character_time)
    : WordTarget(name), sink_(std::move(sink)), character_time_(character_time) {
  SC_HAS_PROCESS(Uart);
  SC_METHOD(arrive);
  sensitive << arrival_;
  dont_initialize();
}

void Uart::start_of_simulation() {
  if (!input_.empty()) arrival_.notify(character_time_);
}

void Uart::arrive() {
  if (next_input_ == input_.size()) return;
  held_back_ = fifo_.size() == kFifoBytes;
  if (held_back_) return;
  fifo_.push_back(static_cast<std::uint8_t>(input_[next_input_++]));
  update();
  if (next_input_ < input_.size()) arrival_.notify(character_time_);
}

void Uart::update() {
  const bool level = irq_enabled_ && !fifo_.empty();
  if (level == level_) return;
  level_ = level;
  if (line_) line_(level);
}

std::optional<std::uint32_t> Uart::peek(std::uint32_t offset) const {
  switch (offset) {
    case DCC_UART_DATA:
      return fifo_.empty() ? 0 : fifo_.front();
    case DCC_UART_STATUS:
      return 2u | (fifo_.empty() ? 0u : 1u);
    case DCC_UART_IRQ_ENABLE:
      return irq_enabled_ ? 1 : 0;
    default:
      return std::nullopt;
  }
}

tlm::tlm_response_status Uart::read(std::uint32_t offset, std::uint32_t& value) {
  if (WordTarget::read(offset, value) != tlm::TLM_OK_RESPONSE)
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (offset == DCC_UART_DATA && !fifo_.empty()) {
    fifo_.pop_front();
    if (held_back_) {
      held_back_ = false;
      arrival_.notify(character_time_);
    }
    update();
  }
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status Uart::write(std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case DCC_UART_DATA:
      ++bytes_sent_;
      if (sink_) sink_(static_cast<char>(value));
      return tlm::TLM_OK_RESPONSE;
    case DCC_UART_STATUS:
      return tlm::TLM_COMMAND_ERROR_RESPONSE;
    case DCC_UART_IRQ_ENABLE:
      irq_enabled_ = (value & 1) != 0;
      update();
      return tlm::TLM_OK_RESPONSE;
    default:
      return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
}

}  // namespace dcc::model
