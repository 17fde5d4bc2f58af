#include "machine/uart16550.h"

#include <algorithm>
#include <utility>

#include "driver/memory_map_virt.h"

namespace dcc::model {
namespace {

enum : std::uint8_t {
  kIerReceived = 0x01,
  kIerEmpty = 0x02,
  kIerLineStatus = 0x04,
  kIerMask = 0x0F,

  kIirNone = 0x01,
  kIirEmpty = 0x02,
  kIirReceived = 0x04,
  kIirLineStatus = 0x06,
  kIirTimeout = 0x0C,
  kIirFifos = 0xC0,

  kFcrEnable = 0x01,
  kFcrResetReceiver = 0x02,
  kFcrResetTransmitter = 0x04,
  kFcrKept = 0xC9,

  kLcrLength = 0x03,
  kLcrStop = 0x04,
  kLcrParity = 0x08,
  kLcrDivisor = 0x80,

  kMcrReset = 0x08,  // modem control after reset: bit OUT2 is set
  kMcrLoopback = 0x10,
  kMcrMask = 0x1F,

  kLsrReceived = 0x01,
  kLsrOverrun = 0x02,
  kLsrEmpty = 0x60,  // line status: holding register and shift register are empty
};
constexpr std::uint8_t kLinesAtRest = 0xB0;  // modem status without modem: DCD, DSR and CTS are set

}  // namespace

Uart16550::Uart16550(const sc_core::sc_module_name& name, Sink sink, std::uint64_t clock_hz)
    : WordTarget(name, sc_core::SC_ZERO_TIME, Registers::kBytes),
      sink_(std::move(sink)),
      clock_hz_(clock_hz),
      mcr_(kMcrReset) {
  SC_HAS_PROCESS(Uart16550);
  SC_METHOD(arrive);
  sensitive << arrival_;
  dont_initialize();
  SC_METHOD(time_out);
  sensitive << timeout_;
  dont_initialize();
}

bool Uart16550::has_fifos() const { return (fcr_ & kFcrEnable) != 0; }
bool Uart16550::in_loopback() const { return (mcr_ & kMcrLoopback) != 0; }
bool Uart16550::selects_divisor() const { return (lcr_ & kLcrDivisor) != 0; }

std::size_t Uart16550::trigger_level() const {
  constexpr std::size_t kLevels[] = {1, 4, 8, 14};
  return has_fifos() ? kLevels[fcr_ >> 6] : 1;
}

sc_core::sc_time Uart16550::character_time() const {
  // Number of bits per character: a start bit, 5 to 8 data bits, parity, and 1 or 2 stop bits.
  const std::uint64_t bits = 1u + 5u + (lcr_ & kLcrLength) + ((lcr_ & kLcrParity) != 0 ? 1u : 0u) +
                             ((lcr_ & kLcrStop) != 0 ? 2u : 1u);
  const std::uint64_t cycles = bits * 16 * std::max<std::uint64_t>(divisor_, 1);
  constexpr std::uint64_t kSecond = 1'000'000'000;  // in ns
  return {static_cast<double>(cycles * kSecond / clock_hz_), sc_core::SC_NS};
}

std::uint8_t Uart16550::modem_status() const {
  if (!in_loopback()) return kLinesAtRest;
  // In loopback the outputs DTR, RTS, OUT1 and OUT2 come back as the inputs DSR, CTS, RI and DCD.
  return static_cast<std::uint8_t>((mcr_ & 0x01) << 5 | (mcr_ & 0x02) << 3 | (mcr_ & 0x0C) << 4);
}

std::uint8_t Uart16550::identify() const {
  if ((ier_ & kIerLineStatus) != 0 && overrun_) return kIirLineStatus;
  if ((ier_ & kIerReceived) != 0 && timeout_pending_) return kIirTimeout;
  if ((ier_ & kIerReceived) != 0 && received_.size() >= trigger_level()) return kIirReceived;
  if ((ier_ & kIerEmpty) != 0 && empty_pending_) return kIirEmpty;
  return kIirNone;
}

void Uart16550::update() {
  const bool level = identify() != kIirNone;
  if (level == level_) return;
  level_ = level;
  if (line_) line_(level);
}

// ---- Input of characters

void Uart16550::start_of_simulation() { expect_input(); }

bool Uart16550::has_room() const {
  return !in_loopback() && received_.size() < (has_fifos() ? kFifoBytes : 1);
}

/// Schedules the arrival of the next input byte after a character time, unless the FIFO is full and
/// a byte already waits.
void Uart16550::expect_input() {
  if (next_input_ == input_.size() || (held_back_ && !has_room())) return;
  held_back_ = false;
  arrival_.notify(character_time());
}

void Uart16550::arrive() {
  held_back_ = !has_room();
  if (held_back_) return;
  receive(static_cast<std::uint8_t>(input_[next_input_++]));
  expect_input();
}

void Uart16550::receive(std::uint8_t value) {
  if (has_fifos()) {
    if (received_.size() < kFifoBytes) {
      received_.push_back(value);
    } else {
      overrun_ = true;  // overrun: the new byte is lost, and the bytes received before stay
    }
    timeout_.cancel();
    timeout_.notify(4 * character_time());
  } else {
    overrun_ = overrun_ || !received_.empty();
    received_.assign(1, value);
    last_received_ = value;
  }
  update();
}

void Uart16550::time_out() {
  if (received_.empty()) return;
  timeout_pending_ = true;
  update();
}

void Uart16550::take_received() {
  if (!received_.empty()) received_.pop_front();
  if (has_fifos()) {
    timeout_.cancel();
    if (!received_.empty()) timeout_.notify(4 * character_time());
  }
  timeout_pending_ = false;
  update();
  if (held_back_) expect_input();
}

// ---- Register accesses

std::optional<std::uint32_t> Uart16550::peek(std::uint32_t offset) const {
  switch (offset) {
    case VIRT_UART_DATA:
      if (selects_divisor()) return divisor_ & 0xFF;
      if (!has_fifos()) return last_received_;
      return received_.empty() ? 0 : received_.front();
    case VIRT_UART_IER:
      return selects_divisor() ? divisor_ >> 8 : ier_;
    case VIRT_UART_IIR_FCR:
      return identify() | (has_fifos() ? kIirFifos : 0);
    case VIRT_UART_LCR:
      return lcr_;
    case VIRT_UART_MCR:
      return mcr_;
    case VIRT_UART_LSR:
      return kLsrEmpty | (received_.empty() ? 0 : kLsrReceived) | (overrun_ ? kLsrOverrun : 0);
    case VIRT_UART_MSR:
      return modem_status();
    case VIRT_UART_SCR:
      return scr_;
    default:
      return std::nullopt;
  }
}

tlm::tlm_response_status Uart16550::read(std::uint32_t offset, std::uint32_t& value) {
  if (WordTarget::read(offset, value) != tlm::TLM_OK_RESPONSE)
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (offset == VIRT_UART_DATA && !selects_divisor()) take_received();
  if (offset == VIRT_UART_IIR_FCR && identify() == kIirEmpty) {
    empty_pending_ = false;
    update();
  }
  if (offset == VIRT_UART_LSR && overrun_) {
    overrun_ = false;
    update();
  }
  return tlm::TLM_OK_RESPONSE;
}

void Uart16550::write_data(std::uint8_t value) {
  // The transmitter is empty again at once, since a written byte leaves without delay.
  empty_pending_ = false;
  update();
  empty_pending_ = true;
  update();
  if (in_loopback()) {
    receive(value);
  } else if (sink_) {
    sink_(static_cast<char>(value));
  }
}

void Uart16550::write_enables(std::uint8_t value) {
  const std::uint8_t changed = (ier_ ^ value) & kIerMask;
  ier_ = value & kIerMask;
  // Enabling the transmitter's interrupt raises the interrupt, because the transmitter is always
  // empty.
  if ((changed & kIerEmpty) != 0) empty_pending_ = (ier_ & kIerEmpty) != 0;
  update();
}

void Uart16550::write_fifo_control(std::uint8_t value) {
  if (((value ^ fcr_) & kFcrEnable) != 0) value |= kFcrResetReceiver | kFcrResetTransmitter;
  if ((value & kFcrResetReceiver) != 0) {
    received_.clear();
    timeout_.cancel();
    timeout_pending_ = false;
  }
  if ((value & kFcrResetTransmitter) != 0) empty_pending_ = true;
  fcr_ = value & kFcrKept;
  update();
  if (held_back_) expect_input();
}

tlm::tlm_response_status Uart16550::write(std::uint32_t offset, std::uint32_t value) {
  const auto byte = static_cast<std::uint8_t>(value);
  switch (offset) {
    case VIRT_UART_DATA:
      if (selects_divisor()) {
        divisor_ = static_cast<std::uint16_t>((divisor_ & 0xFF00) | byte);
      } else {
        write_data(byte);
      }
      break;
    case VIRT_UART_IER:
      if (selects_divisor()) {
        divisor_ = static_cast<std::uint16_t>((divisor_ & 0x00FF) | byte << 8);
      } else {
        write_enables(byte);
      }
      break;
    case VIRT_UART_IIR_FCR:
      write_fifo_control(byte);
      break;
    case VIRT_UART_LCR:
      lcr_ = byte;
      break;
    case VIRT_UART_MCR:
      mcr_ = byte & kMcrMask;
      if (held_back_) expect_input();
      break;
    case VIRT_UART_LSR:
    case VIRT_UART_MSR:
      break;  // writes to read-only registers are ignored
    case VIRT_UART_SCR:
      scr_ = byte;
      break;
    default:
      return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

}  // namespace dcc::model
