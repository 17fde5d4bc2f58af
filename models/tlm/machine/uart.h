// A byte-wide serial port, reduced to the registers that firmware uses.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <systemc>

#include "word_target.h"

namespace dcc::model {

/// The UART's registers are in memory_map.h. Sending takes no time and is always possible. Input is
/// a text fixed before the run, one character every `character_time`, so that repeated runs are
/// identical; the sender waits while 16 bytes are unread.
class Uart final : public WordTarget {
 public:
  using Sink = std::function<void(char c)>;
  using Line = std::function<void(bool high)>;

  Uart(const sc_core::sc_module_name& name, Sink sink,
       const sc_core::sc_time& character_time = sc_core::sc_time(10, sc_core::SC_US));

  /// Sets the text that the UART receives. Call before the simulation starts.
  void set_input(std::string text) { input_ = std::move(text); }
  void connect_interrupt(Line line) { line_ = std::move(line); }
  std::uint64_t bytes_sent() const { return bytes_sent_; }

 private:
  static constexpr std::size_t kFifoBytes = 16;
  tlm::tlm_response_status read(std::uint32_t offset, std::uint32_t& value) override;
  tlm::tlm_response_status write(std::uint32_t offset, std::uint32_t value) override;
  std::optional<std::uint32_t> peek(std::uint32_t offset) const override;
  void start_of_simulation() override;
  void arrive();
  void update();

  Sink sink_;
  Line line_;
  sc_core::sc_time character_time_;
  std::string input_;
  std::size_t next_input_ = 0;
  std::deque<std::uint8_t> fifo_;
  bool irq_enabled_ = false;
  bool level_ = false;
  bool held_back_ = false;
  std::uint64_t bytes_sent_ = 0;
  sc_core::sc_event arrival_;
};

}  // namespace dcc::model
