// A serial port compatible with the 16550A, as drivers of operating systems know it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <systemc>

#include "word_target.h"

namespace dcc::model {

/// A 16550A with the byte-wide registers of memory_map_virt.h: FIFOs of 16 bytes with trigger
/// levels and receive time-out, loopback, divisor, and constant modem lines (DCD, DSR and CTS
/// high). Where the data sheet leaves a choice, the model follows QEMU's port.
///
/// Sending a character takes no time. Input is a text that is fixed before the run. While the FIFO
/// has room, one character of the input arrives per character time, which divisor and line control
/// set. During loopback the input waits.
class Uart16550 final : public WordTarget {
 public:
  using Sink = std::function<void(char c)>;
  using Line = std::function<void(bool high)>;

  /// `clock_hz`: frequency of the divider's input clock; at divisor 1 a bit takes 16 cycles.
  Uart16550(const sc_core::sc_module_name& name, Sink sink, std::uint64_t clock_hz);

  /// Sets the text that the serial port receives. Call before the simulation starts.
  void set_input(std::string text) { input_ = std::move(text); }
  void connect_interrupt(Line line) { line_ = std::move(line); }

 private:
  static constexpr std::size_t kFifoBytes = 16;
  tlm::tlm_response_status read(std::uint32_t offset, std::uint32_t& value) override;
  tlm::tlm_response_status write(std::uint32_t offset, std::uint32_t value) override;
  std::optional<std::uint32_t> peek(std::uint32_t offset) const override;
  void start_of_simulation() override;

  bool has_fifos() const;
  bool in_loopback() const;
  bool selects_divisor() const;
  std::size_t trigger_level() const;
  sc_core::sc_time character_time() const;
  std::uint8_t modem_status() const;
  std::uint8_t identify() const;

  void write_data(std::uint8_t value);
  void write_enables(std::uint8_t value);
  void write_fifo_control(std::uint8_t value);
  void take_received();
  void receive(std::uint8_t value);
  void arrive();
  bool has_room() const;
  void expect_input();
  void time_out();
  void update();

  Sink sink_;
  Line line_;
  std::uint64_t clock_hz_;
  std::string input_;
  std::size_t next_input_ = 0;
  bool held_back_ = false;  // true if the next byte of input waits for space in the FIFO

  // received bytes that software has not read; with FIFOs disabled at most one
  std::deque<std::uint8_t> received_;
  std::uint8_t last_received_ = 0;  // byte that the data register shows while FIFOs are disabled
  std::uint8_t ier_ = 0;
  std::uint8_t fcr_ = 0;
  std::uint8_t lcr_ = 0;
  std::uint8_t mcr_;
  std::uint8_t scr_ = 0;
  std::uint16_t divisor_ = 12;
  bool overrun_ = false;
  bool empty_pending_ = false;  // true if the interrupt of the empty transmitter is pending
  // true if bytes below the trigger level have waited for four character times
  bool timeout_pending_ = false;
  bool level_ = false;
  sc_core::sc_event arrival_;
  sc_core::sc_event timeout_;
};

}  // namespace dcc::model
